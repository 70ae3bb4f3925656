// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A lock whose first taker does not fence after taking it: had the other block been first, this write could have
// overtaken the lock. Both are volatile, and both blocks fence before they give the lock back.
#include <cstdio>

__device__ int lock = 0;

__global__ void write(volatile int* cell)
{
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
    if (blockIdx.x == 0) {
#ifdef FIXED
        __threadfence();
#endif
        *cell = 1;
    } else {
        __threadfence();
        *cell = 2;  // expect: global-race warning
    }
    __threadfence();
    atomicExch(&lock, 0);
}

int main()
{
    int r, *cell;
    cudaMalloc(&cell, sizeof r);
    write<<<2, 1>>>(cell);
    cudaMemcpy(&r, cell, sizeof r, cudaMemcpyDeviceToHost);
    printf("%d\n", r);
    cudaFree(cell);
}
