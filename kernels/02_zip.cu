// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two inputs, one thread per element: out[i] = a[i] + b[i]. 1 block of 4 threads. Another size: the first argument (up
// to 1024).
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void add(float* out, const float* a, const float* b)
{
    int i = threadIdx.x;
    out[i] = a[i] + b[i];
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
    const int size = argc > 1 ? std::atoi(argv[1]) : 4;
    std::vector<float> a_host(size), expected(size);
    for (int i = 0; i < size; ++i) {
        a_host[i] = float(i);
        expected[i] = 2.0f * a_host[i];
    }
    float* a = to_device(a_host);
    float* b = to_device(a_host);
    float* out = nullptr;
    cudaMalloc(&out, size * sizeof(float));
    add<<<1, size>>>(out, a, b);
    const bool correct = report(out, expected);
    cudaFree(out);
    cudaFree(b);
    cudaFree(a);
    return correct ? 0 : 1;
}
