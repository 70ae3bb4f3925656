// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The last warp goes on alone, with __syncwarp between read and write.
#include <cstdio>

__device__ void warp_reduce(volatile int* s, unsigned t)
{
    int v = s[t];
    for (int d = 32; d > 0; d >>= 1) {
        v += s[t + d];
        __syncwarp();
        s[t] = v;
        __syncwarp();
    }
}

__global__ void reduce(const int* in, int* out)
{
    __shared__ int s[128];
    unsigned t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    if (t < 64) s[t] += s[t + 64];
    __syncthreads();
    if (t < 32) warp_reduce(s, t);
    if (t == 0) *out = s[0];
}

int main()
{
    int h[128], *in, *out, r;
    for (int& v : h) v = 1;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, sizeof r);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    reduce<<<1, 128>>>(in, out);
    cudaMemcpy(&r, out, sizeof r, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    return r == 128 ? 0 : 1;
}
