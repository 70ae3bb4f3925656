// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix product, tiled, when the tiles do not fit: 8x8 matrices under 3x3 tiles. Threads outside the matrix fill their
// tile cell with zero and stay for the barriers. Runs twice: A * A^T and A * B.
#include <cstdio>

constexpr int SIZE = 8;
constexpr int TPB = 3;                          // threads per block and tile width, each way
constexpr int BLOCKS = (SIZE + TPB - 1) / TPB;  // rounded up

__global__ void matmul_tiled_ragged(float* out, const float* a, const float* b, int size)
{
    __shared__ float a_shared[TPB][TPB];
    __shared__ float b_shared[TPB][TPB];
    int local_row = threadIdx.y;
    int local_col = threadIdx.x;
    int row = blockIdx.y * TPB + local_row;
    int col = blockIdx.x * TPB + local_col;

    float acc = 0.0f;
    for (int tile = 0; tile < (size + TPB - 1) / TPB; ++tile) {
        int a_col = tile * TPB + local_col;
        int b_row = tile * TPB + local_row;
        a_shared[local_row][local_col] = row < size && a_col < size ? a[row * size + a_col] : 0.0f;
        b_shared[local_row][local_col] = b_row < size && col < size ? b[b_row * size + col] : 0.0f;
        __syncthreads();

        for (int k = 0; k < TPB; ++k)
            acc += a_shared[local_row][k] * b_shared[k][local_col];
        __syncthreads();
    }
    if (row < size && col < size)
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

int main(int argc, char** argv)
{
    int first = 0;  // the values count from here
    if (argc > 1)
        std::sscanf(argv[1], "%d", &first);
    float a_host[SIZE * SIZE], b_host[2][SIZE * SIZE], out_host[SIZE * SIZE], expected[SIZE * SIZE];
    const char* names[2] = {"A * A^T", "A * B"};
    for (int row = 0; row < SIZE; ++row)
        for (int col = 0; col < SIZE; ++col) {
            int i = row * SIZE + col;
            a_host[i] = static_cast<float>(first + i);
            b_host[1][i] = static_cast<float>(2 * (first + i));
            b_host[0][col * SIZE + row] = static_cast<float>(first + i);
        }

    float *out, *a, *b;
    cudaMalloc(&out, sizeof(out_host));
    cudaMalloc(&a, sizeof(a_host));
    cudaMalloc(&b, sizeof(b_host[0]));
    cudaMemcpy(a, a_host, sizeof(a_host), cudaMemcpyHostToDevice);

    bool correct = true;
    for (int run = 0; run < 2; ++run) {
        cudaMemcpy(b, b_host[run], sizeof(b_host[run]), cudaMemcpyHostToDevice);
        matmul_tiled_ragged<<<dim3(BLOCKS, BLOCKS), dim3(TPB, TPB)>>>(out, a, b, SIZE);
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
