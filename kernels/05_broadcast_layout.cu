// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same as 05_broadcast.cu with tensors: a column (n, 1) and a row (1, n). Another size: the first argument (up to
// 31).
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "tensor.h"

__global__ void broadcast_add(Tensor<float> out, Tensor<const float> a, Tensor<const float> b)
{
    int row = threadIdx.y;
    int col = threadIdx.x;
    if (row < out.rows() && col < out.cols())
        out(row, col) = a(row, 0) + b(0, col);
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
    std::vector<float> a_host(size), expected(size * size);
    for (int i = 0; i < size; ++i)
        a_host[i] = float(i);
    for (int row = 0; row < size; ++row)
        for (int col = 0; col < size; ++col)
            expected[row * size + col] = a_host[row] + a_host[col];
    float* a = to_device(a_host);
    float* b = to_device(a_host);
    float* out = nullptr;
    cudaMalloc(&out, size * size * sizeof(float));
    broadcast_add<<<1, dim3(size + 1, size + 1)>>>({out, row_major(size, size)}, {a, row_major(size, 1)},
                                                   {b, row_major(1, size)});
    const bool correct = report(out, expected);
    cudaFree(out);
    cudaFree(b);
    cudaFree(a);
    return correct ? 0 : 1;
}
