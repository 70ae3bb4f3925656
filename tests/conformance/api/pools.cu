// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stream-ordered allocation and memory pools.
#include <cstdint>

#include "check.h"

__global__ void iota(int* data)
{
    data[threadIdx.x] = threadIdx.x;
}

int main()
{
    int supported = 0;
    CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, 0));
    std::printf("supported %d\n", supported);
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    int *data = nullptr, host[8] = {};
    CHECK(cudaMallocAsync(&data, sizeof(host), stream));
    iota<<<1, 8, 0, stream>>>(data);
    CHECK(cudaMemcpyAsync(host, data, sizeof(host), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaFreeAsync(data, stream));
    CHECK(cudaStreamSynchronize(stream));
    print("host", host, 8);

    cudaMemPool_t pool;
    CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
    std::uint64_t threshold = UINT64_MAX;
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    threshold = 0;
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    std::printf("threshold kept: %d\n", threshold == UINT64_MAX);

    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = 0;
    cudaMemPool_t own;
    CHECK(cudaMemPoolCreate(&own, &properties));
    CHECK(cudaMallocFromPoolAsync(&data, 1024, own, stream));
    CHECK(cudaStreamSynchronize(stream));
    std::uint64_t used = 0;
    CHECK(cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemCurrent, &used));
    std::printf("used %d\n", int(used));
    CHECK(cudaFreeAsync(data, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemCurrent, &used));
    std::printf("used %d\n", int(used));
    CHECK(cudaMemPoolTrimTo(own, 0));
    CHECK(cudaMemPoolDestroy(own));
    CHECK(cudaMallocAsync(&data, 256, stream));
    CHECK(cudaFree(data));
    CHECK(cudaStreamDestroy(stream));
}
