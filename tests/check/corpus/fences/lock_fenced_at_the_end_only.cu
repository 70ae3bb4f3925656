// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A lock that is given back behind a fence but taken without one: the counter may come out of a cache.
#include <cstdio>

__device__ int lock = 0;

__global__ void add(int* counter)
{
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
#ifdef FIXED
    __threadfence();
#endif
    *counter += 1;  // expect: global-race warning
    __threadfence();
    atomicExch(&lock, 0);
}

int main()
{
    int r, *counter;
    cudaMalloc(&counter, sizeof r);
    cudaMemset(counter, 0, sizeof r);
    add<<<6, 1>>>(counter);
    cudaMemcpy(&r, counter, sizeof r, cudaMemcpyDeviceToHost);
    cudaFree(counter);
    return r == 6 ? 0 : 1;
}
