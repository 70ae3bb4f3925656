// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that launch kernels, and the part of the runtime API that they may call. clang rejects a launch in device
// code; the compiler driver writes it `lanescope::child<kernel>(grid, block, …)(arguments…)` instead.
#pragma once

#include "../cuda_runtime_api.h"
#include "../vector_functions.h"

#define cudaStreamTailLaunch ((cudaStream_t)3)
#define cudaStreamFireAndForget ((cudaStream_t)4)

#if __cplusplus >= 201703L
extern "C" __device__ int __ls_launch(const void* kernel, const unsigned long long* shape,
                                      const unsigned long long* arguments, unsigned int count);
extern "C" __device__ void __ls_wait_for_children();

namespace lanescope {

/// A kernel's address, which device code itself may not take.
template <auto Kernel>
inline __device__ void* const kernelAddress = (void*)Kernel;

template <auto Kernel>
struct Child;
template <class... Parameters, void (*Kernel)(Parameters...)>
struct Child<Kernel> {
    unsigned long long shape[8];

    LS_INLINE void operator()(Parameters... values) const
    {
#ifdef __CUDA_ARCH__
        const unsigned long long places[] = {(unsigned long long)&values..., 0};
        const unsigned long long sizes[] = {sizeof(Parameters)..., 0};
        unsigned long long arguments[2 * sizeof...(Parameters) + 1];
        for (unsigned int i = 0; i < sizeof...(Parameters); ++i) {
            arguments[2 * i] = places[i];
            arguments[2 * i + 1] = sizes[i];
        }
        __ls_launch(kernelAddress<Kernel>, shape, arguments, sizeof...(Parameters));
#endif
    }
};

template <auto Kernel>
LS_INLINE Child<Kernel> child(dim3 grid, dim3 block, size_t sharedBytes = 0, cudaStream_t stream = nullptr)
{
    return {{grid.x, grid.y, grid.z, block.x, block.y, block.z, sharedBytes, (unsigned long long)stream}};
}

}  // namespace lanescope
#endif

// A kernel's calls of the runtime. Its streams and events order nothing that is not ordered anyway; its memory is the
// heap's.
#define LS_ON_DEVICE __device__ static __inline__ __attribute__((always_inline, nodebug, unused))
LS_ON_DEVICE cudaError_t cudaDeviceSynchronize()
{
#if __cplusplus >= 201703L
    __ls_wait_for_children();
#endif
    return cudaSuccess;
}
// Only declared: Thrust of old writes launches with them, in code for the device that only the host's side reads.
extern "C" __device__ void* cudaGetParameterBuffer(size_t alignment, size_t bytes);
extern "C" __device__ cudaError_t cudaLaunchDevice(void* kernel, void* parameters, dim3 grid, dim3 block,
                                                   unsigned int sharedBytes, cudaStream_t stream);
LS_ON_DEVICE cudaError_t __cudaDeviceSynchronizeDeprecationAvoidance()
{
    return cudaDeviceSynchronize();
}
LS_ON_DEVICE cudaError_t cudaGetLastError()
{
    return cudaSuccess;
}
LS_ON_DEVICE cudaError_t cudaPeekAtLastError()
{
    return cudaSuccess;
}
LS_ON_DEVICE const char* cudaGetErrorString(cudaError_t error)
{
    return error == cudaSuccess ? "no error" : "error";
}
LS_ON_DEVICE const char* cudaGetErrorName(cudaError_t error)
{
    return error == cudaSuccess ? "cudaSuccess" : "error";
}
LS_ON_DEVICE cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int)
{
    *stream = (cudaStream_t)0x10;
    return cudaSuccess;
}
LS_ON_DEVICE cudaError_t cudaStreamDestroy(cudaStream_t)
{
    return cudaSuccess;
}
LS_ON_DEVICE cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned int = 0)
{
    return cudaSuccess;
}
LS_ON_DEVICE cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int)
{
    *event = (cudaEvent_t)0x10;
    return cudaSuccess;
}
LS_ON_DEVICE cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = nullptr)
{
    return cudaSuccess;
}
LS_ON_DEVICE cudaError_t cudaEventDestroy(cudaEvent_t)
{
    return cudaSuccess;
}
LS_ON_DEVICE cudaError_t cudaGetDevice(int* device)
{
    *device = 0;
    return cudaSuccess;
}
LS_ON_DEVICE cudaError_t cudaGetDeviceCount(int* count)
{
    *count = 1;
    return cudaSuccess;
}
LS_ON_DEVICE cudaError_t cudaMalloc(void** pointer, size_t bytes)
{
    *pointer = malloc(bytes);
    return *pointer ? cudaSuccess : cudaErrorMemoryAllocation;
}
template <class T>
LS_ON_DEVICE cudaError_t cudaMalloc(T** pointer, size_t bytes)
{
    return cudaMalloc((void**)pointer, bytes);
}
LS_ON_DEVICE cudaError_t cudaFree(void* pointer)
{
    free(pointer);
    return cudaSuccess;
}
LS_ON_DEVICE cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind,
                                         cudaStream_t = nullptr)
{
    memcpy(to, from, bytes);
    return cudaSuccess;
}
LS_ON_DEVICE cudaError_t cudaMemsetAsync(void* pointer, int value, size_t bytes, cudaStream_t = nullptr)
{
    memset(pointer, value, bytes);
    return cudaSuccess;
}
LS_ON_DEVICE void cudaGridDependencySynchronize()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
LS_ON_DEVICE void cudaTriggerProgrammaticLaunchCompletion()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
#undef LS_ON_DEVICE
