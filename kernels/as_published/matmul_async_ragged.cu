// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The defect: 8x8 matrices and 3x3 tiles, and whole tiles are copied: those at the edge reach past the matrices. The
// product itself stops at the edge, so the result is right. The corrected twin is 14_matmul_tiled_async.cu, whose size
// is a multiple of the tile's.
#include <cuda_pipeline.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int SIZE = 8;
constexpr int TPB = 3;  // threads per block and tile width, each way
constexpr int BLOCKS = (SIZE + TPB - 1) / TPB;

__global__ void matmul_tiled(float* out, const float* a, const float* b, int size)
{
    __shared__ float a_shared[TPB][TPB];
    __shared__ float b_shared[TPB][TPB];
    int local_row = threadIdx.y;
    int local_col = threadIdx.x;
    int row = blockIdx.y * TPB + local_row;
    int col = blockIdx.x * TPB + local_col;

    float acc = 0.0f;
    for (int tile = 0; tile < (size + TPB - 1) / TPB; ++tile) {
        __pipeline_memcpy_async(&a_shared[local_row][local_col], &a[row * size + tile * TPB + local_col],
                                sizeof(float));
        __pipeline_memcpy_async(&b_shared[local_row][local_col], &b[(tile * TPB + local_row) * size + col],
                                sizeof(float));
        __pipeline_commit();
        __pipeline_wait_prior(0);  // this thread's copies have arrived
        __syncthreads();           // everybody's have

        for (int k = 0; k < TPB && tile * TPB + k < size; ++k)
            acc += a_shared[local_row][k] * b_shared[k][local_col];
        __syncthreads();
    }
    if (row < size && col < size)
        out[row * size + col] = acc;
}

/// Up to 256 values.
static void print(const char* label, const std::vector<float>& values)
{
    std::printf("%s", label);
    for (size_t i = 0; i < values.size() && i < 256; ++i)
        std::printf(" %g", values[i]);
    std::puts(values.size() > 256 ? " ..." : "");
}

static float* to_device(const std::vector<float>& values)
{
    float* pointer = nullptr;
    cudaMalloc(&pointer, values.size() * sizeof(float));
    cudaMemcpy(pointer, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice);
    return pointer;
}

/// Copies the result back, prints both, and compares them.
static bool report(const float* out, const std::vector<float>& expected)
{
    std::vector<float> out_host(expected.size());
    const cudaError_t error = cudaMemcpy(out_host.data(), out, expected.size() * sizeof(float), cudaMemcpyDeviceToHost);
    if (error != cudaSuccess) {
        std::fprintf(stderr, "CUDA error: %s\n", cudaGetErrorString(error));
        return false;
    }
    print("out:     ", out_host);
    print("expected:", expected);
    return out_host == expected;
}

static std::vector<float> multiply(const std::vector<float>& a, const std::vector<float>& b)
{
    std::vector<float> out(SIZE * SIZE, 0.0f);
    for (int row = 0; row < SIZE; ++row)
        for (int col = 0; col < SIZE; ++col)
            for (int k = 0; k < SIZE; ++k)
                out[row * SIZE + col] += a[row * SIZE + k] * b[k * SIZE + col];
    return out;
}

int main()
{
    std::vector<float> a_host(SIZE * SIZE), b_host(SIZE * SIZE);
    for (int i = 0; i < SIZE * SIZE; ++i) {
        a_host[i] = float(i);
        b_host[i] = float(2 * (i));
    }
    float* a = to_device(a_host);
    float* b = to_device(b_host);
    float* out = nullptr;
    cudaMalloc(&out, SIZE * SIZE * sizeof(float));
    matmul_tiled<<<dim3(BLOCKS, BLOCKS), dim3(TPB, TPB)>>>(out, a, b, SIZE);
    const bool correct = report(out, multiply(a_host, b_host));
    cudaFree(out);
    cudaFree(b);
    cudaFree(a);
    return correct ? 0 : 1;
}
