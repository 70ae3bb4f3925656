// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tile has no room for the halo; what is past it belongs to the next array.
#include <cstdio>
#define TPB 32

__global__ void conv(const float* in, const float* w, float* out, int n)
{
#ifdef FIXED
    __shared__ float tile[TPB + 2];
#else
    __shared__ float tile[TPB];
#endif
    __shared__ float weights[4];
    int i = blockIdx.x * TPB + threadIdx.x;
    if (threadIdx.x < 3) weights[threadIdx.x] = w[threadIdx.x];
    tile[threadIdx.x] = i < n ? in[i] : 0;
    if (threadIdx.x < 2)
        tile[TPB + threadIdx.x] = i + TPB < n ? in[i + TPB] : 0;  // expect: out-of-bounds
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 3; ++k)
        sum += tile[threadIdx.x + k] * weights[k];  // expect: out-of-bounds
    if (i < n) out[i] = sum;
}

int main()
{
    float h[64], hw[3] = {1, 2, 1}, *in, *w, *out;
    for (int i = 0; i < 64; i++) h[i] = i;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&w, sizeof hw);
    cudaMalloc(&out, sizeof h);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemcpy(w, hw, sizeof hw, cudaMemcpyHostToDevice);
    conv<<<2, TPB>>>(in, w, out, 64);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    printf("%g\n", h[0]);
    cudaFree(in);
    cudaFree(w);
    cudaFree(out);
}
