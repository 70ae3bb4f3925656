// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An asynchronous copy from pinned memory, which the host fills anew before the copy has had to read it.
#include <cstdio>

__global__ void add(int* v, int x) { v[threadIdx.x] += x; }

int main()
{
    int *h, *d, sum = 0;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMallocHost(&h, 64 * sizeof(int));
    cudaMalloc(&d, 64 * sizeof(int));
    for (int i = 0; i < 64; ++i) h[i] = i;
    cudaMemcpyAsync(d, h, 64 * sizeof(int), cudaMemcpyHostToDevice, stream);
    add<<<1, 64, 0, stream>>>(d, 1);
#ifdef FIXED
    cudaStreamSynchronize(stream);
#endif
    h[0] = 100;  // expect: host-access-of-device-memory
    cudaMemcpyAsync(h, d, 64 * sizeof(int), cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    for (int i = 0; i < 64; ++i) sum += h[i];
    cudaStreamDestroy(stream);
    cudaFreeHost(h);
    cudaFree(d);
    return sum == 64 * 65 / 2 ? 0 : 1;
}
