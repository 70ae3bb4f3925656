// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The defect: a block says that its part of a tile is ready without __threadfence: who sees the flag may not see the
// part. The corrected twin is 28_gemm_stream_k.cu.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int TILE = 16;  // rows, columns and depth of a step
constexpr int CELLS = TILE * TILE;

/// The first of a block's steps, of all blocks' together.
__device__ int first_step(int block, int steps)
{
    return block * steps / int(gridDim.x);
}

/// What the steps \p begin to \p end of a tile at (\p row, \p col) add to this thread's element.
__device__ float multiply(const float* a, const float* b, int size, int row, int col, int begin, int end)
{
    __shared__ float a_shared[TILE][TILE];
    __shared__ float b_shared[TILE][TILE];
    const int local_row = threadIdx.y, local_col = threadIdx.x;
    float acc = 0.0f;
    for (int step = begin; step < end; ++step) {
        a_shared[local_row][local_col] = a[(row + local_row) * size + step * TILE + local_col];
        b_shared[local_row][local_col] = b[(step * TILE + local_row) * size + col + local_col];
        __syncthreads();
        for (int k = 0; k < TILE; ++k)
            acc += a_shared[local_row][k] * b_shared[k][local_col];
        __syncthreads();
    }
    return acc;
}

__global__ void __launch_bounds__(CELLS)
    gemm_stream_k(float* out, const float* a, const float* b, float* parts, int* ready, int size)
{
    const int per_tile = size / TILE, steps = per_tile * per_tile * per_tile;
    const int self = threadIdx.y * TILE + threadIdx.x;
    const int end = first_step(blockIdx.x + 1, steps);
    for (int step = first_step(blockIdx.x, steps); step < end;) {
        const int tile = step / per_tile;
        const int tile_begin = tile * per_tile, tile_end = tile_begin + per_tile;
        const int stop = min(end, tile_end);
        const int row = tile / per_tile * TILE, col = tile % per_tile * TILE;
        float acc = multiply(a, b, size, row, col, step - tile_begin, stop - tile_begin);
        if (step > tile_begin) {
            // Another block has begun this tile: it gets this part, and is told when all of it is there.
            parts[blockIdx.x * CELLS + self] = acc;
            __syncthreads();
            if (self == 0)
                atomicExch(&ready[blockIdx.x], 1);
        } else {
            for (int other = blockIdx.x + 1; first_step(other, steps) < tile_end; ++other) {
                if (self == 0)
                    while (atomicAdd(&ready[other], 0) == 0) {
                    }
                __threadfence();
                __syncthreads();
                acc += parts[other * CELLS + self];
            }
            out[(row + threadIdx.y) * size + col + threadIdx.x] = acc;
        }
        step = stop;
    }
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

int main(int argc, char** argv)
{
    const int size = argc > 1 ? std::atoi(argv[1]) : 48;
    const int blocks = argc > 2 ? std::atoi(argv[2]) : 5;
    std::vector<float> a_host(size * size), b_host(size * size), expected(size * size, 0.0f);
    for (int i = 0; i < size * size; ++i) {
        a_host[i] = float(i % 7);
        b_host[i] = float(i % 5);
    }
    for (int row = 0; row < size; ++row)
        for (int col = 0; col < size; ++col)
            for (int k = 0; k < size; ++k)
                expected[row * size + col] += a_host[row * size + k] * b_host[k * size + col];
    float* a = to_device(a_host);
    float* b = to_device(b_host);
    float *out = nullptr, *parts = nullptr;
    int* ready = nullptr;
    cudaMalloc(&out, size * size * sizeof(float));
    cudaMalloc(&parts, blocks * CELLS * sizeof(float));
    cudaMalloc(&ready, blocks * sizeof(int));
    cudaMemset(ready, 0, blocks * sizeof(int));
    gemm_stream_k<<<blocks, dim3(TILE, TILE)>>>(out, a, b, parts, ready, size);
    const bool correct = report(out, expected);
    cudaFree(ready);
    cudaFree(parts);
    cudaFree(out);
    cudaFree(b);
    cudaFree(a);
    return correct ? 0 : 1;
}
