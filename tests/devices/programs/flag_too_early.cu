// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A producer sets its flag before the last of what the consumer, in another stream, reads.
#include <cstdio>
__global__ void consume(volatile int* flag, const int* data, int* sum)
{
    if (threadIdx.x == 0)
        while (*flag == 0) {
        }
    __threadfence();
    __syncthreads();
    atomicAdd(sum, data[threadIdx.x]);
    sum[1 + threadIdx.x] = data[64 + threadIdx.x];
}
__global__ void produce(volatile int* flag, int* data)
{
    data[threadIdx.x] = threadIdx.x;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        *flag = 1;
    data[64 + threadIdx.x] = 5;
}
int main()
{
    int *flag, *data, *sum;
    cudaMalloc(&flag, 4);
    cudaMalloc(&data, 512);
    cudaMalloc(&sum, 400);
    cudaMemset(flag, 0, 4);
    cudaMemset(sum, 0, 400);
    cudaMemset(data, 0, 512);
    cudaStream_t a, b;
    cudaStreamCreate(&a);
    cudaStreamCreate(&b);
    consume<<<1, 64, 0, a>>>(flag, data, sum);
    produce<<<1, 64, 0, b>>>(flag, data);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(flag);
    cudaFree(data);
    cudaFree(sum);
}
