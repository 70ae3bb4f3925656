// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What executables of nvcc 13 call whose form has changed since CUDA 12, which our headers declare. The stand-in of
// libcudart.so.13 has these functions under their plain names (make_entries.sh).
#include <cstring>

#include "instrumented/driver/driver.h"

namespace {

/// cudaDeviceProp of CUDA 13: without clocks and modes.
struct Properties13 {
    char name[256];
    cudaUUID_t uuid;
    char luid[8];
    unsigned int luidDeviceNodeMask;
    size_t totalGlobalMem;
    size_t sharedMemPerBlock;
    int regsPerBlock;
    int warpSize;
    size_t memPitch;
    int maxThreadsPerBlock;
    int maxThreadsDim[3];
    int maxGridSize[3];
    size_t totalConstMem;
    int major;
    int minor;
    size_t textureAlignment;
    size_t texturePitchAlignment;
    int multiProcessorCount;
    int integrated;
    int canMapHostMemory;
    int maxTexture1D;
    int maxTexture1DMipmap;
    int maxTexture2D[2];
    int maxTexture2DMipmap[2];
    int maxTexture2DLinear[3];
    int maxTexture2DGather[2];
    int maxTexture3D[3];
    int maxTexture3DAlt[3];
    int maxTextureCubemap;
    int maxTexture1DLayered[2];
    int maxTexture2DLayered[3];
    int maxTextureCubemapLayered[2];
    int maxSurface1D;
    int maxSurface2D[2];
    int maxSurface3D[3];
    int maxSurface1DLayered[2];
    int maxSurface2DLayered[3];
    int maxSurfaceCubemap;
    int maxSurfaceCubemapLayered[2];
    size_t surfaceAlignment;
    int concurrentKernels;
    int ECCEnabled;
    int pciBusID;
    int pciDeviceID;
    int pciDomainID;
    int tccDriver;
    int asyncEngineCount;
    int unifiedAddressing;
    int memoryBusWidth;
    int l2CacheSize;
    int persistingL2CacheMaxSize;
    int maxThreadsPerMultiProcessor;
    int streamPrioritiesSupported;
    int globalL1CacheSupported;
    int localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor;
    int managedMemory;
    int isMultiGpuBoard;
    int multiGpuBoardGroupID;
    int hostNativeAtomicSupported;
    int pageableMemoryAccess;
    int concurrentManagedAccess;
    int computePreemptionSupported;
    int canUseHostPointerForRegisteredMem;
    int cooperativeLaunch;
    size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables;
    int directManagedMemAccessFromHost;
    int maxBlocksPerMultiProcessor;
    int accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock;
    int hostRegisterSupported;
    int sparseCudaArraySupported;
    int hostRegisterReadOnlySupported;
    int timelineSemaphoreInteropSupported;
    int memoryPoolsSupported;
    int gpuDirectRDMASupported;
    unsigned int gpuDirectRDMAFlushWritesOptions;
    int gpuDirectRDMAWritesOrdering;
    unsigned int memoryPoolSupportedHandleTypes;
    int deferredMappingCudaArraySupported;
    int ipcEventSupported;
    int clusterLaunch;
    int unifiedFunctionPointers;
    int deviceNumaConfig;
    int deviceNumaId;
    int mpsEnabled;
    int hostNumaId;
    unsigned int gpuPciDeviceID;
    unsigned int gpuPciSubsystemID;
    int hostNumaMultinodeIpcSupported;
    int reserved[56];
};

template <class T>
void take(T& to, const T& from)
{
    std::memcpy(&to, &from, sizeof(to));
}

int deviceOf(const cudaMemLocation& location)
{
    return location.type == cudaMemLocationTypeDevice ? location.id : cudaCpuDeviceId;
}

void convert(Properties13& to, const cudaDeviceProp& from)
{
    to = {};
    take(to.name, from.name);
    take(to.uuid, from.uuid);
    take(to.luid, from.luid);
    take(to.luidDeviceNodeMask, from.luidDeviceNodeMask);
    take(to.totalGlobalMem, from.totalGlobalMem);
    take(to.sharedMemPerBlock, from.sharedMemPerBlock);
    take(to.regsPerBlock, from.regsPerBlock);
    take(to.warpSize, from.warpSize);
    take(to.memPitch, from.memPitch);
    take(to.maxThreadsPerBlock, from.maxThreadsPerBlock);
    take(to.maxThreadsDim, from.maxThreadsDim);
    take(to.maxGridSize, from.maxGridSize);
    take(to.totalConstMem, from.totalConstMem);
    take(to.major, from.major);
    take(to.minor, from.minor);
    take(to.textureAlignment, from.textureAlignment);
    take(to.texturePitchAlignment, from.texturePitchAlignment);
    take(to.multiProcessorCount, from.multiProcessorCount);
    take(to.integrated, from.integrated);
    take(to.canMapHostMemory, from.canMapHostMemory);
    take(to.maxTexture1D, from.maxTexture1D);
    take(to.maxTexture1DMipmap, from.maxTexture1DMipmap);
    take(to.maxTexture2D, from.maxTexture2D);
    take(to.maxTexture2DMipmap, from.maxTexture2DMipmap);
    take(to.maxTexture2DLinear, from.maxTexture2DLinear);
    take(to.maxTexture2DGather, from.maxTexture2DGather);
    take(to.maxTexture3D, from.maxTexture3D);
    take(to.maxTexture3DAlt, from.maxTexture3DAlt);
    take(to.maxTextureCubemap, from.maxTextureCubemap);
    take(to.maxTexture1DLayered, from.maxTexture1DLayered);
    take(to.maxTexture2DLayered, from.maxTexture2DLayered);
    take(to.maxTextureCubemapLayered, from.maxTextureCubemapLayered);
    take(to.maxSurface1D, from.maxSurface1D);
    take(to.maxSurface2D, from.maxSurface2D);
    take(to.maxSurface3D, from.maxSurface3D);
    take(to.maxSurface1DLayered, from.maxSurface1DLayered);
    take(to.maxSurface2DLayered, from.maxSurface2DLayered);
    take(to.maxSurfaceCubemap, from.maxSurfaceCubemap);
    take(to.maxSurfaceCubemapLayered, from.maxSurfaceCubemapLayered);
    take(to.surfaceAlignment, from.surfaceAlignment);
    take(to.concurrentKernels, from.concurrentKernels);
    take(to.ECCEnabled, from.ECCEnabled);
    take(to.pciBusID, from.pciBusID);
    take(to.pciDeviceID, from.pciDeviceID);
    take(to.pciDomainID, from.pciDomainID);
    take(to.tccDriver, from.tccDriver);
    take(to.asyncEngineCount, from.asyncEngineCount);
    take(to.unifiedAddressing, from.unifiedAddressing);
    take(to.memoryBusWidth, from.memoryBusWidth);
    take(to.l2CacheSize, from.l2CacheSize);
    take(to.persistingL2CacheMaxSize, from.persistingL2CacheMaxSize);
    take(to.maxThreadsPerMultiProcessor, from.maxThreadsPerMultiProcessor);
    take(to.streamPrioritiesSupported, from.streamPrioritiesSupported);
    take(to.globalL1CacheSupported, from.globalL1CacheSupported);
    take(to.localL1CacheSupported, from.localL1CacheSupported);
    take(to.sharedMemPerMultiprocessor, from.sharedMemPerMultiprocessor);
    take(to.regsPerMultiprocessor, from.regsPerMultiprocessor);
    take(to.managedMemory, from.managedMemory);
    take(to.isMultiGpuBoard, from.isMultiGpuBoard);
    take(to.multiGpuBoardGroupID, from.multiGpuBoardGroupID);
    take(to.hostNativeAtomicSupported, from.hostNativeAtomicSupported);
    take(to.pageableMemoryAccess, from.pageableMemoryAccess);
    take(to.concurrentManagedAccess, from.concurrentManagedAccess);
    take(to.computePreemptionSupported, from.computePreemptionSupported);
    take(to.canUseHostPointerForRegisteredMem, from.canUseHostPointerForRegisteredMem);
    take(to.cooperativeLaunch, from.cooperativeLaunch);
    take(to.sharedMemPerBlockOptin, from.sharedMemPerBlockOptin);
    take(to.pageableMemoryAccessUsesHostPageTables, from.pageableMemoryAccessUsesHostPageTables);
    take(to.directManagedMemAccessFromHost, from.directManagedMemAccessFromHost);
    take(to.maxBlocksPerMultiProcessor, from.maxBlocksPerMultiProcessor);
    take(to.accessPolicyMaxWindowSize, from.accessPolicyMaxWindowSize);
    take(to.reservedSharedMemPerBlock, from.reservedSharedMemPerBlock);
    take(to.hostRegisterSupported, from.hostRegisterSupported);
    take(to.sparseCudaArraySupported, from.sparseCudaArraySupported);
    take(to.hostRegisterReadOnlySupported, from.hostRegisterReadOnlySupported);
    take(to.timelineSemaphoreInteropSupported, from.timelineSemaphoreInteropSupported);
    take(to.memoryPoolsSupported, from.memoryPoolsSupported);
    take(to.gpuDirectRDMASupported, from.gpuDirectRDMASupported);
    take(to.gpuDirectRDMAFlushWritesOptions, from.gpuDirectRDMAFlushWritesOptions);
    take(to.gpuDirectRDMAWritesOrdering, from.gpuDirectRDMAWritesOrdering);
    take(to.memoryPoolSupportedHandleTypes, from.memoryPoolSupportedHandleTypes);
    take(to.deferredMappingCudaArraySupported, from.deferredMappingCudaArraySupported);
    take(to.ipcEventSupported, from.ipcEventSupported);
    take(to.clusterLaunch, from.clusterLaunch);
    take(to.unifiedFunctionPointers, from.unifiedFunctionPointers);
}

}  // namespace

LS_API cudaError_t cudaGetDeviceProperties_of_13(Properties13* properties, int device)
{
    cudaDeviceProp known = {};
    const cudaError_t error = cudaGetDeviceProperties(properties ? &known : nullptr, device);
    if (error == cudaSuccess)
        convert(*properties, known);
    return error;
}

LS_API cudaError_t cudaMemPrefetchAsync_of_13(const void* pointer, size_t bytes, cudaMemLocation to, unsigned /*flags*/,
                                              cudaStream_t stream)
{
    return cudaMemPrefetchAsync(pointer, bytes, deviceOf(to), stream);
}

LS_API cudaError_t cudaMemAdvise_of_13(const void* pointer, size_t bytes, cudaMemoryAdvise advice,
                                       cudaMemLocation where)
{
    return cudaMemAdvise(pointer, bytes, advice, deviceOf(where));
}
