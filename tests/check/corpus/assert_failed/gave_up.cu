// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel that gives up on input it was not written for.
#include <cstdio>

__global__ void invert(float* x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (x[i] == 0) __trap();  // expect: assert-failed count=1
    x[i] = 1 / x[i];
}

int main()
{
    float h[40], *x;
#ifdef FIXED
    for (int i = 0; i < 40; ++i) h[i] = i + 1;
#else
    for (int i = 0; i < 40; ++i) h[i] = i - 3;
#endif
    cudaMalloc(&x, sizeof h);
    cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
    invert<<<2, 32>>>(x, 40);
    cudaError_t error = cudaMemcpy(h, x, sizeof h, cudaMemcpyDeviceToHost);
    printf("%s\n", cudaGetErrorString(error));
    error = cudaFree(x);
    return error == cudaSuccess ? 0 : 1;
}
