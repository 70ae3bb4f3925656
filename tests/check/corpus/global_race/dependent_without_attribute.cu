// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of a stream that were not launched to begin early do not: nobody has to wait. And what comes behind another
// kernel, a copy or a wait of the host overlaps only that.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void step(int* data)
{
    cudaTriggerProgrammaticLaunchCompletion();
    data[threadIdx.x] += 1;
}

int main()
{
    int* data;
    cudaMalloc(&data, 64 * sizeof(int));
    cudaMemset(data, 0, 64 * sizeof(int));
    cudaLaunchAttribute early = {};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    config.blockDim = 64;
    config.attrs = &early;
    config.numAttrs = 1;
    step<<<1, 64>>>(data);
    cudaLaunchKernelEx(&config, step, data);
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaDeviceSynchronize();
    cudaLaunchKernelEx(&config, step, data);
    int host[64];
    cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);
    cudaLaunchKernelEx(&config, step, data);
    cudaFree(data);
    return host[5] != 3;
}
