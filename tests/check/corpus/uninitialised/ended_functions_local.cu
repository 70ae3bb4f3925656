// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The address of a local of a function that has returned.
#include <cuda_runtime.h>
__device__ __noinline__ int* squares(int i)
{
    int table[4];
    for (int k = 0; k < 4; ++k) table[k] = (i + k) * (i + k);
    int* p = table;
    return p;
}
__device__ __noinline__ void filled(int* table, int i)
{
    for (int k = 0; k < 4; ++k) table[k] = (i + k) * (i + k);
}
__global__ void k(int* out)
{
#ifdef FIXED
    int t[4];
    filled(t, threadIdx.x);
    int* p = t;
#else
    int* p = squares(threadIdx.x);
#endif
    out[threadIdx.x] = p[2];  // expect: uninitialised-read
}
int main()
{
    int* out;
    cudaMalloc(&out, 128);
    k<<<1, 32>>>(out);
    int host[32]; cudaMemcpy(host, out, 128, cudaMemcpyDeviceToHost);
    cudaFree(out);
}
