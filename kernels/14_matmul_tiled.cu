// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix product, tiled: each block computes one 3x3 tile of the result and walks over the tiles of A's rows and B's
// columns that it needs, through shared memory. 9x9 matrices, 3x3 blocks of 3x3 threads.
#include <cstdio>

constexpr int SIZE = 9;
constexpr int TPB = 3;  // threads per block and tile width, each way

__global__ void matmul_tiled(float* out, const float* a, const float* b, int size)
{
    __shared__ float a_shared[TPB][TPB];
    __shared__ float b_shared[TPB][TPB];
    int local_row = threadIdx.y;
    int local_col = threadIdx.x;
    int row = blockIdx.y * TPB + local_row;
    int col = blockIdx.x * TPB + local_col;

    float acc = 0.0f;
    for (int tile = 0; tile < size / TPB; ++tile) {
        a_shared[local_row][local_col] = a[row * size + tile * TPB + local_col];
        b_shared[local_row][local_col] = b[(tile * TPB + local_row) * size + col];
        __syncthreads();

        for (int k = 0; k < TPB; ++k)
            acc += a_shared[local_row][k] * b_shared[k][local_col];
        __syncthreads();
    }
    out[row * size + col] = acc;
}

static void print(const char* label, const float* values)
{
    std::printf("%s", label);
    for (int i = 0; i < SIZE * SIZE; ++i)
        std::printf(" %g", values[i]);
    std::printf("\n");
}

static void multiply_on_host(float* out, const float* a, const float* b)
{
    for (int row = 0; row < SIZE; ++row)
        for (int col = 0; col < SIZE; ++col) {
            out[row * SIZE + col] = 0.0f;
            for (int k = 0; k < SIZE; ++k)
                out[row * SIZE + col] += a[row * SIZE + k] * b[k * SIZE + col];
        }
}

int main()
{
    float a_host[SIZE * SIZE], b_host[SIZE * SIZE], out_host[SIZE * SIZE], expected[SIZE * SIZE];
    for (int i = 0; i < SIZE * SIZE; ++i) {
        a_host[i] = static_cast<float>(i);
        b_host[i] = static_cast<float>(2 * i);
    }
    multiply_on_host(expected, a_host, b_host);

    float *out, *a, *b;
    cudaMalloc(&out, sizeof(out_host));
    cudaMalloc(&a, sizeof(a_host));
    cudaMalloc(&b, sizeof(b_host));
    cudaMemcpy(a, a_host, sizeof(a_host), cudaMemcpyHostToDevice);
    cudaMemcpy(b, b_host, sizeof(b_host), cudaMemcpyHostToDevice);

    matmul_tiled<<<dim3(SIZE / TPB, SIZE / TPB), dim3(TPB, TPB)>>>(out, a, b, SIZE);
    cudaError_t error = cudaMemcpy(out_host, out, sizeof(out_host), cudaMemcpyDeviceToHost);
    if (error != cudaSuccess) {
        std::fprintf(stderr, "CUDA error: %s\n", cudaGetErrorString(error));
        return 1;
    }

    print("out:     ", out_host);
    print("expected:", expected);
    cudaFree(b);
    cudaFree(a);
    cudaFree(out);
    for (int i = 0; i < SIZE * SIZE; ++i)
        if (out_host[i] != expected[i])
            return 1;
    return 0;
}
