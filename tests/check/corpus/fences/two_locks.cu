// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Odd and even threads take different locks for the same total.
#include <cstdio>

__device__ int locks[2];
__device__ int total;

__global__ void add()
{
#ifdef FIXED
    int* lock = &locks[0];
#else
    int* lock = &locks[threadIdx.x % 2];
#endif
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            total = total + 1;  // expect: global-race
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}

int main()
{
    add<<<2, 16>>>();
    int r;
    cudaMemcpyFromSymbol(&r, total, sizeof r);
    printf("%d\n", r);
    return 0;
}
