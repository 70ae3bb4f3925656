// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The defect: the taps are loaded under the guard of the input. `b` has CONV elements, but every thread with global_i <
// SIZE reads b[global_i]: threads 3 to 5 read past its end. What they read is never used, so the result is right. The
// corrected twin is 11_conv_1d_simple.cu.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int SIZE = 6;
constexpr int CONV = 3;
constexpr int TPB = 8;  // threads per block

__global__ void conv_1d(float* out, const float* a, const float* b)
{
    __shared__ float shared_a[SIZE];
    __shared__ float shared_b[SIZE];
    int global_i = blockIdx.x * blockDim.x + threadIdx.x;
    int local_i = threadIdx.x;
    if (global_i < SIZE) {
        shared_a[local_i] = a[global_i];
        shared_b[local_i] = b[global_i];
    }
    __syncthreads();

    if (global_i < SIZE) {
        float sum = 0.0f;
        for (int j = 0; j < CONV; ++j)
            if (local_i + j < SIZE)
                sum += shared_a[local_i + j] * shared_b[j];
        out[global_i] = sum;
    }
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
    std::vector<float> a_host(SIZE), b_host(CONV), expected(SIZE, 0.0f);
    for (int i = 0; i < SIZE; ++i)
        a_host[i] = float(i);
    for (int i = 0; i < CONV; ++i)
        b_host[i] = float(i);
    for (int i = 0; i < SIZE; ++i)
        for (int j = 0; j < CONV && i + j < SIZE; ++j)
            expected[i] += a_host[i + j] * b_host[j];
    float* a = to_device(a_host);
    float* b = to_device(b_host);
    float* out = nullptr;
    cudaMalloc(&out, SIZE * sizeof(float));
    conv_1d<<<1, TPB>>>(out, a, b);
    const bool correct = report(out, expected);
    cudaFree(out);
    cudaFree(b);
    cudaFree(a);
    return correct ? 0 : 1;
}
