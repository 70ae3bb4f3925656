// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A barrier for the grid that counts arrivals and then begins a new generation. The bug: no fence before arriving.
#include <cstdio>

__device__ int arrived = 0;
__device__ volatile int generation = 0;

__device__ void meet()
{
#ifdef FIXED
    __threadfence();
#endif
    __syncthreads();
    if (threadIdx.x == 0) {
        int g = generation;
        if (atomicAdd(&arrived, 1) == (int)gridDim.x - 1) {
            arrived = 0;
            __threadfence();
            generation = g + 1;
        } else {
            while (generation == g) {
            }
        }
    }
    __syncthreads();
}

__global__ void shift(int* a, int* b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int s = 0; s < 2; ++s) {
        a[i] = i + s;  // expect: global-race
        meet();
        b[i] = a[(i + blockDim.x) % n];
        meet();
    }
}

int main()
{
    int h[128], *a, *b;
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&b, sizeof h);
    shift<<<4, 32>>>(a, b, 128);
    cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
    return h[0] == 33 ? 0 : 1;
}
