// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is not there, so that clang says so at the line that uses it. Part of cuda_runtime.h.
#pragma once

#define LS_UNAVAILABLE(what) __attribute__((unavailable(what)))
#define LS_MIPMAPS "mipmapped arrays are not supported"
#define LS_NO_FUNCTION(name, what)                                                                                     \
    template <class... Arguments>                                                                                      \
    LS_UNAVAILABLE(what)                                                                                               \
    cudaError_t name(Arguments...);

LS_NO_FUNCTION(cudaMallocMipmappedArray, LS_MIPMAPS)
LS_NO_FUNCTION(cudaGetMipmappedArrayLevel, LS_MIPMAPS)
LS_NO_FUNCTION(cudaBindTexture, "texture references were removed from CUDA 12")
LS_NO_FUNCTION(cudaBindTexture2D, "texture references were removed from CUDA 12")
LS_NO_FUNCTION(cudaBindTextureToArray, "texture references were removed from CUDA 12")
LS_NO_FUNCTION(cudaUnbindTexture, "texture references were removed from CUDA 12")
LS_NO_FUNCTION(cudaIpcGetMemHandle, "memory of other processes is not supported")
LS_NO_FUNCTION(cudaIpcOpenMemHandle, "memory of other processes is not supported")
LS_NO_FUNCTION(cudaGraphicsMapResources, "graphics interoperability is not supported")
LS_NO_FUNCTION(cudaGraphicsGLRegisterBuffer, "graphics interoperability is not supported")
LS_NO_FUNCTION(cudaLaunchCooperativeKernelMultiDevice, "launches on several devices are not supported")

#undef LS_NO_FUNCTION
#undef LS_MIPMAPS
#undef LS_UNAVAILABLE
