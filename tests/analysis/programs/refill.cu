// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A shared tile filled twice; a sum in a register over both fillings, through a function.
#include <cuda_runtime.h>

__device__ float twice(float x)
{
    float doubled = x * 2;
    return doubled;
}

__global__ void refill(float* out, const float* in)
{
    __shared__ float tile[8];
    int i = threadIdx.x;
    float sum = 0;
    for (int round = 0; round < 2; ++round) {
        tile[i] =
            in[round * 8 + i];
        __syncthreads();
        sum += twice(tile[i]) + tile[(i + 1) % 8];
        __syncthreads();
    }
    out[i] = sum;
}

int main()
{
    float *in, *out;
    cudaMalloc(&in, 64);
    cudaMalloc(&out, 32);
    cudaMemset(in, 0, 64);
    refill<<<1, 8>>>(out, in);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
