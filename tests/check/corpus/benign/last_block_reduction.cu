// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// threadFenceReduction: partial sums, a fence, a ticket, the last block adds up.
#include <cstdio>

__device__ unsigned retired = 0;

__global__ void reduce(const float* in, volatile float* partial, float* out)
{
    __shared__ float s[128];
    __shared__ bool amLast;
    unsigned t = threadIdx.x;
    s[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (unsigned d = blockDim.x / 2; d > 0; d >>= 1) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) {
        partial[blockIdx.x] = s[0];
        __threadfence();
        unsigned n = atomicInc(&retired, gridDim.x);
        amLast = n == gridDim.x - 1;
    }
    __syncthreads();
    if (amLast) {
        float sum = 0;
        for (unsigned i = t; i < gridDim.x; i += blockDim.x) sum += partial[i];
        s[t] = sum;
        __syncthreads();
        for (unsigned d = blockDim.x / 2; d > 0; d >>= 1) {
            if (t < d) s[t] += s[t + d];
            __syncthreads();
        }
        if (t == 0) {
            *out = s[0];
            retired = 0;
        }
    }
}

int main()
{
    const int blocks = 7, n = blocks * 128;
    static float h[n];
    for (float& v : h) v = 1;
    float *in, *partial, *out, r;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&partial, blocks * sizeof(float));
    cudaMalloc(&out, sizeof r);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    for (int round = 0; round < 2; ++round) {
        reduce<<<blocks, 128>>>(in, partial, out);
        cudaMemcpy(&r, out, sizeof r, cudaMemcpyDeviceToHost);
        if (r != n) return 1;
    }
    cudaFree(in);
    cudaFree(partial);
    cudaFree(out);
}
