// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A barrier of the grid whose old phase lies in shared memory, for all threads of the block to poll against: the read that
// remembers it decides no branch, and is no race with the write that opens the barrier.
#include <cstdio>

__device__ int count;
__device__ volatile int phase;

__device__ void meet()
{
    __shared__ int old;
#ifdef FIXED
    __threadfence();
#endif
    __syncthreads();
    if (threadIdx.x == 0) {
        old = phase;  // expect: global-race
#ifdef FIXED
        __threadfence();
#endif
        if (atomicAdd(&count, 1) == (int)gridDim.x - 1) {
            count = 0;
            __threadfence();
            phase = !old;
        }
    }
    __syncthreads();
    while (phase == old) {
    }
    __threadfence();
    __syncthreads();
}

__global__ void turn(const int* in, int* between, int* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    between[i] = in[i] + 1;  // expect: global-race
    meet();
    out[i] = between[n - 1 - i];
    meet();
}

int main()
{
    int h[96], *in, *between, *out;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&between, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMemset(in, 0, sizeof h);
    turn<<<3, 32>>>(in, between, out, 96);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d\n", h[0]);
    cudaFree(in);
    cudaFree(between);
    cudaFree(out);
}
