// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A transpose through shared memory whose rows are one cell longer than the tile is wide: the cells of a column lie in
// 32 different banks. 64x64 elements. Another multiple of 32: the first argument.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int TILE = 32;  // threads per block and tile width, each way

__global__ void transpose(float* out, const float* a, int size)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = threadIdx.x;
    int y = threadIdx.y;
    tile[y][x] = a[(blockIdx.y * TILE + y) * size + blockIdx.x * TILE + x];
    __syncthreads();

    out[(blockIdx.x * TILE + y) * size + blockIdx.y * TILE + x] = tile[x][y];
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
    const int size = argc > 1 ? std::atoi(argv[1]) : 64;
    std::vector<float> a_host(size * size), expected(size * size);
    for (int row = 0; row < size; ++row)
        for (int col = 0; col < size; ++col) {
            a_host[row * size + col] = float(row * size + col);
            expected[col * size + row] = a_host[row * size + col];
        }
    float* a = to_device(a_host);
    float* out = nullptr;
    cudaMalloc(&out, size * size * sizeof(float));
    transpose<<<dim3(size / TILE, size / TILE), dim3(TILE, TILE)>>>(out, a, size);
    const bool correct = report(out, expected);
    cudaFree(out);
    cudaFree(a);
    return correct ? 0 : 1;
}
