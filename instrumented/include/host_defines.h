// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUDA's function and variable qualifiers, as clang attributes; nothing for a plain C++ compiler.
#pragma once

#define __LANESCOPE__ 1

#if defined(__CUDA__)
#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 4
#define __CUDACC_VER_BUILD__ 0
#if defined(__CLANG_RDC__)
#define __CUDACC_RDC__ 1
#endif
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __cluster_dims__(...) __attribute__((annotate("lanescope.cluster_dims", __VA_ARGS__)))
#define __grid_constant__
#define __maxnreg__(n)
#if defined(__CUDA_ARCH__)
#define __managed__ __attribute__((device, section("lanescope_managed")))
#else
// On pages of its own, so that the runtime can notice the host's touching it too early.
#define __managed__ __attribute__((device, section("lanescope_managed"), aligned(4096)))
#endif
#define __noinline__ __attribute__((noinline))
#else
#define __host__
#define __device__
#endif
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __device_builtin__
#define __cudart_builtin__
#define CUDARTAPI
#define __NV_SILENCE_DEPRECATION_BEGIN
#define __NV_SILENCE_DEPRECATION_END
#define CUDART_CB

// Functions of these headers leave no frame and no line of their own in a debugged kernel: what they do belongs to
// the line that calls them.
#if defined(__CUDA__)
#define LS_INLINE __attribute__((host, device, always_inline, nodebug))
#define LS_DEVICE static __inline__ __attribute__((device, always_inline, nodebug, unused))
#define LS_HOST_DEVICE static __inline__ __attribute__((host, device, always_inline, nodebug, unused))
#else
#define LS_INLINE __attribute__((always_inline))
#define LS_HOST_DEVICE static __inline__ __attribute__((always_inline, unused))
#endif
