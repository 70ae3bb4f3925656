// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix product from shared memory: one block loads both matrices into shared tiles, waits, and multiplies out of the
// tiles. 2x2 matrices, one block of 3x3 threads. Runs twice: A * B and A * A^T.
#include <cstdio>

constexpr int SIZE = 2;
constexpr int TPB = 3;  // threads per block, each way

__global__ void matmul_single_block(float* out, const float* a, const float* b, int size)
{
    __shared__ float a_shared[TPB][TPB];
    __shared__ float b_shared[TPB][TPB];
    int row = threadIdx.y;
    int col = threadIdx.x;

    if (row < size && col < size) {
        a_shared[row][col] = a[row * size + col];
        b_shared[row][col] = b[row * size + col];
    }
    __syncthreads();

    if (row < size && col < size) {
        float acc = 0.0f;
        for (int k = 0; k < size; ++k)
            acc += a_shared[row][k] * b_shared[k][col];
        out[row * size + col] = acc;
    }
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
    float a_host[SIZE * SIZE], b_host[2][SIZE * SIZE], out_host[SIZE * SIZE], expected[SIZE * SIZE];
    const char* names[2] = {"A * B", "A * A^T"};
    for (int row = 0; row < SIZE; ++row)
        for (int col = 0; col < SIZE; ++col) {
            int i = row * SIZE + col;
            a_host[i] = static_cast<float>(i);
            b_host[0][i] = static_cast<float>(2 * i);
            b_host[1][col * SIZE + row] = static_cast<float>(i);
        }

    float *out, *a, *b;
    cudaMalloc(&out, sizeof(out_host));
    cudaMalloc(&a, sizeof(a_host));
    cudaMalloc(&b, sizeof(b_host[0]));
    cudaMemcpy(a, a_host, sizeof(a_host), cudaMemcpyHostToDevice);

    bool correct = true;
    for (int run = 0; run < 2; ++run) {
        cudaMemcpy(b, b_host[run], sizeof(b_host[run]), cudaMemcpyHostToDevice);
        matmul_single_block<<<1, dim3(TPB, TPB)>>>(out, a, b, SIZE);
        cudaError_t error = cudaMemcpy(out_host, out, sizeof(out_host), cudaMemcpyDeviceToHost);
        if (error != cudaSuccess) {
            std::fprintf(stderr, "CUDA error: %s\n", cudaGetErrorString(error));
            return 1;
        }

        multiply_on_host(expected, a_host, b_host[run]);
        std::printf("%s\n", names[run]);
        print("out:     ", out_host);
        print("expected:", expected);
        for (int i = 0; i < SIZE * SIZE; ++i)
            correct = correct && out_host[i] == expected[i];
    }
    cudaFree(b);
    cudaFree(a);
    cudaFree(out);
    return correct ? 0 : 1;
}
