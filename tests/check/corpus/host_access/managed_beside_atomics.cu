// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host looks at a counter in managed memory while the kernel that counts may still run.
#include <cuda_runtime.h>
__global__ void count(int* total, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(total, 1);
}
int main()
{
    int* total;
    cudaMallocManaged(&total, sizeof(int));
    *total = 0;
    count<<<4, 64>>>(total, 200);
#ifdef FIXED
    cudaDeviceSynchronize();
#endif
    int seen = *total;  // expect: host-access-of-device-memory error
    cudaFree(total);
    return seen != 200;
}
