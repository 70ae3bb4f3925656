// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same as 08_shared.cu with tensors, one of them over shared memory. Another size: the first argument.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "tensor.h"

constexpr int TPB = 4;  // threads per block

__global__ void add_10_shared(Tensor<float> out, Tensor<const float> a)
{
    __shared__ float storage[TPB];
    Tensor<float> shared = {storage, row_major(1, TPB)};
    int global_i = blockIdx.x * blockDim.x + threadIdx.x;
    int local_i = threadIdx.x;

    if (global_i < out.cols())
        shared(0, local_i) = a(0, global_i);
    __syncthreads();

    if (global_i < out.cols())
        out(0, global_i) = shared(0, local_i) + 10.0f;
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
    const int size = argc > 1 ? std::atoi(argv[1]) : 8;
    const std::vector<float> a_host(size, 1.0f), expected(size, 11.0f);
    float* a = to_device(a_host);
    float* out = nullptr;
    cudaMalloc(&out, size * sizeof(float));
    const Layout layout = row_major(1, size);
    add_10_shared<<<(size + TPB - 1) / TPB, TPB>>>({out, layout}, {a, layout});
    const bool correct = report(out, expected);
    cudaFree(out);
    cudaFree(a);
    return correct ? 0 : 1;
}
