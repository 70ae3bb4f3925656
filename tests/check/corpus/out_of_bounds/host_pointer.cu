// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel is given the host's array.
#include <cstdio>

__global__ void sum(const int* v, int n, int* out)
{
    int s = 0;
    for (int i = 0; i < n; ++i) s += v[i];  // expect: out-of-bounds
    *out = s;
}

int main()
{
    int h[16], *d, *out, r = 0;
    for (int i = 0; i < 16; ++i) h[i] = i;
    cudaMalloc(&d, sizeof h);
    cudaMalloc(&out, 4);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
#ifdef FIXED
    sum<<<1, 1>>>(d, 16, out);
#else
    sum<<<1, 1>>>(h, 16, out);
#endif
    if (cudaMemcpy(&r, out, 4, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    printf("%d\n", r);
    cudaFree(d);
    cudaFree(out);
    return 0;
}
