// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What can be asked about and set for kernels; launches through the C functions.
#include "check.h"

// Shared memory's configuration, which today's GPUs do not have any more.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

__global__ void __launch_bounds__(256) bounded(int* out)
{
    __shared__ int tile[256];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[255 - threadIdx.x];
}

__global__ void big(int* out)
{
    extern __shared__ int cells[];
    cells[20000] = 7;
    out[0] = cells[20000];
}

template <class T>
__global__ void fill(T* out, T value, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = value;
}

int main()
{
    cudaFuncAttributes attributes;
    CHECK(cudaFuncGetAttributes(&attributes, bounded));
    std::printf("shared %zu, threads %d, dynamic %d\n", attributes.sharedSizeBytes, attributes.maxThreadsPerBlock,
                attributes.maxDynamicSharedSizeBytes);
    int* out;
    CHECK(cudaMalloc(&out, 1024));
    bounded<<<1, 512>>>(out);
    SHOW(cudaGetLastError());
    bounded<<<1, 256>>>(out);
    SHOW(cudaDeviceSynchronize());

    big<<<1, 1, 100000>>>(out);
    SHOW(cudaGetLastError());
    SHOW(cudaFuncSetAttribute(big, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000));
    big<<<1, 1, 100000>>>(out);
    SHOW(cudaGetLastError());
    int value = 0;
    CHECK(cudaMemcpy(&value, out, sizeof(value), cudaMemcpyDeviceToHost));
    std::printf("value %d\n", value);
    SHOW(cudaFuncSetAttribute(big, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024 + 1));
    SHOW(cudaFuncSetAttribute(bounded, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024));
    SHOW(cudaFuncSetAttribute(big, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared));
    SHOW(cudaFuncSetCacheConfig(big, cudaFuncCachePreferL1));
    SHOW(cudaFuncSetSharedMemConfig(big, cudaSharedMemBankSizeFourByte));

    int blocks = 0, minGrid = 0, blockSize = 0;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded, 256, 0));
    std::printf("blocks of 256: %d\n", blocks);
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, big, 32, 100000));
    std::printf("blocks with 100000 bytes: %d\n", blocks);
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded, 512, 0));
    std::printf("blocks of 512: %d\n", blocks);
    CHECK(cudaOccupancyMaxPotentialBlockSize(&minGrid, &blockSize, fill<float>, 0, 0));
    std::printf("best block: %d threads, grid %d\n", blockSize, minGrid);
    SHOW(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded, 0, 0));

    int n = 4;
    float five = 5.0f;
    void* arguments[] = {&out, &five, &n};
    CHECK(cudaLaunchKernel(fill<float>, dim3(1), dim3(8), arguments, 0, 0));
    CHECK(cudaLaunchKernel((void*)fill<float>, 1, 8, arguments, 0, 0));
    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    config.blockDim = 8;
    n = 2;
    five = 6.0f;
    CHECK(cudaLaunchKernelExC(&config, (const void*)fill<float>, arguments));
    CHECK(cudaLaunchKernelEx(&config, fill<float>, (float*)out, 7.0f, 1));
    float result[4];
    CHECK(cudaMemcpy(result, out, sizeof(result), cudaMemcpyDeviceToHost));
    print("result", result, 4);
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    config.attrs = &attribute;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, fill<float>, (float*)out, 8.0f, 1));
    n = 1;
    CHECK(cudaLaunchCooperativeKernel((void*)fill<float>, dim3(4), dim3(32), arguments, 0, 0));
    SHOW(cudaLaunchCooperativeKernel((void*)fill<float>, dim3(100000), dim3(1024), arguments, 0, 0));
    SHOW(cudaDeviceSynchronize());
}
