// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loop runs once too often over the taps in constant memory.
#include <cstdio>

#define TAPS 5
__constant__ float taps[TAPS];

__global__ void fir(const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float acc = 0;
#ifdef FIXED
    for (int k = 0; k < TAPS; ++k)
#else
    for (int k = 0; k <= TAPS; ++k)
#endif
        if (i >= k) acc += taps[k] * x[i - k];  // expect: out-of-bounds
    y[i] = acc;
}

int main()
{
    float h[50], t[TAPS] = {1, 1, 1, 1, 1}, *x, *y;
    for (int i = 0; i < 50; ++i) h[i] = 1;
    cudaMemcpyToSymbol(taps, t, sizeof t);
    cudaMalloc(&x, sizeof h);
    cudaMalloc(&y, sizeof h);
    cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
    fir<<<2, 32>>>(x, y, 50);
    cudaMemcpy(h, y, sizeof h, cudaMemcpyDeviceToHost);
    printf("%g\n", h[49]);
    cudaFree(x);
    cudaFree(y);
}
