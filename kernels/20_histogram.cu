// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A histogram with atomics: each block counts in shared memory, where atomics are cheap, and adds its counts to the
// result at the end. 16384 values, 16 bins. Another number of values: the first argument.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int BINS = 16;
constexpr int TPB = 256;  // threads per block

__global__ void histogram(float* out, const float* a, int size)
{
    __shared__ unsigned int counts[BINS];
    if (threadIdx.x < BINS)
        counts[threadIdx.x] = 0;
    __syncthreads();

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += gridDim.x * blockDim.x)
        atomicAdd(&counts[int(a[i])], 1u);
    __syncthreads();

    if (threadIdx.x < BINS)
        atomicAdd(&out[threadIdx.x], float(counts[threadIdx.x]));
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
    const int size = argc > 1 ? std::atoi(argv[1]) : 16384;
    std::vector<float> a_host(size), expected(BINS, 0.0f);
    for (int i = 0; i < size; ++i) {
        a_host[i] = float(i * i / 7 % BINS);
        expected[int(a_host[i])] += 1.0f;
    }
    float* a = to_device(a_host);
    float* out = nullptr;
    cudaMalloc(&out, BINS * sizeof(float));
    cudaMemset(out, 0, BINS * sizeof(float));
    histogram<<<8, TPB>>>(out, a, size);
    const bool correct = report(out, expected);
    cudaFree(out);
    cudaFree(a);
    return correct ? 0 : 1;
}
