// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Three ways to share out an 8x8 matrix, each a layout over the same data: a block's tile, a thread's vector of four,
// and what one of 2x2 threads gets when they take elements in turn. Each thread writes down what it meets, in its
// order.
#include <cstdio>
#include <vector>

#include "tensor.h"

constexpr int SIZE = 8;
constexpr int TILE = 4;    // rows and columns of a tile
constexpr int VECTOR = 4;  // elements of a vector

/// One block a tile: row t of out is tile t, read row by row.
__global__ void walk_tile(Tensor<float> out, Tensor<const float> a)
{
    Tensor<const float> tile = a.tile(TILE, TILE, blockIdx.y, blockIdx.x);
    int i = threadIdx.x;
    out(blockIdx.y * gridDim.x + blockIdx.x, i) = tile(i / TILE, i % TILE);
}

/// One thread a vector: row t of out is the vector of thread t.
__global__ void walk_vector(Tensor<float> out, Tensor<const float> a)
{
    Tensor<const float> firsts = a.vectorize(1, VECTOR);
    int t = threadIdx.x;
    const float* first = &firsts(t / firsts.cols(), t % firsts.cols());
    float4 vector = *reinterpret_cast<const float4*>(first);
    *reinterpret_cast<float4*>(&out(t, 0)) = vector;
}

/// 2x2 threads, numbered down the columns as (2,2):(1,2) says: row t of out is what thread t gets.
__global__ void walk_share(Tensor<float> out, Tensor<const float> a)
{
    Tensor<const float> mine = a.distribute(column_major(2, 2), threadIdx.x);
    for (int row = 0; row < mine.rows(); ++row)
        for (int col = 0; col < mine.cols(); ++col)
            out(threadIdx.x, row * mine.cols() + col) = mine(row, col);
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

int main()
{
    std::vector<float> a_host(SIZE * SIZE), tiles, shares;
    for (int i = 0; i < SIZE * SIZE; ++i)
        a_host[i] = float(i);
    for (int tile = 0; tile < 4; ++tile)
        for (int i = 0; i < TILE * TILE; ++i)
            tiles.push_back(a_host[(tile / 2 * TILE + i / TILE) * SIZE + tile % 2 * TILE + i % TILE]);
    for (int thread = 0; thread < 4; ++thread)
        for (int row = thread % 2; row < SIZE; row += 2)
            for (int col = thread / 2; col < SIZE; col += 2)
                shares.push_back(a_host[row * SIZE + col]);

    float* data = to_device(a_host);
    float* out = nullptr;
    cudaMalloc(&out, SIZE * SIZE * sizeof(float));
    Tensor<const float> a = {data, row_major(SIZE, SIZE)};
    walk_tile<<<dim3(2, 2), TILE * TILE>>>({out, row_major(4, TILE * TILE)}, a);
    bool correct = report(out, tiles);
    walk_vector<<<1, SIZE * SIZE / VECTOR>>>({out, row_major(SIZE * SIZE / VECTOR, VECTOR)}, a);
    correct = report(out, a_host) && correct;
    walk_share<<<1, 4>>>({out, row_major(4, SIZE * SIZE / 4)}, a);
    correct = report(out, shares) && correct;
    cudaFree(out);
    cudaFree(data);
    return correct ? 0 : 1;
}
