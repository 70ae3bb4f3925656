// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several threads set a flag to the same value, which is harmless; the others read it before they know that it is set.
#include <cstdio>

__global__ void mark_large(const int* v, int* out)
{
    __shared__ int any;
    if (threadIdx.x == 0) any = 0;  // expect-fixed: dead-shared-store
    __syncthreads();
    if (v[threadIdx.x] > 90) any = 1;  // expect: shared-race
#ifdef FIXED
    __syncthreads();
#endif
    out[threadIdx.x] = any;
}

int main()
{
    int h[64], *v, *out, sum = 0;
    for (int i = 0; i < 64; ++i) h[i] = i * 3 % 100;
    cudaMalloc(&v, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMemcpy(v, h, sizeof h, cudaMemcpyHostToDevice);
    mark_large<<<1, 64>>>(v, out);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 64; ++i) sum += h[i];
    cudaFree(v);
    cudaFree(out);
    return sum == 64 ? 0 : 1;
}
