// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Progress told by atomics of system scope: that is what they are for.
#include <cuda_runtime.h>
__global__ void work(int* done)
{
    if (threadIdx.x == 0)
        atomicAdd_system(done, 1);
}
int main()
{
    int* done;
    cudaMallocHost(&done, sizeof(int));
    *done = 0;
    work<<<8, 32>>>(done);
    int seen = *(volatile int*)done;
    cudaDeviceSynchronize();
    seen = *done;
    cudaFreeHost(done);
    return seen != 8;
}
