// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each block has a counter of its own: atomics of block scope are enough.
#include <cstdio>

__global__ void countPositive(const int* in, int n, int* counts)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > 0)
        atomicAdd_block(&counts[blockIdx.x], 1);
}

int main()
{
    int h[256], *in, *counts, r[4];
    for (int i = 0; i < 256; ++i)
        h[i] = i % 2;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&counts, sizeof r);
    cudaMemset(counts, 0, sizeof r);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    countPositive<<<4, 64>>>(in, 256, counts);
    cudaMemcpy(r, counts, sizeof r, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(counts);
    return r[3] == 32 ? 0 : 1;
}
