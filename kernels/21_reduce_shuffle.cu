// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A sum with warp shuffles: the lanes of a warp hand their sums to each other without shared memory, the warps of a
// block through one cell each, the blocks through an atomic addition. 16384 elements. Another size: the first argument.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int TPB = 256;  // threads per block
constexpr unsigned int ALL_LANES = 0xffffffffu;

__device__ float sum_of_warp(float value)
{
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_down_sync(ALL_LANES, value, offset);
    return value;  // in lane 0
}

__global__ void reduce(float* out, const float* a, int size)
{
    __shared__ float warp_sums[TPB / 32];
    int warp = threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    float value = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += gridDim.x * blockDim.x)
        value += a[i];

    value = sum_of_warp(value);
    if (lane == 0)
        warp_sums[warp] = value;
    __syncthreads();

    if (warp == 0) {
        value = sum_of_warp(lane < TPB / 32 ? warp_sums[lane] : 0.0f);
        if (lane == 0)
            atomicAdd(out, value);
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

int main(int argc, char** argv)
{
    const int size = argc > 1 ? std::atoi(argv[1]) : 16384;
    std::vector<float> a_host(size), expected(1, 0.0f);
    for (int i = 0; i < size; ++i) {
        a_host[i] = float(i % 16);
        expected[0] += a_host[i];
    }
    float* a = to_device(a_host);
    float* out = nullptr;
    cudaMalloc(&out, sizeof(float));
    cudaMemset(out, 0, sizeof(float));
    reduce<<<8, TPB>>>(out, a, size);
    const bool correct = report(out, expected);
    cudaFree(out);
    cudaFree(a);
    return correct ? 0 : 1;
}
