// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several threads write different values to a "found" index.
#include <cstdio>

__global__ void find(const int* v, int n, int key, int* where)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && v[i] == key)
#ifdef FIXED
        atomicMin(where, i);
#else
        *where = i;  // expect: global-race
#endif
}

int main()
{
    int h[100], *v, *where, r = 1 << 30;
    for (int i = 0; i < 100; ++i) h[i] = i % 10;
    cudaMalloc(&v, sizeof h);
    cudaMalloc(&where, sizeof r);
    cudaMemcpy(v, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemcpy(where, &r, sizeof r, cudaMemcpyHostToDevice);
    find<<<4, 32>>>(v, 100, 3, where);
    cudaMemcpy(&r, where, sizeof r, cudaMemcpyDeviceToHost);
    printf("%d\n", r);
    cudaFree(v);
    cudaFree(where);
}
