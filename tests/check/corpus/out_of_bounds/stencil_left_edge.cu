// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// a[i - 1] at i = 0.
#include <cstdio>

__global__ void derivative(const double* a, double* d, int n)
{
    int i = threadIdx.x;
    if (i < n) {
#ifdef FIXED
        d[i] = i > 0 ? a[i] - a[i - 1] : 0.0;
#else
        d[i] = a[i] - a[i - 1];  // expect: out-of-bounds cell=[-1] buffer="a"
#endif
    }
}

int main()
{
    double h[40], *a, *d;
    for (int i = 0; i < 40; i++) h[i] = i * i;
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&d, sizeof h);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    derivative<<<1, 64>>>(a, d, 40);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%g %g\n", h[1], h[39]);
    cudaFree(a);
    cudaFree(d);
}
