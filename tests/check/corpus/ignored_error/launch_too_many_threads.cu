// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 2048 threads in a block: nothing runs, and nobody asks.
#include <cstdio>

__global__ void set(int* p) { p[0] = 1; }

int main()
{
    int* p;
    cudaMalloc(&p, sizeof(int));
    cudaMemset(p, 0, sizeof(int));
#ifdef FIXED
    set<<<1, 1024>>>(p);
#else
    set<<<1, 2048>>>(p);  // expect: ignored-error warning
#endif
    int h = 0;
    cudaMemcpy(&h, p, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d\n", h);
    cudaFree(p);
}
