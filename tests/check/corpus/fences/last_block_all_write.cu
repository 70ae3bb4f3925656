// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every thread writes a partial result; the last block adds them up. Each thread has to fence its own write.
#include <cstdio>

__device__ unsigned finished = 0;

__global__ void total(const float* in, float* partial, float* out)
{
    __shared__ bool last;
    int n = gridDim.x * blockDim.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    partial[i] = in[i] * in[i];  // expect: global-race
#ifdef FIXED
    __threadfence();
#endif
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (!last)
        return;
    __threadfence();
    if (threadIdx.x == 0) {
        float sum = 0;
        for (int k = 0; k < n; ++k)
            sum += partial[k];
        *out = sum;
    }
}

int main()
{
    float h[128], *in, *partial, *out, r;
    for (int i = 0; i < 128; ++i)
        h[i] = 1;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&partial, sizeof h);
    cudaMalloc(&out, sizeof r);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    total<<<4, 32>>>(in, partial, out);
    cudaMemcpy(&r, out, sizeof r, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(partial);
    cudaFree(out);
    return r == 128 ? 0 : 1;
}
