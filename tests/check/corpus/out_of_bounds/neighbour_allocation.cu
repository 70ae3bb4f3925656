// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Far past the end of one buffer lies another one.
#include <cstdio>

__global__ void copy(int* a, const int* b, int n, int stride)
{
    int i = threadIdx.x;
    if (i < n) a[i * stride] = b[i];  // expect: out-of-bounds
}

int main()
{
    int *a, *b, h[64] = {};
    cudaMalloc(&a, 64 * sizeof(int));
    cudaMalloc(&b, 64 * sizeof(int));
    cudaMemcpy(b, h, sizeof h, cudaMemcpyHostToDevice);
#ifdef FIXED
    copy<<<1, 64>>>(a, b, 64, 1);
#else
    copy<<<1, 64>>>(a, b, 64, 2);
#endif
    cudaDeviceSynchronize();
    cudaFree(a);
    cudaFree(b);
}
