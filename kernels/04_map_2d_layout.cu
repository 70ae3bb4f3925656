// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same as 04_map_2d.cu with tensors that know their layout. Another size: the first argument (up to 31).
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "tensor.h"

__global__ void add_10_2d(Tensor<float> out, Tensor<const float> a)
{
    int row = threadIdx.y;
    int col = threadIdx.x;
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
    const int size = argc > 1 ? std::atoi(argv[1]) : 2;
    std::vector<float> a_host(size * size), expected(size * size);
    for (int i = 0; i < size * size; ++i) {
        a_host[i] = float(i);
        expected[i] = a_host[i] + 10.0f;
    }
    float* a = to_device(a_host);
    float* out = nullptr;
    cudaMalloc(&out, size * size * sizeof(float));
    const Layout layout = row_major(size, size);
    add_10_2d<<<1, dim3(size + 1, size + 1)>>>({out, layout}, {a, layout});
    const bool correct = report(out, expected);
    cudaFree(out);
    cudaFree(a);
    return correct ? 0 : 1;
}
