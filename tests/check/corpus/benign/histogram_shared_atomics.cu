// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Private histogram in shared memory, merged with global atomics.
#include <cstdio>
#define BINS 16

__global__ void histogram(const unsigned* data, unsigned n, unsigned* out)
{
    __shared__ unsigned h[BINS];
    if (threadIdx.x < BINS) h[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&h[data[i] & (BINS - 1)], 1);
    __syncthreads();
    if (threadIdx.x < BINS) atomicAdd(&out[threadIdx.x], h[threadIdx.x]);
}

int main()
{
    static unsigned h[1000];
    for (unsigned i = 0; i < 1000; ++i) h[i] = i * 2654435761u >> 20;
    unsigned *data, *out, r[BINS], sum = 0;
    cudaMalloc(&data, sizeof h);
    cudaMalloc(&out, sizeof r);
    cudaMemcpy(data, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof r);
    histogram<<<4, 64>>>(data, 1000, out);
    cudaMemcpy(r, out, sizeof r, cudaMemcpyDeviceToHost);
    for (unsigned v : r) sum += v;
    cudaFree(data);
    cudaFree(out);
    return sum == 1000 ? 0 : 1;
}
