// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An array that lies in parts on several GPUs, as cuFFT has them.
#pragma once

#ifndef CUDA_LIB_XT_H_
#define CUDA_LIB_XT_H_

#include "driver_types.h"

#define CUDA_XT_DESCRIPTOR_VERSION 0x01000000
#define MAX_CUDA_DESCRIPTOR_GPUS 64

typedef enum cudaXtCopyType_t {
    LIB_XT_COPY_HOST_TO_DEVICE,
    LIB_XT_COPY_DEVICE_TO_HOST,
    LIB_XT_COPY_DEVICE_TO_DEVICE
} cudaLibXtCopyType;
typedef enum libFormat_t { LIB_FORMAT_CUFFT = 0x0, LIB_FORMAT_UNDEFINED = 0x1 } libFormat;

typedef struct cudaXtDesc_t {
    int version;
    int nGPUs;
    int GPUs[MAX_CUDA_DESCRIPTOR_GPUS];
    void* data[MAX_CUDA_DESCRIPTOR_GPUS];
    size_t size[MAX_CUDA_DESCRIPTOR_GPUS];  ///< in bytes
    void* cudaXtState;
} cudaXtDesc;

typedef struct cudaLibXtDesc_t {
    int version;
    cudaXtDesc* descriptor;
    libFormat library;
    int subFormat;
    void* libDescriptor;
} cudaLibXtDesc;

#endif
