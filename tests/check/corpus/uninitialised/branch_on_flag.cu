// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A flag that only one path sets decides a branch.
#include <cstdio>

__global__ void mark(const int* v, int* out, int n)
{
    int i = threadIdx.x;
    if (i >= n) return;
#ifdef FIXED
    bool big = false;
#else
    bool big;
#endif
    if (v[i] > 10) big = true;
    if (big)  // expect: uninitialised-read
        out[i] = 1;
    else
        out[i] = 0;
}

int main()
{
    int h[32], *v, *out;
    for (int i = 0; i < 32; ++i) h[i] = i;
    cudaMalloc(&v, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMemcpy(v, h, sizeof h, cudaMemcpyHostToDevice);
    mark<<<1, 32>>>(v, out, 32);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d\n", h[31]);
    cudaFree(v);
    cudaFree(out);
}
