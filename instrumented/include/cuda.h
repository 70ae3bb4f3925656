// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types of the driver API that runtime programs mention. The driver API itself is not provided.
#pragma once

#include "cuda_runtime_api.h"

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st* CUcontext;
typedef struct CUmod_st* CUmodule;
typedef struct CUfunc_st* CUfunction;
typedef struct CUstream_st* CUstream;
typedef struct CUevent_st* CUevent;
