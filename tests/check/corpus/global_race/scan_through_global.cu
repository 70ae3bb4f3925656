// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Block totals go through global memory; a block barrier is taken for a grid barrier.
#include <cstdio>

__device__ int totals[8];

__global__ void count(const int* in, int* out)
{
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, in[blockIdx.x * blockDim.x + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) totals[blockIdx.x] = sum;  // expect: global-race
    __syncthreads();
#ifndef FIXED
    int before = 0;
    for (int b = 0; b < blockIdx.x; ++b) before += totals[b];
    out[blockIdx.x * blockDim.x + threadIdx.x] = before;
#endif
}

__global__ void offsets(int* out)
{
    int before = 0;
    for (int b = 0; b < blockIdx.x; ++b) before += totals[b];
    out[blockIdx.x * blockDim.x + threadIdx.x] = before;
}

int main()
{
    int h[128], *in, *out;
    for (int i = 0; i < 128; ++i) h[i] = 1;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    count<<<4, 32>>>(in, out);
#ifdef FIXED
    offsets<<<4, 32>>>(out);
#endif
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d\n", h[127]);
    cudaFree(in);
    cudaFree(out);
}
