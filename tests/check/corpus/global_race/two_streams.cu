// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel in one stream writes what a kernel in another one reads, and no event tells the second to wait.
#include <cstdio>

__global__ void fill(int* a) { a[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x; }

__global__ void twice(const int* a, int* b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    b[i] = 2 * a[i];
}

int main()
{
    int h[128], *a, *b;
    cudaStream_t first, second;
    cudaEvent_t filled;
    cudaStreamCreate(&first);
    cudaStreamCreate(&second);
    cudaEventCreate(&filled);
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&b, sizeof h);
    fill<<<2, 64, 0, first>>>(a);
    cudaEventRecord(filled, first);
#ifdef FIXED
    cudaStreamWaitEvent(second, filled, 0);
#endif
    twice<<<2, 64, 0, second>>>(a, b);  // expect: global-race
    cudaStreamSynchronize(second);
    cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
    cudaEventDestroy(filled);
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
    return h[100] == 72 ? 0 : 1;
}
