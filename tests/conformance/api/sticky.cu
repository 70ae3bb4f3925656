// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a kernel does wrong stays: every later call answers with it. What a call does wrong does not.
#include "check.h"

__global__ void wild(int* data)
{
    data[threadIdx.x] = 1;
}

int main()
{
    int* data = nullptr;
    std::printf("%s\n", cudaGetErrorName(cudaMalloc(&data, size_t(1) << 60)));
    std::printf("%s\n", cudaGetErrorName(cudaPeekAtLastError()));
    std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    wild<<<1, 2000>>>(data);
    std::printf("too many threads: %d\n", cudaGetLastError() != cudaSuccess);
    std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    wild<<<1, 1>>>(nullptr);
    std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    std::printf("%s\n", cudaGetErrorName(cudaMalloc(&data, 4)));
    std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
