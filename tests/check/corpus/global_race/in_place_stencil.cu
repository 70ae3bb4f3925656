// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stencil writes the array that its neighbours read.
#include <cstdio>

__global__ void smooth(float* out, const float* in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1)
        out[i] = (in[i - 1] + in[i] + in[i + 1]) / 3.0f;  // expect: global-race
}

int main()
{
    const int n = 128;
    float h[n];
    for (int i = 0; i < n; ++i) h[i] = i % 7;
    float *a, *b;
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&b, sizeof h);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemcpy(b, h, sizeof h, cudaMemcpyHostToDevice);
#ifdef FIXED
    smooth<<<4, 32>>>(b, a, n);
#else
    smooth<<<4, 32>>>(a, a, n);
#endif
    cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost);
    printf("%g\n", h[5]);
    cudaFree(a);
    cudaFree(b);
}
