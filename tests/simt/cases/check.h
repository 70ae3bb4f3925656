// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs one __host__ __device__ function for every thread on the device and for every index on the host, and compares.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <vector>

/// \p Case: struct with `static constexpr int kBlocks, kThreads` and `__host__ __device__ static T run(int index)`.
template <typename Case, typename T>
__global__ void runCase(T* out)
{
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    out[index] = Case::run(index);
}

template <typename Case, typename T>
int checkCase(const char* name)
{
    const int count = Case::kBlocks * Case::kThreads;
    std::vector<T> out(count), expected(count);
    T* device;
    cudaMalloc(&device, count * sizeof(T));
    runCase<Case, T><<<Case::kBlocks, Case::kThreads>>>(device);
    cudaMemcpy(out.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost);
    cudaFree(device);
    if (cudaError_t error = cudaGetLastError()) {
        printf("%s: %s\n", name, cudaGetErrorString(error));
        return 1;
    }
    int wrong = 0;
    for (int i = 0; i < count; ++i) {
        expected[i] = Case::run(i);
        wrong += std::memcmp(&expected[i], &out[i], sizeof(T)) != 0;
    }
    printf("%s: %s\n", name, wrong ? "wrong" : "right");
    return wrong != 0;
}
