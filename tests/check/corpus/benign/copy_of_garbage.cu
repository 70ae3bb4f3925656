// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole tiles are copied, garbage and all; only what was set is used.
#include <cstdio>

__global__ void copy_tile(const float* in, float* out, int n)
{
    __shared__ float s[64];
    int i = threadIdx.x;
    if (i < n) s[i] = in[i] * 2;
    __syncthreads();
    out[i] = s[i];
}

__global__ void use(const float* a, float* b, int n)
{
    int i = threadIdx.x;
    if (i < n) b[i] = a[i] > 5 ? 1 : 0;
}

int main()
{
    float h[40], *a, *b, *c;
    for (int i = 0; i < 40; ++i) h[i] = i;
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&b, 64 * sizeof(float));
    cudaMalloc(&c, sizeof h);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    copy_tile<<<1, 64>>>(a, b, 40);
    use<<<1, 64>>>(b, c, 40);
    cudaMemcpy(h, c, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    return h[2] == 0 && h[3] == 1 ? 0 : 1;
}
