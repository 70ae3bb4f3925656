// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The halo cells of a tile are read but never written.
#include <cstdio>
#define B 16

__global__ void blur(const float* in, float* out, int n)
{
    __shared__ float s[B + 2];
    int i = blockIdx.x * B + threadIdx.x;
    s[threadIdx.x + 1] = in[i];
#ifdef FIXED
    if (threadIdx.x == 0) s[0] = i > 0 ? in[i - 1] : 0.0f;
    if (threadIdx.x == B - 1) s[B + 1] = i + 1 < n ? in[i + 1] : 0.0f;
#endif
    __syncthreads();
    out[i] = (s[threadIdx.x] + s[threadIdx.x + 1] + s[threadIdx.x + 2]) / 3;  // expect: uninitialised-read
}

int main()
{
    float h[48], *in, *out;
    for (int i = 0; i < 48; ++i) h[i] = i;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    blur<<<3, B>>>(in, out, 48);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    printf("%g\n", h[20]);
    cudaFree(in);
    cudaFree(out);
}
