// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is asked about the device: a GPU of compute capability 9.0 with 132 multiprocessors.
#include "check.h"

int attribute(cudaDeviceAttr which)
{
    int value = -1;
    CHECK(cudaDeviceGetAttribute(&value, which, 0));
    return value;
}

int main()
{
    int device = -1, version = 0;
    CHECK(cudaSetDevice(0));
    CHECK(cudaGetDevice(&device));
    std::printf("device %d\n", device);
    cudaDeviceProp p;
    CHECK(cudaGetDeviceProperties(&p, 0));
    std::printf("%d.%d, %d multiprocessors, warp %d\n", p.major, p.minor, p.multiProcessorCount, p.warpSize);
    std::printf("shared %zu, opt-in %zu, per multiprocessor %zu, reserved %zu\n", p.sharedMemPerBlock,
                p.sharedMemPerBlockOptin, p.sharedMemPerMultiprocessor, p.reservedSharedMemPerBlock);
    std::printf("threads %d, per multiprocessor %d, blocks %d\n", p.maxThreadsPerBlock, p.maxThreadsPerMultiProcessor,
                p.maxBlocksPerMultiProcessor);
    std::printf("block %d %d %d, grid %d %d %d\n", p.maxThreadsDim[0], p.maxThreadsDim[1], p.maxThreadsDim[2],
                p.maxGridSize[0], p.maxGridSize[1], p.maxGridSize[2]);
    std::printf("registers %d, constant %zu\n", p.regsPerBlock, p.totalConstMem);
    std::printf("managed %d, mapped %d, cooperative %d, unified %d\n", p.managedMemory, p.canMapHostMemory,
                p.cooperativeLaunch, p.unifiedAddressing);
    std::printf("%d %d %d\n", attribute(cudaDevAttrMaxThreadsPerBlock), attribute(cudaDevAttrMultiProcessorCount),
                attribute(cudaDevAttrComputeCapabilityMajor));
    SHOW(cudaDeviceGetAttribute(&version, (cudaDeviceAttr)9999, 0));
    SHOW(cudaDeviceGetAttribute(&version, cudaDevAttrWarpSize, 99));
    SHOW(cudaGetDeviceProperties(&p, -1));
    SHOW(cudaSetDevice(99));
    SHOW(cudaDeviceCanAccessPeer(&version, 0, 99));
    CHECK(cudaRuntimeGetVersion(&version));
    std::printf("version %d\n", version >= 12000);
    size_t value = 0, free = 0, total = 0;
    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 32 << 20));
    CHECK(cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize));
    std::printf("heap %zu\n", value);
    CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
    CHECK(cudaMemGetInfo(&free, &total));
    std::printf("memory %d\n", free > 0 && free <= total);
    SHOW(cudaDeviceGetLimit(&value, (cudaLimit)77));
    SHOW(cudaDeviceSetCacheConfig(cudaFuncCachePreferShared));
    std::printf("%s\n", cudaGetErrorString(cudaErrorInvalidValue));
    std::printf("%s\n", cudaGetErrorString(cudaErrorIllegalAddress));
    std::printf("%s\n", cudaGetErrorString(cudaErrorLaunchOutOfResources));
    std::printf("%s\n", cudaGetErrorName((cudaError_t)54321));
}
