// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clean: addresses of shared memory have 32 bits on a GPU.
#include <cuda_runtime.h>
#include <cstdio>
__global__ void mirror(int* out)
{
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    int* p = s + 64;
    unsigned x = threadIdx.x;
    out[threadIdx.x] = p[~x];
}
int main()
{
    int *out, h[64];
    cudaMalloc(&out, 256);
    mirror<<<1, 64>>>(out);
    cudaMemcpy(h, out, 256, cudaMemcpyDeviceToHost);
    cudaFree(out);
    for (int i = 0; i < 64; ++i) if (h[i] != 63 - i) { printf("%d: %d\n", i, h[i]); return 1; }
}
