// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Error checks and device choice as the CUDA samples have them. A stand-in, used when the program does not bring its
// own.
#pragma once

#include <stdio.h>
#include <stdlib.h>

#include "helper_string.h"

#include "../lanescope/hide_macros.h"

#define checkCudaErrors(call) __lsCheck((call), #call, __FILE__, __LINE__)
#define getLastCudaError(message) __lsLastError(message, __FILE__, __LINE__, true)
#define printLastCudaError(message) __lsLastError(message, __FILE__, __LINE__, false)
#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif

static inline const char* _cudaGetErrorEnum(cudaError_t error)
{
    return cudaGetErrorName(error);
}
template <class T>
static inline void __lsCheck(T result, const char* call, const char* file, int line)
{
    if (!result)
        return;
    fprintf(stderr, "CUDA error at %s:%d code=%d(%s) \"%s\" \n", file, line, (int)result,
            cudaGetErrorName((cudaError_t)result), call);
    exit(EXIT_FAILURE);
}
static inline void __lsLastError(const char* message, const char* file, int line, bool ends)
{
    const cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s(%i) : CUDA error : %s : (%d) %s.\n", file, line, message, (int)error,
            cudaGetErrorString(error));
    if (ends)
        exit(EXIT_FAILURE);
}
static inline int ftoi(float value)
{
    return (int)(value >= 0 ? value + 0.5 : value - 0.5);
}
static inline int _ConvertSMVer2Cores(int major, int)
{
    return major >= 9 || major == 8 ? 128 : 64;
}
static inline const char* _ConvertSMVer2ArchName(int, int)
{
    return "Hopper";
}
static inline int gpuGetMaxGflopsDeviceId()
{
    return 0;
}
static inline int gpuDeviceInit(int device)
{
    checkCudaErrors(cudaSetDevice(device));
    return device;
}
static inline int findCudaDevice(int argc, const char** argv)
{
    const int device = checkCmdLineFlag(argc, argv, "device") ? getCmdLineArgumentInt(argc, argv, "device") : 0;
    checkCudaErrors(cudaSetDevice(device));
    cudaDeviceProp properties;
    checkCudaErrors(cudaGetDeviceProperties(&properties, device));
    printf("GPU Device %d: \"%s\" with compute capability %d.%d\n\n", device, properties.name, properties.major,
           properties.minor);
    return device;
}
static inline int findIntegratedGPU()
{
    return -1;
}
static inline bool checkCudaCapabilities(int major, int minor)
{
    cudaDeviceProp properties;
    checkCudaErrors(cudaGetDeviceProperties(&properties, 0));
    return properties.major > major || (properties.major == major && properties.minor >= minor);
}

#include "../lanescope/restore_macros.h"
