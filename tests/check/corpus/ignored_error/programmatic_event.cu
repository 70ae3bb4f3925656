// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An event that a launch is to record when its blocks allow it: refused, and nobody looks.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void fill(int* data)
{
    data[threadIdx.x] = threadIdx.x;
}

int main()
{
    int *data, host[64] = {};
    cudaMalloc(&data, sizeof host);
    cudaMemset(data, 0, sizeof host);
    cudaLaunchAttribute early = {};
    early.id = cudaLaunchAttributeProgrammaticEvent;
    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    config.blockDim = 64;
    config.attrs = &early;
#ifndef FIXED
    config.numAttrs = 1;
#endif
    cudaLaunchKernelEx(&config, fill, data);  // expect: ignored-error
    cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d\n", host[63]);
    cudaFree(data);
    return 0;
}
