// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// More threads than elements: those that have none are kept away by a guard. 4 elements, 8 threads. Another size: the
// first argument (up to 1020).
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void add_10_guard(float* out, const float* a, int size)
{
    int i = threadIdx.x;
    if (i < size)
        out[i] = a[i] + 10.0f;
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
    const int threads = size + 4;
    std::vector<float> a_host(size), expected(size);
    for (int i = 0; i < size; ++i) {
        a_host[i] = float(i);
        expected[i] = a_host[i] + 10.0f;
    }
    float* a = to_device(a_host);
    float* out = nullptr;
    cudaMalloc(&out, size * sizeof(float));
    add_10_guard<<<1, threads>>>(out, a, size);
    const bool correct = report(out, expected);
    cudaFree(out);
    cudaFree(a);
    return correct ? 0 : 1;
}
