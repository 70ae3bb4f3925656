// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What nvcc includes into every .cu file, for clang: the whole CUDA runtime API and the device builtins.
// Device math overloads come before <cmath>, so that <cmath>'s using-declarations pick them up.
#pragma once

#include "host_defines.h"
#include "vector_functions.h"
#include "vector_types.h"

#if defined(__CUDA__)
#include "device_launch_parameters.h"
#include "lanescope/device_math.h"
#endif

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <new>

#include "cuda_runtime_api.h"

#if defined(__CUDA__)
#include "lanescope/device_atomics.h"
#include "lanescope/device_intrinsics.h"
#include "lanescope/device_library.h"
#include "lanescope/device_warp.h"
#endif

// Typed forms of the C functions.
template <class T>
static inline cudaError_t cudaMalloc(T** pointer, size_t bytes)
{
    return ::cudaMalloc(reinterpret_cast<void**>(pointer), bytes);
}
template <class T>
static inline cudaError_t cudaMallocPitch(T** pointer, size_t* pitch, size_t width, size_t height)
{
    return ::cudaMallocPitch(reinterpret_cast<void**>(pointer), pitch, width, height);
}
template <class T>
static inline cudaError_t cudaMallocHost(T** pointer, size_t bytes, unsigned int flags = 0)
{
    return ::cudaHostAlloc(reinterpret_cast<void**>(pointer), bytes, flags);
}
template <class T>
static inline cudaError_t cudaHostAlloc(T** pointer, size_t bytes, unsigned int flags)
{
    return ::cudaHostAlloc(reinterpret_cast<void**>(pointer), bytes, flags);
}
template <class T>
static inline cudaError_t cudaHostGetDevicePointer(T** devicePointer, void* hostPointer, unsigned int flags)
{
    return ::cudaHostGetDevicePointer(reinterpret_cast<void**>(devicePointer), hostPointer, flags);
}
template <class T>
static inline cudaError_t cudaMallocManaged(T** pointer, size_t bytes, unsigned int flags = cudaMemAttachGlobal)
{
    return ::cudaMallocManaged(reinterpret_cast<void**>(pointer), bytes, flags);
}
template <class T>
static inline cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, size_t bytes, size_t offset = 0,
                                             cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return ::cudaMemcpyToSymbol(static_cast<const void*>(&symbol), from, bytes, offset, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t bytes, size_t offset = 0,
                                               cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return ::cudaMemcpyFromSymbol(to, static_cast<const void*>(&symbol), bytes, offset, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, size_t bytes, size_t offset = 0,
                                                  cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0)
{
    return ::cudaMemcpyToSymbolAsync(static_cast<const void*>(&symbol), from, bytes, offset, kind, stream);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, size_t bytes, size_t offset = 0,
                                                    cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                                    cudaStream_t stream = 0)
{
    return ::cudaMemcpyFromSymbolAsync(to, static_cast<const void*>(&symbol), bytes, offset, kind, stream);
}
template <class T>
static inline cudaError_t cudaGetSymbolAddress(void** pointer, const T& symbol)
{
    return ::cudaGetSymbolAddress(pointer, static_cast<const void*>(&symbol));
}
template <class T>
static inline cudaError_t cudaGetSymbolSize(size_t* bytes, const T& symbol)
{
    return ::cudaGetSymbolSize(bytes, static_cast<const void*>(&symbol));
}
static inline cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned int flags)
{
    return ::cudaEventCreateWithFlags(event, flags);
}
template <class T>
static inline cudaError_t cudaLaunchKernel(const T* function, dim3 grid, dim3 block, void** arguments,
                                           size_t sharedBytes = 0, cudaStream_t stream = 0)
{
    return ::cudaLaunchKernel(reinterpret_cast<const void*>(function), grid, block, arguments, sharedBytes, stream);
}
template <class T>
static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, T* function)
{
    return ::cudaFuncGetAttributes(attributes, reinterpret_cast<const void*>(function));
}
template <class T>
static inline cudaError_t cudaFuncSetAttribute(T* function, cudaFuncAttribute attribute, int value)
{
    return ::cudaFuncSetAttribute(reinterpret_cast<const void*>(function), attribute, value);
}
template <class T>
static inline cudaError_t cudaFuncSetCacheConfig(T* function, cudaFuncCache config)
{
    return ::cudaFuncSetCacheConfig(reinterpret_cast<const void*>(function), config);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, T function, int blockSize,
                                                                        size_t dynamicSharedBytes)
{
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, reinterpret_cast<const void*>(function), blockSize,
                                                           dynamicSharedBytes);
}
/// The block size, of the multiples of a warp, that keeps most threads resident on a multiprocessor.
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int* minGridSize, int* blockSize, T function,
                                                             size_t dynamicSharedBytes = 0, int blockSizeLimit = 0)
{
    int best = 0;
    int bestThreads = 0;
    int bestBlocks = 0;
    const int limit = blockSizeLimit > 0 && blockSizeLimit < 1024 ? blockSizeLimit : 1024;
    for (int size = limit; size >= 32; size -= 32) {
        int blocks = 0;
        cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, size, dynamicSharedBytes);
        if (error != cudaSuccess)
            return error;
        if (blocks * size > bestThreads) {
            best = size;
            bestThreads = blocks * size;
            bestBlocks = blocks;
        }
    }
    *blockSize = best;
    *minGridSize = bestBlocks * 132;
    return cudaSuccess;
}
