// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// float4 loads that start one float too late.
#include <cstdio>

__global__ void sum4(const float* p, float* out)
{
    float4 v = reinterpret_cast<const float4*>(p)[threadIdx.x];  // expect: misaligned error
    out[threadIdx.x] = v.x + v.y + v.z + v.w;
}

int main()
{
    float h[80], *p, *out;
    for (int i = 0; i < 80; ++i) h[i] = i;
    cudaMalloc(&p, sizeof h);
    cudaMalloc(&out, 16 * sizeof(float));
    cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice);
#ifdef FIXED
    sum4<<<1, 16>>>(p + 4, out);
#else
    sum4<<<1, 16>>>(p + 1, out);
#endif
    if (cudaMemcpy(h, out, 16 * sizeof(float), cudaMemcpyDeviceToHost) == cudaSuccess) printf("%g\n", h[0]);
    cudaFree(p);
    cudaFree(out);
}
