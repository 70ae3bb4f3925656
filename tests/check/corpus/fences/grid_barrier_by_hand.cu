// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A barrier of the grid made by hand, with fences on both sides: three blocks of two warps, two steps in place. The cell
// between two blocks is read by both of them, at times of their own.
#include <cstdio>

__device__ int count;
__device__ volatile int phase;

__device__ void meet()
{
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        const int old = phase;
        if (atomicAdd(&count, 1) == (int)gridDim.x - 1) {
            count = 0;
            __threadfence();
            phase = !old;
        } else {
            while (phase == old) {
            }
        }
        __threadfence();
    }
    __syncthreads();
}

__global__ void smooth(int* a, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int step = 0; step < 2; ++step) {
        const int sum = a[(i + 1) % n] + a[(i + n - 1) % n];  // expect: global-race
#ifdef FIXED
        meet();
#endif
        a[i] = sum;
        meet();
    }
}

int main()
{
    int h[192], *a;
    cudaMalloc(&a, sizeof h);
    cudaMemset(a, 1, sizeof h);
    smooth<<<3, 64>>>(a, 192);
    cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d\n", h[0]);
    cudaFree(a);
}
