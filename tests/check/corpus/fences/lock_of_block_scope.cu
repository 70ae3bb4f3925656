// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lock is taken with atomics that only threads of the same block are sure to see.
#include <cstdio>

__device__ int lock;  // 0: free
__device__ int total;

__global__ void add(int n)
{
    if (threadIdx.x != 0)
        return;
#ifdef FIXED
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
#else
    while (atomicCAS_block(&lock, 0, 1) != 0) {  // expect: global-race, global-race
    }
#endif
    __threadfence();
    total += n;  // expect: global-race
    __threadfence();
#ifdef FIXED
    atomicExch(&lock, 0);
#else
    atomicExch_block(&lock, 0);  // expect: global-race
#endif
}

int main()
{
    add<<<4, 32>>>(3);
    int r;
    cudaMemcpyFromSymbol(&r, total, sizeof r);
    return r == 12 ? 0 : 1;
}
