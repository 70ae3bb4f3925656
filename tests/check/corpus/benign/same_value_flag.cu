// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many threads set the same flag: the value is the same whoever comes last.
#include <cstdio>

__global__ void any_negative(const int* v, int n, int* found)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && v[i] < 0) *found = 1;
}

int main()
{
    int h[200], *v, *found, r = 0;
    for (int i = 0; i < 200; ++i) h[i] = i % 3 ? i : -i;
    cudaMalloc(&v, sizeof h);
    cudaMalloc(&found, sizeof r);
    cudaMemcpy(v, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemset(found, 0, sizeof r);
    any_negative<<<4, 64>>>(v, 200, found);
    cudaMemcpy(&r, found, sizeof r, cudaMemcpyDeviceToHost);
    cudaFree(v);
    cudaFree(found);
    return r == 1 ? 0 : 1;
}
