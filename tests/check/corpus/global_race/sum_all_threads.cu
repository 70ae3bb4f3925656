// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Everybody adds to one cell without an atomic.
#include <cstdio>

__global__ void dot(const float* a, const float* b, float* out)
{
    __shared__ float p[64];
    p[threadIdx.x] = a[threadIdx.x] * b[threadIdx.x];
    __syncthreads();
#ifdef FIXED
    atomicAdd(out, p[threadIdx.x]);
#else
    out[0] += p[threadIdx.x];  // expect: global-race error
#endif
}

int main()
{
    float h[64], r = 0, *a, *out;
    for (int i = 0; i < 64; ++i) h[i] = 1;
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&out, sizeof r);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof r);
    dot<<<1, 64>>>(a, a, out);
    cudaMemcpy(&r, out, sizeof r, cudaMemcpyDeviceToHost);
    printf("%g\n", r);
    cudaFree(a);
    cudaFree(out);
}
