// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same as 07_blocks_2d.cu with tensors. Another size: the first argument.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "tensor.h"

constexpr int TPB = 3;  // threads per block, each way

__global__ void add_10_blocks_2d(Tensor<float> out, Tensor<const float> a)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < out.rows() && col < out.cols())
        out(row, col) = a(row, col) + 10.0f;
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
    const int size = argc > 1 ? std::atoi(argv[1]) : 5;
    const int blocks = (size + TPB - 1) / TPB;
    const std::vector<float> a_host(size * size, 1.0f), expected(size * size, 11.0f);
    float* a = to_device(a_host);
    float* out = nullptr;
    cudaMalloc(&out, size * size * sizeof(float));
    const Layout layout = row_major(size, size);
    add_10_blocks_2d<<<dim3(blocks, blocks), dim3(TPB, TPB)>>>({out, layout}, {a, layout});
    const bool correct = report(out, expected);
    cudaFree(out);
    cudaFree(a);
    return correct ? 0 : 1;
}
