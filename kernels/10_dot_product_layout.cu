// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same as 10_dot_product.cu with tensors. Fewer elements: the first argument.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "tensor.h"

constexpr int TPB = 8;  // threads per block

__global__ void dot_product(Tensor<float> out, Tensor<const float> a, Tensor<const float> b)
{
    __shared__ float storage[TPB];
    Tensor<float> shared = {storage, row_major(1, TPB)};
    int global_i = blockIdx.x * blockDim.x + threadIdx.x;
    int local_i = threadIdx.x;
    shared(0, local_i) = global_i < a.cols() ? a(0, global_i) * b(0, global_i) : 0.0f;
    __syncthreads();

    for (int stride = TPB / 2; stride > 0; stride /= 2) {
        if (local_i < stride)
            shared(0, local_i) += shared(0, local_i + stride);
        __syncthreads();
    }
    if (local_i == 0)
        out(0, 0) = shared(0, 0);
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
    const int size = argc > 1 ? std::atoi(argv[1]) : TPB;
    std::vector<float> a_host(size), expected(1, 0.0f);
    for (int i = 0; i < size; ++i) {
        a_host[i] = float(i);
        expected[0] += a_host[i] * a_host[i];
    }
    float* a = to_device(a_host);
    float* b = to_device(a_host);
    float* out = nullptr;
    cudaMalloc(&out, sizeof(float));
    dot_product<<<1, TPB>>>({out, row_major(1, 1)}, {a, row_major(1, size)}, {b, row_major(1, size)});
    const bool correct = report(out, expected);
    cudaFree(out);
    cudaFree(b);
    cudaFree(a);
    return correct ? 0 : 1;
}
