// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An atomic counter that nobody set to zero.
#include <cstdio>

__global__ void count_positive(const int* v, int n, int* counter)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n && v[i] > 0)
        atomicAdd(counter, 1);  // expect: uninitialised-read
}

int main()
{
    int h[64], *v, *counter, r;
    for (int i = 0; i < 64; ++i) h[i] = i - 20;
    cudaMalloc(&v, sizeof h);
    cudaMalloc(&counter, sizeof(int));
#ifdef FIXED
    cudaMemset(counter, 0, sizeof(int));
#endif
    cudaMemcpy(v, h, sizeof h, cudaMemcpyHostToDevice);
    count_positive<<<2, 32>>>(v, 64, counter);
    cudaMemcpy(&r, counter, sizeof r, cudaMemcpyDeviceToHost);
    printf("%d\n", r);
    cudaFree(v);
    cudaFree(counter);
}
