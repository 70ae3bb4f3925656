// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A histogram in pinned memory, looked at while the kernel may still count: its atomics are of device scope.
#include <cuda_runtime.h>
#include <cstdio>
__global__ void histogram(const unsigned char* data, unsigned* bins, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[data[i] & 15], 1u);
}
int main()
{
    unsigned char* data;
    unsigned* bins;
    cudaMalloc(&data, 1000);
    unsigned char host[1000];
    for (int i = 0; i < 1000; ++i)
        host[i] = i;
    cudaMemcpy(data, host, 1000, cudaMemcpyHostToDevice);
    cudaHostAlloc(&bins, 16 * sizeof(unsigned), cudaHostAllocMapped);
    for (int i = 0; i < 16; ++i)
        bins[i] = 0;
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaDeviceSynchronize();
    histogram<<<2, 128, 0, s>>>(data, bins, 1000);
#ifdef FIXED
    cudaStreamSynchronize(s);
#endif
    printf("%u\n", bins[3]);  // expect: host-access-of-device-memory error
    cudaStreamDestroy(s);
    cudaFree(data);
    cudaFreeHost(bins);
}
