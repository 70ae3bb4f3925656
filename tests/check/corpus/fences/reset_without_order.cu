// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plain store, volatile or not, sets back a counter that other blocks are still adding to.
#include <cstdio>

__global__ void count(int* counter, const int* v)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifndef FIXED
    if (i == 0) *(volatile int*)counter = 0;  // expect: global-race
#endif
    if (v[i] > 0) atomicAdd(counter, 1);
}

int main()
{
    int h[128], *v, *counter, r = 0;
    for (int i = 0; i < 128; ++i) h[i] = 1;
    cudaMalloc(&v, sizeof h);
    cudaMalloc(&counter, sizeof r);
    cudaMemset(counter, 0, sizeof r);
    cudaMemcpy(v, h, sizeof h, cudaMemcpyHostToDevice);
    count<<<2, 64>>>(counter, v);
    cudaMemcpy(&r, counter, sizeof r, cudaMemcpyDeviceToHost);
    cudaFree(v);
    cudaFree(counter);
    return r == 128 ? 0 : 1;
}
