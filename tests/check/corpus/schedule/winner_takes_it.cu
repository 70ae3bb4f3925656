// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No race: an atomic picks a winner. Who wins is the schedule's, and shows in the result.
// check: --explore 2
#include <cstdio>

__global__ void claim(int* owner, int* count)
{
#ifdef FIXED
    atomicMax(owner, (int)threadIdx.x + 1);
#else
    atomicCAS(owner, 0, threadIdx.x + 1);  // expect: result-depends-on-schedule
#endif
    atomicAdd(count, 1);
}

int main()
{
    int h[2] = {}, *d;
    cudaMalloc(&d, sizeof h);
    cudaMemset(d, 0, sizeof h);
    claim<<<1, 64>>>(d, d + 1);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d %d\n", h[0], h[1]);
    cudaFree(d);
}
