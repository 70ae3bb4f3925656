// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What threads would have read outside an array, had no guard kept them from it: a stencil, ragged tiles, and two
// kernels that have guards but no padding.
#include <cuda_runtime.h>

__global__ void stencil(float* out, const float* in, int n)
{
    int i = threadIdx.x;
    float sum = 0;
    for (int j = -1; j <= 1; ++j)
        if (i + j >= 0 && i + j < n)
            sum += in[i + j];
    out[i] = sum;
}

__global__ void tiles(float* out, const float* in, int n)
{
    __shared__ float tile[3][3];
    int row = blockIdx.y * 3 + threadIdx.y;
    int column = blockIdx.x * 3 + threadIdx.x;
    tile[threadIdx.y][threadIdx.x] = row < n && column < n ? in[row * n + column] : -7.0f;
    __syncthreads();
    if (row < n && column < n)
        out[row * n + column] = tile[threadIdx.y][threadIdx.x];
}

__global__ void guardedMap(float* out, const float* in, int n)
{
    int i = threadIdx.x;
    if (i < n)
        out[i] = in[i] + 1;
}

__global__ void treeSum(float* out, const float* in)
{
    __shared__ float sums[8];
    int i = threadIdx.x;
    sums[i] = in[i];
    __syncthreads();
    for (int stride = 4; stride > 0; stride /= 2) {
        if (i < stride)
            sums[i] += sums[i + stride];
        __syncthreads();
    }
    if (i == 0)
        out[0] = sums[0];
}

int main()
{
    float *line, *square, *out;
    cudaMalloc(&line, 8 * sizeof(float));
    cudaMalloc(&square, 25 * sizeof(float));
    cudaMalloc(&out, 25 * sizeof(float));
    cudaMemset(line, 0, 8 * sizeof(float));
    cudaMemset(square, 0, 25 * sizeof(float));
    stencil<<<1, 8>>>(out, line, 8);
    tiles<<<dim3(2, 2), dim3(3, 3)>>>(out, square, 5);
    guardedMap<<<1, 16>>>(out, line, 8);
    treeSum<<<1, 8>>>(out, line);
    cudaDeviceSynchronize();
    cudaFree(line);
    cudaFree(square);
    cudaFree(out);
}
