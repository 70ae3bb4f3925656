// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host looks at a counter in mapped memory while the kernel counts up in it: that is what such memory is for.
#include <cstdio>

__global__ void work(int* done, int* out)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence_system();
        atomicAdd_system(done, 1);
    }
}

int main()
{
    int *done, *seen, *out;
    cudaHostAlloc(&done, sizeof(int), cudaHostAllocMapped);
    *done = 0;
    cudaHostGetDevicePointer(&seen, done, 0);
    cudaMalloc(&out, 128 * sizeof(int));
    work<<<4, 32>>>(seen, out);
    while (*(volatile int*)done < 4) {
    }
    cudaDeviceSynchronize();
    cudaFree(out);
    cudaFreeHost(done);
    return 0;
}
