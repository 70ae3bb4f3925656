// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// out = alpha * x + y in a grid-stride loop: any number of blocks does any number of elements. 4096 elements. Another
// size: the first argument.
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void saxpy(float* out, float alpha, const float* x, const float* y, int size)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += gridDim.x * blockDim.x)
        out[i] = alpha * x[i] + y[i];
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
    const int size = argc > 1 ? std::atoi(argv[1]) : 4096;
    const float alpha = 2.0f;
    std::vector<float> x_host(size), y_host(size), expected(size);
    for (int i = 0; i < size; ++i) {
        x_host[i] = float(i);
        y_host[i] = float(i % 10);
        expected[i] = alpha * x_host[i] + y_host[i];
    }
    float* x = to_device(x_host);
    float* y = to_device(y_host);
    float* out = nullptr;
    cudaMalloc(&out, size * sizeof(float));
    saxpy<<<8, 128>>>(out, alpha, x, y, size);
    const bool correct = report(out, expected);
    cudaFree(out);
    cudaFree(y);
    cudaFree(x);
    return correct ? 0 : 1;
}
