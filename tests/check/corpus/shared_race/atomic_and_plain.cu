// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A histogram bin that is added to atomically and cleared plainly in the same epoch.
#include <cstdio>
#define BINS 8

__global__ void histogram(const unsigned char* data, int n, unsigned* bins)
{
    __shared__ unsigned local[BINS];
    if (threadIdx.x < BINS)
        local[threadIdx.x] = 0;  // expect: shared-race
#ifdef FIXED
    __syncthreads();
#endif
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        atomicAdd(&local[data[i] % BINS], 1u);
    __syncthreads();
    if (threadIdx.x < BINS)
        bins[threadIdx.x] = local[threadIdx.x];
}

int main()
{
    unsigned char h[500];
    for (int i = 0; i < 500; ++i) h[i] = (unsigned char)(i * 7);
    unsigned char* data;
    unsigned *bins, r[BINS];
    cudaMalloc(&data, 500);
    cudaMalloc(&bins, BINS * sizeof(unsigned));
    cudaMemcpy(data, h, 500, cudaMemcpyHostToDevice);
    histogram<<<1, 64>>>(data, 500, bins);
    cudaMemcpy(r, bins, sizeof(r), cudaMemcpyDeviceToHost);
    unsigned sum = 0;
    for (unsigned v : r) sum += v;
    printf("%u\n", sum);
    cudaFree(data);
    cudaFree(bins);
}
