// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel that may begin early clears what the one in front of it still reads. One thread that waits is enough for a
// block, once the block has met.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void sum(const int* counts, int* total)
{
    atomicAdd(total, counts[threadIdx.x]);  // expect: global-race error
}

__global__ void clear(int* counts)
{
    if (threadIdx.x == 0)
        asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#ifdef FIXED
    if (threadIdx.x == 0)
        asm volatile("griddepcontrol.wait;" ::: "memory");
    __syncthreads();
#endif
    counts[threadIdx.x] = 0;  // expect: global-race
}

int main()
{
    int *counts, *total;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMalloc(&counts, 128 * sizeof(int));
    cudaMalloc(&total, sizeof(int));
    cudaMemsetAsync(counts, 0, 128 * sizeof(int), stream);
    cudaMemsetAsync(total, 0, sizeof(int), stream);
    sum<<<1, 128, 0, stream>>>(counts, total);
    cudaLaunchAttribute early = {};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    config.blockDim = 128;
    config.stream = stream;
    config.attrs = &early;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, clear, counts);
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    cudaFree(counts);
    cudaFree(total);
    return 0;
}
