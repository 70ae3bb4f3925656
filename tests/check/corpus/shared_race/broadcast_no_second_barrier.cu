// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One thread hands a value to all in each round; the slow ones still read it when the next round writes it.
#include <cuda_runtime.h>

__global__ void rounds(float* x)
{
    __shared__ float best;
    for (int round = 0; round < 3; ++round) {
        if (threadIdx.x == 0)
            best = x[round];
        __syncthreads();
        x[round * 64 + threadIdx.x + 64] = best;  // expect: shared-race
#ifdef FIXED
        __syncthreads();
#endif
    }
}

int main()
{
    float* x;
    cudaMalloc(&x, 2048);
    cudaMemset(x, 0, 2048);
    rounds<<<1, 64>>>(x);
    cudaFree(x);
}
