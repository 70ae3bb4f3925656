// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Handles of cuBLASLt, which programs make beside cuBLAS's. Its products are not there: clang says so at the line that
// asks for one.
#pragma once

#include "cublas_v2.h"

struct cublasLtContext {};
typedef cublasLtContext* cublasLtHandle_t;

static inline cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle)
{
    *handle = new cublasLtContext();
    return CUBLAS_STATUS_SUCCESS;
}
static inline cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle)
{
    delete handle;
    return CUBLAS_STATUS_SUCCESS;
}
