// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of cuBLAS that small programs use: vectors, and products of dense matrices. Each function is a plain kernel
// of one thread per result, launched like the program's own, so that it is simulated, recorded and checked like these;
// complex numbers, triangles and factorisations are the host's (lanescope/blas_host.h).
// What is missing is not declared.
#pragma once

#ifndef CUBLAS_V2_H_
#define CUBLAS_V2_H_
#define CUBLAS_API_H_

#include "cuComplex.h"
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime.h"
#include "lanescope/blas_host.h"
#include "lanescope/blas_kernels.h"
#include "lanescope/blas_types.h"
#include "lanescope/hide_macros.h"

static inline cublasStatus_t __lsBlasStatus()
{
    return cudaPeekAtLastError() == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

// clang-format off
static inline cublasStatus_t cublasCreate(cublasHandle_t* handle)
{
    *handle = new cublasContext();
    return CUBLAS_STATUS_SUCCESS;
}
static inline cublasStatus_t cublasDestroy(cublasHandle_t handle)
{
    delete handle;
    return CUBLAS_STATUS_SUCCESS;
}
#define LS_PROPERTY(name, type, member)                                                                                \
    static inline cublasStatus_t cublasSet##name(cublasHandle_t handle, type value)                                    \
    {                                                                                                                  \
        handle->member = value;                                                                                        \
        return CUBLAS_STATUS_SUCCESS;                                                                                  \
    }                                                                                                                  \
    static inline cublasStatus_t cublasGet##name(cublasHandle_t handle, type* value)                                   \
    {                                                                                                                  \
        *value = handle->member;                                                                                       \
        return CUBLAS_STATUS_SUCCESS;                                                                                  \
    }
LS_PROPERTY(Stream, cudaStream_t, stream)
LS_PROPERTY(PointerMode, cublasPointerMode_t, pointerMode)
LS_PROPERTY(MathMode, cublasMath_t, mathMode)
LS_PROPERTY(AtomicsMode, cublasAtomicsMode_t, atomicsMode)
#undef LS_PROPERTY
static inline cublasStatus_t cublasSetWorkspace(cublasHandle_t, void*, size_t) { return CUBLAS_STATUS_SUCCESS; }
static inline cublasStatus_t cublasGetVersion(cublasHandle_t, int* version)
{
    *version = 120400;
    return CUBLAS_STATUS_SUCCESS;
}
static inline const char* cublasGetStatusName(cublasStatus_t status)
{
    switch (status) {
#define LS_NAME(name) case name: return #name;
    LS_NAME(CUBLAS_STATUS_SUCCESS) LS_NAME(CUBLAS_STATUS_NOT_INITIALIZED) LS_NAME(CUBLAS_STATUS_ALLOC_FAILED)
    LS_NAME(CUBLAS_STATUS_INVALID_VALUE) LS_NAME(CUBLAS_STATUS_ARCH_MISMATCH) LS_NAME(CUBLAS_STATUS_MAPPING_ERROR)
    LS_NAME(CUBLAS_STATUS_EXECUTION_FAILED) LS_NAME(CUBLAS_STATUS_INTERNAL_ERROR) LS_NAME(CUBLAS_STATUS_NOT_SUPPORTED)
    LS_NAME(CUBLAS_STATUS_LICENSE_ERROR)
#undef LS_NAME
    }
    return "unknown status";
}
static inline const char* cublasGetStatusString(cublasStatus_t status) { return cublasGetStatusName(status); }

// Vectors and matrices of the host.
static inline cublasStatus_t __lsBlasCopy(size_t rows, int columns, int elementBytes, const void* from, int fromRows,
                                          void* to, int toRows, cudaMemcpyKind kind)
{
    const cudaError_t error = cudaMemcpy2D(to, (size_t)toRows * elementBytes, from, (size_t)fromRows * elementBytes,
                                           rows * elementBytes, columns, kind);
    return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}
static inline cublasStatus_t cublasSetVector(int n, int bytes, const void* from, int fromStep, void* to, int toStep)
{
    return __lsBlasCopy(1, n, bytes, from, fromStep, to, toStep, cudaMemcpyHostToDevice);
}
static inline cublasStatus_t cublasGetVector(int n, int bytes, const void* from, int fromStep, void* to, int toStep)
{
    return __lsBlasCopy(1, n, bytes, from, fromStep, to, toStep, cudaMemcpyDeviceToHost);
}
static inline cublasStatus_t cublasSetMatrix(int rows, int columns, int bytes, const void* from, int fromRows, void* to, int toRows)
{
    return __lsBlasCopy(rows, columns, bytes, from, fromRows, to, toRows, cudaMemcpyHostToDevice);
}
static inline cublasStatus_t cublasGetMatrix(int rows, int columns, int bytes, const void* from, int fromRows, void* to, int toRows)
{
    return __lsBlasCopy(rows, columns, bytes, from, fromRows, to, toRows, cudaMemcpyDeviceToHost);
}

/// A number at \p pointer, which lies where the handle's pointer mode says.
template <class T>
static inline __lsBlas::Scalar<T> __lsBlasScalar(cublasHandle_t handle, const T* pointer)
{
    return handle->pointerMode == CUBLAS_POINTER_MODE_HOST ? __lsBlas::Scalar<T>{*pointer, nullptr}
                                                           : __lsBlas::Scalar<T>{T(), pointer};
}

/// One thread computes the result \p value(i) of all n elements, in order, and stores it where the program wants it.
template <class R, class T, class Kernel>
static inline cublasStatus_t __lsBlasReduce(cublasHandle_t handle, Kernel kernel, int n, const T* x, int stepX,
                                            const T* y, int stepY, R* result)
{
    R* target = result;
    if (handle->pointerMode == CUBLAS_POINTER_MODE_HOST)
        (void)cudaMallocAsync((void**)&target, sizeof(R), handle->stream);
    kernel<<<1, 256, 0, handle->stream>>>(n, x, stepX, y, stepY, target);
    if (handle->pointerMode == CUBLAS_POINTER_MODE_HOST) {
        (void)cudaMemcpyAsync(result, target, sizeof(R), cudaMemcpyDeviceToHost, handle->stream);
        (void)cudaStreamSynchronize(handle->stream);
        (void)cudaFreeAsync(target, handle->stream);
    }
    return __lsBlasStatus();
}

#define LS_BLAS(letter, lower, T)                                                                                           \
    static inline cublasStatus_t cublas##letter##axpy(cublasHandle_t h, int n, const T* a, const T* x, int ix, T* y, int iy) \
    {                                                                                                                  \
        __lsBlas::axpy<T><<<(n + 255) / 256, 256, 0, h->stream>>>(n, __lsBlasScalar(h, a), x, ix, y, iy);              \
        return __lsBlasStatus();                                                                                       \
    }                                                                                                                  \
    static inline cublasStatus_t cublas##letter##scal(cublasHandle_t h, int n, const T* a, T* x, int ix)               \
    {                                                                                                                  \
        __lsBlas::scale<T><<<(n + 255) / 256, 256, 0, h->stream>>>(n, __lsBlasScalar(h, a), x, ix);                    \
        return __lsBlasStatus();                                                                                       \
    }                                                                                                                  \
    static inline cublasStatus_t cublas##letter##copy(cublasHandle_t h, int n, const T* x, int ix, T* y, int iy)       \
    {                                                                                                                  \
        __lsBlas::copy<T><<<(n + 255) / 256, 256, 0, h->stream>>>(n, x, ix, y, iy);                                    \
        return __lsBlasStatus();                                                                                       \
    }                                                                                                                  \
    static inline cublasStatus_t cublas##letter##swap(cublasHandle_t h, int n, T* x, int ix, T* y, int iy)             \
    {                                                                                                                  \
        __lsBlas::exchange<T><<<(n + 255) / 256, 256, 0, h->stream>>>(n, x, ix, y, iy);                                \
        return __lsBlasStatus();                                                                                       \
    }                                                                                                                  \
    static inline cublasStatus_t cublas##letter##dot(cublasHandle_t h, int n, const T* x, int ix, const T* y, int iy, T* r) \
    {                                                                                                                  \
        return __lsBlasReduce(h, __lsBlas::sum<T, __lsBlas::Product>, n, x, ix, y, iy, r);                             \
    }                                                                                                                  \
    static inline cublasStatus_t cublas##letter##nrm2(cublasHandle_t h, int n, const T* x, int ix, T* r)               \
    {                                                                                                                  \
        return __lsBlasReduce(h, __lsBlas::norm<T>, n, x, ix, x, ix, r);                                \
    }                                                                                                                  \
    static inline cublasStatus_t cublas##letter##asum(cublasHandle_t h, int n, const T* x, int ix, T* r)               \
    {                                                                                                                  \
        return __lsBlasReduce(h, __lsBlas::sum<T, __lsBlas::Magnitude>, n, x, ix, x, ix, r);                           \
    }                                                                                                                  \
    static inline cublasStatus_t cublasI##lower##amax(cublasHandle_t h, int n, const T* x, int ix, int* r)            \
    {                                                                                                                  \
        return __lsBlasReduce(h, __lsBlas::extreme<T, true>, n, x, ix, x, ix, r);                                      \
    }                                                                                                                  \
    static inline cublasStatus_t cublasI##lower##amin(cublasHandle_t h, int n, const T* x, int ix, int* r)            \
    {                                                                                                                  \
        return __lsBlasReduce(h, __lsBlas::extreme<T, false>, n, x, ix, x, ix, r);                                     \
    }                                                                                                                  \
    static inline cublasStatus_t cublas##letter##gemv(cublasHandle_t h, cublasOperation_t op, int m, int n, const T* alpha, \
                                                      const T* A, int lda, const T* x, int ix, const T* beta, T* y, int iy) \
    {                                                                                                                  \
        const bool turned = op != CUBLAS_OP_N;                                                                         \
        const int rows = turned ? n : m;                                                                               \
        __lsBlas::matrixVector<T><<<(rows + 255) / 256, 256, 0, h->stream>>>(                                          \
            rows, turned ? m : n, __lsBlasScalar(h, alpha), A, turned ? lda : 1, turned ? 1 : lda, x, ix,              \
            __lsBlasScalar(h, beta), y, iy);                                                                           \
        return __lsBlasStatus();                                                                                       \
    }                                                                                                                  \
    static inline cublasStatus_t cublas##letter##ger(cublasHandle_t h, int m, int n, const T* alpha, const T* x, int ix, \
                                                     const T* y, int iy, T* A, int lda)                                \
    {                                                                                                                  \
        __lsBlas::rankOne<T><<<dim3((m + 15) / 16, (n + 15) / 16), dim3(16, 16), 0, h->stream>>>(                      \
            m, n, __lsBlasScalar(h, alpha), x, ix, y, iy, A, lda);                                                     \
        return __lsBlasStatus();                                                                                       \
    }                                                                                                                  \
    static inline cublasStatus_t cublas##letter##geam(cublasHandle_t h, cublasOperation_t opA, cublasOperation_t opB,  \
                                                      int m, int n, const T* alpha, const T* A, int lda, const T* beta, \
                                                      const T* B, int ldb, T* C, int ldc)                              \
    {                                                                                                                  \
        __lsBlas::matrixSum<T><<<dim3((m + 15) / 16, (n + 15) / 16), dim3(16, 16), 0, h->stream>>>(                    \
            m, n, __lsBlasScalar(h, alpha), A, opA ? lda : 1, opA ? 1 : lda, __lsBlasScalar(h, beta), B,               \
            opB ? ldb : 1, opB ? 1 : ldb, C, ldc);                                                                     \
        return __lsBlasStatus();                                                                                       \
    }
LS_BLAS(S, s, float)
LS_BLAS(D, d, double)
#undef LS_BLAS

/// C = alpha op(A) op(B) + beta C, columns first, \p batches of them; S: of alpha, beta and the sums.
template <class S, class A, class C>
static inline cublasStatus_t __lsBlasProduct(cublasHandle_t h, cublasOperation_t opA, cublasOperation_t opB, int m, int n,
                                             int k, const S* alpha, const A* a, int lda, long long strideA, const A* b,
                                             int ldb, long long strideB, const S* beta, C* c, int ldc,
                                             long long strideC, int batches)
{
    if (m == 0 || n == 0 || batches == 0)
        return CUBLAS_STATUS_SUCCESS;
    __lsBlas::product<S, A, C><<<dim3((m + 15) / 16, (n + 15) / 16, batches), dim3(16, 16), 0, h->stream>>>(
        m, n, k, __lsBlasScalar(h, alpha), a, opA ? lda : 1, opA ? 1 : lda, strideA, b, opB ? ldb : 1, opB ? 1 : ldb,
        strideB, __lsBlasScalar(h, beta), c, ldc, strideC);
    return __lsBlasStatus();
}
#define LS_GEMM(letter, T)                                                                                             \
    static inline cublasStatus_t cublas##letter##gemm(                                                                 \
        cublasHandle_t h, cublasOperation_t opA, cublasOperation_t opB, int m, int n, int k, const T* alpha, const T* A, \
        int lda, const T* B, int ldb, const T* beta, T* C, int ldc)                                                    \
    {                                                                                                                  \
        return __lsBlasProduct(h, opA, opB, m, n, k, alpha, A, lda, 0, B, ldb, 0, beta, C, ldc, 0, 1);                 \
    }                                                                                                                  \
    static inline cublasStatus_t cublas##letter##gemmStridedBatched(                                                   \
        cublasHandle_t h, cublasOperation_t opA, cublasOperation_t opB, int m, int n, int k, const T* alpha, const T* A, \
        int lda, long long strideA, const T* B, int ldb, long long strideB, const T* beta, T* C, int ldc,              \
        long long strideC, int batches)                                                                                \
    {                                                                                                                  \
        return __lsBlasProduct(h, opA, opB, m, n, k, alpha, A, lda, strideA, B, ldb, strideB, beta, C, ldc, strideC,   \
                               batches);                                                                               \
    }                                                                                                                  \
    static inline cublasStatus_t cublas##letter##gemmBatched(                                                          \
        cublasHandle_t h, cublasOperation_t opA, cublasOperation_t opB, int m, int n, int k, const T* alpha,           \
        const T* const A[], int lda, const T* const B[], int ldb, const T* beta, T* const C[], int ldc, int batches)   \
    {                                                                                                                  \
        __lsBlas::productOfEach<T><<<dim3((m + 15) / 16, (n + 15) / 16, batches), dim3(16, 16), 0, h->stream>>>(       \
            m, n, k, __lsBlasScalar(h, alpha), A, opA ? lda : 1, opA ? 1 : lda, B, opB ? ldb : 1, opB ? 1 : ldb,       \
            __lsBlasScalar(h, beta), C, ldc);                                                                          \
        return __lsBlasStatus();                                                                                       \
    }
LS_GEMM(S, float)
LS_GEMM(D, double)
LS_GEMM(H, __half)
#undef LS_GEMM

/// \p bType is \p aType everywhere cuBLAS takes them; alpha and beta are float, or double for double.
static inline cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t h, cublasOperation_t opA, cublasOperation_t opB, int m, int n, int k, const void* alpha, const void* A,
    cudaDataType aType, int lda, long long strideA, const void* B, cudaDataType, int ldb, long long strideB,
    const void* beta, void* C, cudaDataType cType, int ldc, long long strideC, int batches,
    cublasComputeType_t compute, cublasGemmAlgo_t)
{
#define LS_TYPES(S, aName, TA, cName, TC)                                                                              \
    if (aType == aName && cType == cName)                                                                              \
        return __lsBlasProduct(h, opA, opB, m, n, k, (const S*)alpha, (const TA*)A, lda, strideA, (const TA*)B, ldb,   \
                               strideB, (const S*)beta, (TC*)C, ldc, strideC, batches);
    if (compute == CUBLAS_COMPUTE_16F) {
        LS_TYPES(__half, CUDA_R_16F, __half, CUDA_R_16F, __half)
    }
    if (compute == CUBLAS_COMPUTE_32I) {
        LS_TYPES(int, CUDA_R_8I, signed char, CUDA_R_32I, int)
    }
    LS_TYPES(float, CUDA_R_32F, float, CUDA_R_32F, float)
    LS_TYPES(double, CUDA_R_64F, double, CUDA_R_64F, double)
    LS_TYPES(float, CUDA_R_16F, __half, CUDA_R_16F, __half)
    LS_TYPES(float, CUDA_R_16F, __half, CUDA_R_32F, float)
    LS_TYPES(float, CUDA_R_16BF, __nv_bfloat16, CUDA_R_16BF, __nv_bfloat16)
    LS_TYPES(float, CUDA_R_16BF, __nv_bfloat16, CUDA_R_32F, float)
#undef LS_TYPES
    return CUBLAS_STATUS_NOT_SUPPORTED;
}
static inline cublasStatus_t cublasGemmEx(cublasHandle_t h, cublasOperation_t opA, cublasOperation_t opB, int m, int n, int k,
                                          const void* alpha, const void* A, cudaDataType aType, int lda, const void* B,
                                          cudaDataType bType, int ldb, const void* beta, void* C, cudaDataType cType,
                                          int ldc, cublasComputeType_t compute, cublasGemmAlgo_t algorithm)
{
    return cublasGemmStridedBatchedEx(h, opA, opB, m, n, k, alpha, A, aType, lda, 0, B, bType, ldb, 0, beta, C, cType,
                                      ldc, 0, 1, compute, algorithm);
}
static inline cublasStatus_t cublasSgemmEx(cublasHandle_t h, cublasOperation_t opA, cublasOperation_t opB, int m, int n, int k,
                                           const float* alpha, const void* A, cudaDataType aType, int lda, const void* B,
                                           cudaDataType bType, int ldb, const float* beta, void* C, cudaDataType cType,
                                           int ldc)
{
    return cublasGemmEx(h, opA, opB, m, n, k, alpha, A, aType, lda, B, bType, ldb, beta, C, cType, ldc,
                        CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
}
/// As toolkits before 11 had it: the type of the sums in place of the way of computing.
static inline cublasStatus_t cublasGemmEx(cublasHandle_t h, cublasOperation_t opA, cublasOperation_t opB, int m, int n, int k,
                                          const void* alpha, const void* A, cudaDataType aType, int lda, const void* B,
                                          cudaDataType bType, int ldb, const void* beta, void* C, cudaDataType cType,
                                          int ldc, cudaDataType sums, cublasGemmAlgo_t algorithm)
{
    return cublasGemmEx(h, opA, opB, m, n, k, alpha, A, aType, lda, B, bType, ldb, beta, C, cType, ldc,
                        sums == CUDA_R_16F ? CUBLAS_COMPUTE_16F : sums == CUDA_R_32I ? CUBLAS_COMPUTE_32I : CUBLAS_COMPUTE_32F,
                        algorithm);
}
// clang-format on

#include "lanescope/restore_macros.h"

#endif  // CUBLAS_V2_H_
