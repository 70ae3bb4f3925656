// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The driver API as far as programs of the runtime API use it beside that: devices, the context, memory. There is one
// context, the runtime's. Modules and functions are not there: clang says so at the line that loads one.
#pragma once

#ifndef __cuda_cuda_h__
#define __cuda_cuda_h__

#include "cuda_runtime_api.h"

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st* CUcontext;
typedef struct CUmod_st* CUmodule;
typedef struct CUfunc_st* CUfunction;
typedef struct CUstream_st* CUstream;
typedef struct CUevent_st* CUevent;

#ifdef __cplusplus
// Numbers are those of the runtime API.
typedef enum cudaError_enum {
    CUDA_SUCCESS = cudaSuccess,
    CUDA_ERROR_INVALID_VALUE = cudaErrorInvalidValue,
    CUDA_ERROR_OUT_OF_MEMORY = cudaErrorMemoryAllocation,
    CUDA_ERROR_NOT_INITIALIZED = cudaErrorInitializationError,
    CUDA_ERROR_NO_DEVICE = cudaErrorNoDevice,
    CUDA_ERROR_INVALID_DEVICE = cudaErrorInvalidDevice,
    CUDA_ERROR_NOT_READY = cudaErrorNotReady,
    CUDA_ERROR_ILLEGAL_ADDRESS = cudaErrorIllegalAddress,
    CUDA_ERROR_LAUNCH_FAILED = cudaErrorLaunchFailure,
    CUDA_ERROR_NOT_SUPPORTED = cudaErrorNotSupported,
    CUDA_ERROR_UNKNOWN = cudaErrorUnknown
} CUresult;

typedef enum CUdevice_attribute_enum {
    CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = cudaDevAttrMaxThreadsPerBlock,
    CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X = cudaDevAttrMaxBlockDimX,
    CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y = cudaDevAttrMaxBlockDimY,
    CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z = cudaDevAttrMaxBlockDimZ,
    CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X = cudaDevAttrMaxGridDimX,
    CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y = cudaDevAttrMaxGridDimY,
    CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z = cudaDevAttrMaxGridDimZ,
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = cudaDevAttrMaxSharedMemoryPerBlock,
    CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY = cudaDevAttrTotalConstantMemory,
    CU_DEVICE_ATTRIBUTE_WARP_SIZE = cudaDevAttrWarpSize,
    CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK = cudaDevAttrMaxRegistersPerBlock,
    CU_DEVICE_ATTRIBUTE_CLOCK_RATE = cudaDevAttrClockRate,
    CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = cudaDevAttrMultiProcessorCount,
    CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS = cudaDevAttrConcurrentKernels,
    CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE = cudaDevAttrMemoryClockRate,
    CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH = cudaDevAttrGlobalMemoryBusWidth,
    CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = cudaDevAttrL2CacheSize,
    CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = cudaDevAttrMaxThreadsPerMultiProcessor,
    CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING = cudaDevAttrUnifiedAddressing,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = cudaDevAttrComputeCapabilityMajor,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = cudaDevAttrComputeCapabilityMinor,
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = cudaDevAttrMaxSharedMemoryPerMultiprocessor,
    CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY = cudaDevAttrManagedMemory,
    CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH = cudaDevAttrCooperativeLaunch,
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = cudaDevAttrMaxSharedMemoryPerBlockOptin
} CUdevice_attribute;

#pragma push_macro("LS_DRIVER")
#define LS_DRIVER(name, parameters, call)                                                                              \
    static inline CUresult name parameters                                                                             \
    {                                                                                                                  \
        return (CUresult)(call);                                                                                       \
    }
static inline void* __lsDriverPointer(CUdeviceptr address)
{
    return reinterpret_cast<void*>(address);
}
static inline cudaError_t __lsDriverName(char* name, int bytes, CUdevice device)
{
    cudaDeviceProp properties;
    const cudaError_t error = cudaGetDeviceProperties(&properties, device);
    for (int i = 0; error == cudaSuccess && i < bytes; ++i)
        name[i] = i + 1 < bytes && i < 255 ? properties.name[i] : 0;
    return error;
}
static inline cudaError_t __lsDriverMemory(size_t* bytes, CUdevice device)
{
    cudaDeviceProp properties;
    const cudaError_t error = cudaGetDeviceProperties(&properties, device);
    *bytes = properties.totalGlobalMem;
    return error;
}
static inline cudaError_t __lsDriverCapability(int* major, int* minor, CUdevice device)
{
    const cudaError_t error = cudaDeviceGetAttribute(major, cudaDevAttrComputeCapabilityMajor, device);
    return error != cudaSuccess ? error : cudaDeviceGetAttribute(minor, cudaDevAttrComputeCapabilityMinor, device);
}
/// Any handle but null is the one context.
static inline cudaError_t __lsDriverContext(CUcontext* context)
{
    *context = reinterpret_cast<CUcontext>(1);
    return cudaSuccess;
}
static inline const char* __lsDriverErrorName(CUresult error)
{
    switch (error) {
#define LS_NAME(name)                                                                                                  \
    case name:                                                                                                         \
        return #name;
        LS_NAME(CUDA_SUCCESS)
        LS_NAME(CUDA_ERROR_INVALID_VALUE)
        LS_NAME(CUDA_ERROR_OUT_OF_MEMORY)
        LS_NAME(CUDA_ERROR_NOT_INITIALIZED)
        LS_NAME(CUDA_ERROR_NO_DEVICE)
        LS_NAME(CUDA_ERROR_INVALID_DEVICE)
        LS_NAME(CUDA_ERROR_NOT_READY)
        LS_NAME(CUDA_ERROR_ILLEGAL_ADDRESS)
        LS_NAME(CUDA_ERROR_LAUNCH_FAILED)
        LS_NAME(CUDA_ERROR_NOT_SUPPORTED)
        LS_NAME(CUDA_ERROR_UNKNOWN)
#undef LS_NAME
    }
    return cudaGetErrorName((cudaError_t)error);
}

LS_DRIVER(cuInit, (unsigned flags), flags == 0 ? cudaSuccess : cudaErrorInvalidValue)
LS_DRIVER(cuDriverGetVersion, (int* version), cudaDriverGetVersion(version))
LS_DRIVER(cuGetErrorName, (CUresult error, const char** name), (*name = __lsDriverErrorName(error), cudaSuccess))
LS_DRIVER(cuGetErrorString, (CUresult error, const char** text),
          (*text = cudaGetErrorString((cudaError_t)error), cudaSuccess))
LS_DRIVER(cuDeviceGetCount, (int* count), cudaGetDeviceCount(count))
LS_DRIVER(cuDeviceGet, (CUdevice * device, int ordinal), (*device = ordinal, cudaSetDevice(ordinal)))
LS_DRIVER(cuDeviceGetName, (char* name, int bytes, CUdevice device), __lsDriverName(name, bytes, device))
LS_DRIVER(cuDeviceTotalMem, (size_t* bytes, CUdevice device), __lsDriverMemory(bytes, device))
LS_DRIVER(cuDeviceComputeCapability, (int* major, int* minor, CUdevice device),
          __lsDriverCapability(major, minor, device))
LS_DRIVER(cuDeviceGetAttribute, (int* value, CUdevice_attribute attribute, CUdevice device),
          cudaDeviceGetAttribute(value, (cudaDeviceAttr)attribute, device))
LS_DRIVER(cuCtxCreate, (CUcontext * context, unsigned, CUdevice device),
          (__lsDriverContext(context), cudaSetDevice(device)))
LS_DRIVER(cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device),
          (__lsDriverContext(context), cudaSetDevice(device)))
LS_DRIVER(cuDevicePrimaryCtxRelease, (CUdevice), cudaSuccess)
LS_DRIVER(cuCtxDestroy, (CUcontext), cudaSuccess)
LS_DRIVER(cuCtxSetCurrent, (CUcontext), cudaSuccess)
LS_DRIVER(cuCtxPushCurrent, (CUcontext), cudaSuccess)
LS_DRIVER(cuCtxPopCurrent, (CUcontext * context), __lsDriverContext(context))
LS_DRIVER(cuCtxGetCurrent, (CUcontext * context), __lsDriverContext(context))
LS_DRIVER(cuCtxGetDevice, (CUdevice * device), cudaGetDevice(device))
LS_DRIVER(cuCtxSynchronize, (), cudaDeviceSynchronize())
LS_DRIVER(cuMemGetInfo, (size_t* free, size_t* total), cudaMemGetInfo(free, total))
LS_DRIVER(cuMemAlloc, (CUdeviceptr * address, size_t bytes), cudaMalloc(reinterpret_cast<void**>(address), bytes))
LS_DRIVER(cuMemFree, (CUdeviceptr address), cudaFree(__lsDriverPointer(address)))
LS_DRIVER(cuMemAllocHost, (void** pointer, size_t bytes), cudaMallocHost(pointer, bytes))
LS_DRIVER(cuMemFreeHost, (void* pointer), cudaFreeHost(pointer))
LS_DRIVER(cuMemcpyHtoD, (CUdeviceptr to, const void* from, size_t bytes),
          cudaMemcpy(__lsDriverPointer(to), from, bytes, cudaMemcpyHostToDevice))
LS_DRIVER(cuMemcpyDtoH, (void* to, CUdeviceptr from, size_t bytes),
          cudaMemcpy(to, __lsDriverPointer(from), bytes, cudaMemcpyDeviceToHost))
LS_DRIVER(cuMemcpyDtoD, (CUdeviceptr to, CUdeviceptr from, size_t bytes),
          cudaMemcpy(__lsDriverPointer(to), __lsDriverPointer(from), bytes, cudaMemcpyDeviceToDevice))
LS_DRIVER(cuMemsetD8, (CUdeviceptr to, unsigned char value, size_t count),
          cudaMemset(__lsDriverPointer(to), value, count))
#undef LS_DRIVER
#pragma pop_macro("LS_DRIVER")

#define cuCtxCreate_v2 cuCtxCreate
#define cuCtxDestroy_v2 cuCtxDestroy
#define cuDeviceTotalMem_v2 cuDeviceTotalMem
#define cuMemGetInfo_v2 cuMemGetInfo
#define cuMemAlloc_v2 cuMemAlloc
#define cuMemFree_v2 cuMemFree
#define cuMemcpyHtoD_v2 cuMemcpyHtoD
#define cuMemcpyDtoH_v2 cuMemcpyDtoH
#endif

#endif  // __cuda_cuda_h__
