// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers that are larger than what a launch fills, copied whole: room for more, and a list that need not be full.
#include <cstdio>

__global__ void corner(int* picture, int row)
{
    picture[threadIdx.y * row + threadIdx.x] = 1;
}

__global__ void even(int* list, int* count, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i % 3 == 0)
        list[atomicAdd(count, 1)] = i;
}

int main()
{
    static int host[64 * 64];
    int *picture, *list, *count;
    cudaMalloc(&picture, sizeof host);
    cudaMalloc(&list, 1000 * sizeof(int));
    cudaMalloc(&count, sizeof(int));
    corner<<<1, dim3(16, 16)>>>(picture, 64);
    cudaMemcpy(host, picture, sizeof host, cudaMemcpyDeviceToHost);
    cudaMemset(count, 0, sizeof(int));
    even<<<16, 64>>>(list, count, 1000);
    cudaMemcpy(host, list, 1000 * sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(host, count, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", host[0]);
    cudaFree(picture);
    cudaFree(list);
    cudaFree(count);
}
