// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Block 0 clears the counter, then all count: nothing makes the others wait for the clearing.
#include <cuda_runtime.h>
__global__ void count(int* total)
{
#ifndef FIXED
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0)
            *total = 0;  // expect: global-race error
        __syncthreads();
    }
#endif
    atomicAdd(total, 1);
}
int main()
{
    int* total;
    cudaMalloc(&total, 4);
    cudaMemset(total, 0, 4);
    count<<<4, 32>>>(total);
    int host;
    cudaMemcpy(&host, total, 4, cudaMemcpyDeviceToHost);
    cudaFree(total);
    return host < 0;
}
