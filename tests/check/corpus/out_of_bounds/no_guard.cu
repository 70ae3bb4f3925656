// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The grid is rounded up, and nothing stops the threads past the end.
#include <cstdio>

__global__ void fill(int* p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef FIXED
    if (i >= n) return;
#endif
    p[i] = i;  // expect: out-of-bounds
}

int main()
{
    const int n = 100;
    int* p;
    cudaMalloc(&p, n * sizeof(int));
    fill<<<(n + 31) / 32, 32>>>(p, n);
    int h[n];
    cudaMemcpy(h, p, n * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i)
        if (h[i] != i) return 1;
    cudaFree(p);
}
