// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two blocks take two locks, each in its own order, and each waits for the one that the other has.
#include <cstdio>

__device__ int locks[2];
__device__ int arrived;
__device__ int total;

__device__ void take(int* lock)
{
    while (atomicCAS(lock, 0, 1) != 0)  // expect: livelock count=2
        __nanosleep(20);
    __threadfence();
}

__device__ void give(int* lock)
{
    __threadfence();
    atomicExch(lock, 0);
}

__global__ void transfer()
{
#ifdef FIXED
    int first = 0;
#else
    int first = blockIdx.x;
    // Both have their first lock before they ask for the second.
    take(&locks[first]);
    atomicAdd(&arrived, 1);
    while (atomicAdd(&arrived, 0) < 2) {
    }
#endif
#ifdef FIXED
    take(&locks[first]);
#endif
    take(&locks[1 - first]);
    atomicAdd(&total, 1);
    give(&locks[1 - first]);
    give(&locks[first]);
}

int main()
{
    transfer<<<2, 1>>>();
    cudaError_t error = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(error));
    return error == cudaSuccess ? 0 : 1;
}
