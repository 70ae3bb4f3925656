// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The defect: every thread adds its product to out[0] with `+=`. Reading, adding and writing are three steps: threads
// that read the same value lose each other's additions. The corrected twin is 10_dot_product.cu.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int SIZE = 8;
constexpr int TPB = 8;  // threads per block

__global__ void dot_product(float* out, const float* a, const float* b, int size)
{
    __shared__ float shared[TPB];
    int global_i = blockIdx.x * blockDim.x + threadIdx.x;
    int local_i = threadIdx.x;
    if (global_i < size)
        shared[local_i] = a[global_i] * b[global_i];
    __syncthreads();

    if (global_i < size)
        out[0] += shared[local_i];
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
    std::vector<float> a_host(SIZE), expected(1, 0.0f);
    for (int i = 0; i < SIZE; ++i) {
        a_host[i] = float(i);
        expected[0] += a_host[i] * a_host[i];
    }
    float* a = to_device(a_host);
    float* b = to_device(a_host);
    float* out = nullptr;
    cudaMalloc(&out, sizeof(float));
    cudaMemset(out, 0, sizeof(float));
    dot_product<<<1, TPB>>>(out, a, b, SIZE);
    const bool correct = report(out, expected);
    cudaFree(out);
    cudaFree(b);
    cudaFree(a);
    return correct ? 0 : 1;
}
