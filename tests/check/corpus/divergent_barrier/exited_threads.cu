// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads without work return before the barrier: tolerated since Volta, undefined by the language guide.
#include <cstdio>
#define B 64

__global__ void reverse_block(int* v, int n)
{
    __shared__ int s[B];
    int i = threadIdx.x;
#ifndef FIXED
    if (i >= n) return;
#endif
    if (i < n) s[i] = v[i];
    __syncthreads();  // expect: divergent-barrier warning
    if (i < n) v[i] = s[n - 1 - i];
}

int main()
{
    int h[50], *v;
    for (int i = 0; i < 50; ++i) h[i] = i;
    cudaMalloc(&v, sizeof h);
    cudaMemcpy(v, h, sizeof h, cudaMemcpyHostToDevice);
    reverse_block<<<1, B>>>(v, 50);
    cudaMemcpy(h, v, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d\n", h[0]);
    cudaFree(v);
}
