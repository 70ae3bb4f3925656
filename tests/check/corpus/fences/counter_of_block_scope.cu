// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All blocks count in one place, with atomics that are only atomic within a block.
#include <cstdio>

__global__ void countPositive(const int* in, int n, int* count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > 0)
#ifdef FIXED
        atomicAdd(count, 1);
#else
        atomicAdd_block(count, 1);  // expect: global-race
#endif
}

int main()
{
    int h[256], *in, *count, r;
    for (int i = 0; i < 256; ++i)
        h[i] = i % 2;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&count, sizeof r);
    cudaMemset(count, 0, sizeof r);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    countPositive<<<4, 64>>>(in, 256, count);
    cudaMemcpy(&r, count, sizeof r, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(count);
    return r == 128 ? 0 : 1;
}
