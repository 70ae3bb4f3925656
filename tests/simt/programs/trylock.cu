// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A lock that every lane of a warp takes in a loop which the winner leaves: as compiled, behind the loop is where the
// lanes meet again, so that the winner waits there while the others try for its lock.
#include <cstdio>

__device__ int lockWord, counters[2];

__global__ void byCompare()
{
    bool done = false;
    while (!done)
        if (atomicCAS(&lockWord, 0, 1) == 0) {
            __threadfence();
            *(volatile int*)&counters[0] += 1;
            __threadfence();
            atomicExch(&lockWord, 0);
            done = true;
        }
}

__global__ void byExchange()
{
    __shared__ int lock, count;
    if (threadIdx.x == 0)
        lock = count = 0;
    __syncthreads();
    for (bool done = false; !done;)
        if (atomicExch(&lock, 1) == 0) {
            __threadfence_block();
            *(volatile int*)&count += 1;
            __threadfence_block();
            atomicExch(&lock, 0);
            done = true;
        }
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(&counters[1], count);
}

int main()
{
    byCompare<<<4, 64>>>();
    byExchange<<<2, 96>>>();
    int found[2];
    cudaMemcpyFromSymbol(found, counters, sizeof(found));
    if (found[0] != 256 || found[1] != 192) {
        printf("%d %d\n", found[0], found[1]);
        return 1;
    }
    printf("ok\n");
}
