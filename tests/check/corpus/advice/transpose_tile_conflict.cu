// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A 32x32 tile read by columns: every lane in the same bank.
#include <cstdio>
#ifdef FIXED
#define PAD 1
#else
#define PAD 0
#endif

__global__ void transpose(float* out, const float* in, int n)
{
    __shared__ float tile[32][32 + PAD];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];  // expect: bank-conflict advice degree=32
}

int main()
{
    static float h[64 * 64];
    float *in, *out;
    for (int i = 0; i < 64 * 64; ++i) h[i] = i;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    transpose<<<dim3(2, 2), dim3(32, 8)>>>(out, in, 64);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    return h[1] == 64 ? 0 : 1;
}
