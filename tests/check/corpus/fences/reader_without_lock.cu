// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writers hold the lock; a reader does not.
#include <cstdio>

__device__ int lock;
__device__ int pair[2];

__device__ void acquire()
{
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
    __threadfence();
}

__device__ void release()
{
    __threadfence();
    atomicExch(&lock, 0);
}

__global__ void work(int* seen)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x < 2) {
        acquire();
        pair[0] += 1;  // expect: global-race
        pair[1] += 1;  // expect: global-race
        release();
    } else {
#ifdef FIXED
        acquire();
#endif
        *seen = pair[0] - pair[1];
#ifdef FIXED
        release();
#endif
    }
}

int main()
{
    int *seen, r;
    cudaMalloc(&seen, sizeof r);
    work<<<3, 32>>>(seen);
    cudaMemcpy(&r, seen, sizeof r, cudaMemcpyDeviceToHost);
    cudaFree(seen);
    return r;
}
