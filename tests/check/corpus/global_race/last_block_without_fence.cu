// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The last block sums what the others stored, but nobody fences between the store and the ticket.
#include <cstdio>
#define BLOCKS 6

__device__ unsigned ticket = 0;

__global__ void reduce(const float* in, float* partial, float* result)
{
    __shared__ float s[64];
    __shared__ bool last;
    s[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    for (int d = 32; d > 0; d >>= 1) {
        if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = s[0];  // expect: global-race
#ifdef FIXED
        __threadfence();
#endif
        last = atomicInc(&ticket, BLOCKS) == BLOCKS - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
#ifdef FIXED
        __threadfence();
#endif
        float total = 0;
        for (int b = 0; b < BLOCKS; ++b) total += partial[b];
        *result = total;
    }
}

int main()
{
    float h[BLOCKS * 64], *in, *partial, *result, r;
    for (float& v : h) v = 1;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&partial, BLOCKS * sizeof(float));
    cudaMalloc(&result, sizeof r);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    reduce<<<BLOCKS, 64>>>(in, partial, result);
    cudaMemcpy(&r, result, sizeof r, cudaMemcpyDeviceToHost);
    printf("%g\n", r);
    cudaFree(in);
    cudaFree(partial);
    cudaFree(result);
}
