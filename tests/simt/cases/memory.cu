// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared memory (static, dynamic, several arrays), barriers across warps, constant and device variables, atomics,
// 3-D grids.
#include <cuda_runtime.h>

#include <cstdio>

__constant__ int table[4] = {1, 10, 100, 1000};
__device__ int counter = 5;

__global__ void blockSum(int* out)
{
    extern __shared__ int values[];
    __shared__ int twice[96];
    int i = threadIdx.x;
    values[i] = i + blockIdx.x;
    twice[i] = 2 * i;
    __syncthreads();
    for (int stride = 64; stride > 0; stride /= 2) {
        if (i < stride && i + stride < 96) {
            values[i] += values[i + stride];
            twice[i] += twice[i + stride];
        }
        __syncthreads();
    }
    if (i == 0)
        out[blockIdx.x] = values[0] * 10000 + twice[0];
}

__global__ void lookUp(int* out)
{
    int i = threadIdx.x;
    out[i] = table[i % 4] * i + counter;
}

__global__ void count(int* histogram, float* total, int* highest, unsigned long long* wide)
{
    __shared__ int local[4];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < 4)
        local[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&local[i % 3], 1);
    atomicAdd(total, 0.5f);
    atomicMax(highest, i * 7 % 50);
    atomicAdd(wide, 1ull << 33);
    atomicAdd(&counter, 1);
    __syncthreads();
    if (threadIdx.x < 4)
        atomicAdd(&histogram[threadIdx.x], local[threadIdx.x]);
    if (atomicCAS(&histogram[4], 0, i + 1) == 0)
        histogram[5] = 1;
}

__global__ void where(int* out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    int width = gridDim.x * blockDim.x, height = gridDim.y * blockDim.y;
    out[(z * height + y) * width + x] = x + 100 * y + 10000 * z;
}

int main()
{
    int* device;
    int out[512];
    cudaMalloc(&device, sizeof out);
    blockSum<<<3, 96, 96 * sizeof(int)>>>(device);
    cudaMemcpy(out, device, 3 * sizeof(int), cudaMemcpyDeviceToHost);
    printf("sums: %d %d %d\n", out[0], out[1], out[2]);

    int values[4] = {2, 3, 5, 7};
    cudaMemcpyToSymbol(table, values, sizeof values);
    lookUp<<<1, 6>>>(device);
    cudaMemcpy(out, device, 6 * sizeof(int), cudaMemcpyDeviceToHost);
    printf("table: %d %d %d %d %d %d\n", out[0], out[1], out[2], out[3], out[4], out[5]);

    float* total;
    unsigned long long* wide;
    cudaMalloc(&total, sizeof(float));
    cudaMalloc(&wide, sizeof(unsigned long long));
    cudaMemset(device, 0, 8 * sizeof(int));
    cudaMemset(total, 0, sizeof(float));
    cudaMemset(wide, 0, sizeof(unsigned long long));
    count<<<4, 40>>>(device, total, device + 6, wide);
    float sum;
    unsigned long long big;
    int devices;
    cudaMemcpy(out, device, 8 * sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(&sum, total, sizeof sum, cudaMemcpyDeviceToHost);
    cudaMemcpy(&big, wide, sizeof big, cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(&devices, counter, sizeof devices);
    printf("histogram: %d %d %d, %d, highest %d, total %g, wide %llu, counter %d\n", out[0], out[1], out[2], out[5], out[6], sum,
           big >> 33, devices);

    where<<<dim3(2, 2, 2), dim3(4, 3, 2)>>>(device);
    cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int z = 0; z < 4; ++z)
        for (int y = 0; y < 6; ++y)
            for (int x = 0; x < 8; ++x)
                wrong += out[(z * 6 + y) * 8 + x] != x + 100 * y + 10000 * z;
    printf("where: %d wrong\n", wrong);
    return cudaGetLastError() != cudaSuccess;
}
