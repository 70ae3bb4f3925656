// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Looks at the maximum before it updates that by compare-and-swap, to save the trouble: a plain read of what others
// update.
#include <cstdio>

__device__ float maximum(float* cell, float value)
{
    int seen = __float_as_int(*cell);
    while (__int_as_float(seen) < value) {
        int expected = seen;
        seen = atomicCAS((int*)cell, expected, __float_as_int(value));
        if (seen == expected) break;
    }
    return __int_as_float(seen);
}

__global__ void largest(const float* in, float* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
#ifndef FIXED
    if (out[0] >= in[i]) return;  // expect: global-race
#endif
    maximum(out, in[i]);
}

int main()
{
    const int n = 128;
    float h[n];
    for (int i = 0; i < n; ++i) h[i] = i * 37 % 101;
    float *in, *out;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, sizeof(float));
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof(float));
    largest<<<4, 32>>>(in, out, n);
    cudaMemcpy(h, out, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\n", h[0]);
    cudaFree(in);
    cudaFree(out);
}
