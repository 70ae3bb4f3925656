// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// That the sum is volatile does not hand it from one owner of the lock to the next: the fence before unlocking does.
#include <cstdio>

__device__ int lock = 0;

__global__ void add(volatile int* sum)
{
    if (threadIdx.x != 0) return;
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
    __threadfence();
    *sum = *sum + blockIdx.x;  // expect: global-race
#ifdef FIXED
    __threadfence();
#endif
    atomicExch(&lock, 0);
}

int main()
{
    int *sum, r = 0;
    cudaMalloc(&sum, sizeof r);
    cudaMemset(sum, 0, sizeof r);
    add<<<8, 32>>>(sum);
    cudaMemcpy(&r, sum, sizeof r, cudaMemcpyDeviceToHost);
    cudaFree(sum);
    return r == 28 ? 0 : 1;
}
