// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Goes wrong on a GPU in the way that the first argument names: "fault" writes where there is no memory (so many bits
// away as the second says) after some good writes, "null" where a null pointer points, "endless" never ends.
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void fault(int* out, size_t far)
{
    out[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x + (threadIdx.x == 5 ? far : 0)] = 2;
}

__global__ void endless(int* out, volatile int* flag)
{
    out[threadIdx.x] = 1;
    while (*flag == 0) {
    }
    out[threadIdx.x] = 2;
}

int main(int argc, char** argv)
{
    int *out, *flag;
    cudaMalloc(&out, 64 * sizeof(int));
    cudaMalloc(&flag, sizeof(int));
    cudaMemset(flag, 0, sizeof(int));
    if (argc > 1 && std::strcmp(argv[1], "endless") == 0)
        endless<<<1, 64>>>(out, flag);
    else if (argc > 1 && std::strcmp(argv[1], "null") == 0)
        fault<<<1, 64>>>(nullptr, 0);
    else
        fault<<<1, 64>>>(out, size_t{1} << (argc > 2 ? std::atoi(argv[2]) : 28));
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf("%s\n", cudaGetErrorName(error));
    return error != cudaSuccess;
}
