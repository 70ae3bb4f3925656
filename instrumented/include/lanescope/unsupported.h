// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is not there, so that clang says so at the line that uses it. Part of cuda_runtime.h.
#pragma once

#define LS_UNAVAILABLE(what) __attribute__((unavailable(what)))
#define LS_TEXTURES "textures, surfaces and CUDA arrays are not supported"
#define LS_NO_FUNCTION(name, what)                                                                                     \
    template <class... Arguments>                                                                                      \
    LS_UNAVAILABLE(what)                                                                                               \
    cudaError_t name(Arguments...);

typedef unsigned long long cudaTextureObject_t LS_UNAVAILABLE(LS_TEXTURES);
typedef unsigned long long cudaSurfaceObject_t LS_UNAVAILABLE(LS_TEXTURES);
struct LS_UNAVAILABLE(LS_TEXTURES) cudaChannelFormatDesc {
    int x, y, z, w, f;
};
LS_NO_FUNCTION(cudaMallocArray, LS_TEXTURES)
LS_NO_FUNCTION(cudaMalloc3DArray, LS_TEXTURES)
LS_NO_FUNCTION(cudaFreeArray, LS_TEXTURES)
LS_NO_FUNCTION(cudaMemcpyToArray, LS_TEXTURES)
LS_NO_FUNCTION(cudaMemcpy2DToArray, LS_TEXTURES)
LS_NO_FUNCTION(cudaCreateTextureObject, LS_TEXTURES)
LS_NO_FUNCTION(cudaDestroyTextureObject, LS_TEXTURES)
LS_NO_FUNCTION(cudaCreateSurfaceObject, LS_TEXTURES)
LS_NO_FUNCTION(cudaDestroySurfaceObject, LS_TEXTURES)
LS_NO_FUNCTION(cudaBindTexture, "texture references were removed from CUDA")
LS_NO_FUNCTION(cudaUnbindTexture, "texture references were removed from CUDA")
LS_NO_FUNCTION(cudaIpcGetMemHandle, "memory of other processes is not supported")
LS_NO_FUNCTION(cudaIpcOpenMemHandle, "memory of other processes is not supported")
LS_NO_FUNCTION(cudaGraphicsMapResources, "graphics interoperability is not supported")
LS_NO_FUNCTION(cudaGraphicsGLRegisterBuffer, "graphics interoperability is not supported")
LS_NO_FUNCTION(cudaLaunchCooperativeKernelMultiDevice, "launches on several devices are not supported")

#undef LS_NO_FUNCTION
#undef LS_TEXTURES
#undef LS_UNAVAILABLE
