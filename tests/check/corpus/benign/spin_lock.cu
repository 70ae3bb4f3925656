// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A lock in global memory protects a plain counter.
#include <cstdio>

__device__ int lock = 0;
__device__ int counter = 0;

__global__ void add()
{
    bool done = false;
    while (!done) {
        if (atomicCAS(&lock, 0, 1) == 0) {
            __threadfence();
            counter = counter + 1;
            __threadfence();
            atomicExch(&lock, 0);
            done = true;
        }
    }
}

int main()
{
    add<<<3, 8>>>();
    int r;
    cudaMemcpyFromSymbol(&r, counter, sizeof r);
    return r == 24 ? 0 : 1;
}
