// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements in fours: the last four are not all there.
#include <cstdio>

__global__ void twice(float* data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef FIXED
    if (4 * i + 3 < n) {
#else
    if (4 * i < n) {
#endif
        float4 v = reinterpret_cast<float4*>(data)[i];  // expect: out-of-bounds
        v.x *= 2;
        v.y *= 2;
        v.z *= 2;
        v.w *= 2;
        reinterpret_cast<float4*>(data)[i] = v;  // expect: out-of-bounds
    }
}

int main()
{
    const int n = 102;
    float h[n];
    for (int i = 0; i < n; ++i) h[i] = i;
    float* d;
    cudaMalloc(&d, sizeof h);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    twice<<<1, 32>>>(d, n);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%g\n", h[99]);
    cudaFree(d);
}
