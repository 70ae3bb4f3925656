// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A transpose through shared memory whose columns lie in one bank, and a 1-D stencil whose blocks share halo cells.
#include <cuda_runtime.h>

__global__ void transpose(float* out, const float* in)
{
    __shared__ float tile[32][32];
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void stencil(float* out, const float* in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int j = 0; j < 3; ++j)
        if (i + j < n)
            sum += in[i + j];
    if (i < n)
        out[i] = sum;
}

int main()
{
    float *in, *out;
    cudaMalloc(&in, 4096);
    cudaMalloc(&out, 4096);
    cudaMemset(in, 0, 4096);
    transpose<<<1, dim3(32, 32)>>>(out, in);
    stencil<<<2, 8>>>(out, in, 16);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
