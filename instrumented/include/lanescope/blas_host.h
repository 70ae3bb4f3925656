// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of cuBLAS that the host computes (instrumented/math): complex numbers, triangular and symmetric
// matrices, batches of factorisations. What they read and write of the device is copied, in their stream, and so
// checked. Part of cublas_v2.h.
#pragma once

#include "../cuComplex.h"
#include "blas_types.h"

#ifdef __cplusplus
extern "C" {
#endif

// clang-format off
// Of all four formats. T: of the numbers.
#define LS_BLAS_HOST(L, T)                                                                                             \
    cublasStatus_t cublas##L##trsv(cublasHandle_t, cublasFillMode_t, cublasOperation_t, cublasDiagType_t, int n, const T* A, int lda, T* x, int stepX); \
    cublasStatus_t cublas##L##trmv(cublasHandle_t, cublasFillMode_t, cublasOperation_t, cublasDiagType_t, int n, const T* A, int lda, T* x, int stepX); \
    cublasStatus_t cublas##L##symv(cublasHandle_t, cublasFillMode_t, int n, const T* alpha, const T* A, int lda, const T* x, int stepX, const T* beta, T* y, int stepY); \
    cublasStatus_t cublas##L##trsm(cublasHandle_t, cublasSideMode_t, cublasFillMode_t, cublasOperation_t, cublasDiagType_t, int m, int n, const T* alpha, const T* A, int lda, T* B, int ldb); \
    cublasStatus_t cublas##L##trsmBatched(cublasHandle_t, cublasSideMode_t, cublasFillMode_t, cublasOperation_t, cublasDiagType_t, int m, int n, const T* alpha, const T* const As[], int lda, T* const Bs[], int ldb, int batches); \
    cublasStatus_t cublas##L##trmm(cublasHandle_t, cublasSideMode_t, cublasFillMode_t, cublasOperation_t, cublasDiagType_t, int m, int n, const T* alpha, const T* A, int lda, const T* B, int ldb, T* C, int ldc); \
    cublasStatus_t cublas##L##symm(cublasHandle_t, cublasSideMode_t, cublasFillMode_t, int m, int n, const T* alpha, const T* A, int lda, const T* B, int ldb, const T* beta, T* C, int ldc); \
    cublasStatus_t cublas##L##syrk(cublasHandle_t, cublasFillMode_t, cublasOperation_t, int n, int k, const T* alpha, const T* A, int lda, const T* beta, T* C, int ldc); \
    cublasStatus_t cublas##L##syr2k(cublasHandle_t, cublasFillMode_t, cublasOperation_t, int n, int k, const T* alpha, const T* A, int lda, const T* B, int ldb, const T* beta, T* C, int ldc); \
    cublasStatus_t cublas##L##dgmm(cublasHandle_t, cublasSideMode_t, int m, int n, const T* A, int lda, const T* x, int stepX, T* C, int ldc); \
    cublasStatus_t cublas##L##getrfBatched(cublasHandle_t, int n, T* const As[], int lda, int* pivots, int* infos, int batches); \
    cublasStatus_t cublas##L##getrsBatched(cublasHandle_t, cublasOperation_t, int n, int nrhs, const T* const As[], int lda, const int* pivots, T* const Bs[], int ldb, int* info, int batches); \
    cublasStatus_t cublas##L##getriBatched(cublasHandle_t, int n, const T* const As[], int lda, const int* pivots, T* const Cs[], int ldc, int* infos, int batches); \
    cublasStatus_t cublas##L##gelsBatched(cublasHandle_t, cublasOperation_t, int m, int n, int nrhs, T* const As[], int lda, T* const Cs[], int ldc, int* info, int* infos, int batches); \
    cublasStatus_t cublas##L##matinvBatched(cublasHandle_t, int n, const T* const As[], int lda, T* const Cs[], int ldc, int* infos, int batches);
LS_BLAS_HOST(S, float)
LS_BLAS_HOST(D, double)
LS_BLAS_HOST(C, cuComplex)
LS_BLAS_HOST(Z, cuDoubleComplex)
#undef LS_BLAS_HOST

// Of complex ones; the real formats' are kernels. R: real numbers of their precision; the other names are letters of functions.
#define LS_BLAS_HOST(L, l, LR, RL, T, R)                                                                               \
    cublasStatus_t cublas##L##axpy(cublasHandle_t, int n, const T* alpha, const T* x, int stepX, T* y, int stepY);     \
    cublasStatus_t cublas##L##scal(cublasHandle_t, int n, const T* alpha, T* x, int stepX);                            \
    cublasStatus_t cublas##LR##scal(cublasHandle_t, int n, const R* alpha, T* x, int stepX);                           \
    cublasStatus_t cublas##L##copy(cublasHandle_t, int n, const T* x, int stepX, T* y, int stepY);                     \
    cublasStatus_t cublas##L##swap(cublasHandle_t, int n, T* x, int stepX, T* y, int stepY);                           \
    cublasStatus_t cublas##L##dotu(cublasHandle_t, int n, const T* x, int stepX, const T* y, int stepY, T* result);    \
    cublasStatus_t cublas##L##dotc(cublasHandle_t, int n, const T* x, int stepX, const T* y, int stepY, T* result);    \
    cublasStatus_t cublas##RL##nrm2(cublasHandle_t, int n, const T* x, int stepX, R* result);                          \
    cublasStatus_t cublas##RL##asum(cublasHandle_t, int n, const T* x, int stepX, R* result);                          \
    cublasStatus_t cublasI##l##amax(cublasHandle_t, int n, const T* x, int stepX, int* result);                        \
    cublasStatus_t cublasI##l##amin(cublasHandle_t, int n, const T* x, int stepX, int* result);                        \
    cublasStatus_t cublas##L##gemv(cublasHandle_t, cublasOperation_t, int m, int n, const T* alpha, const T* A, int lda, const T* x, int stepX, const T* beta, T* y, int stepY); \
    cublasStatus_t cublas##L##geru(cublasHandle_t, int m, int n, const T* alpha, const T* x, int stepX, const T* y, int stepY, T* A, int lda); \
    cublasStatus_t cublas##L##gerc(cublasHandle_t, int m, int n, const T* alpha, const T* x, int stepX, const T* y, int stepY, T* A, int lda); \
    cublasStatus_t cublas##L##geam(cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n, const T* alpha, const T* A, int lda, const T* beta, const T* B, int ldb, T* C, int ldc); \
    cublasStatus_t cublas##L##gemm(cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n, int k, const T* alpha, const T* A, int lda, const T* B, int ldb, const T* beta, T* C, int ldc); \
    cublasStatus_t cublas##L##gemm3m(cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n, int k, const T* alpha, const T* A, int lda, const T* B, int ldb, const T* beta, T* C, int ldc); \
    cublasStatus_t cublas##L##gemmStridedBatched(cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n, int k, const T* alpha, const T* A, int lda, long long strideA, const T* B, int ldb, long long strideB, const T* beta, T* C, int ldc, long long strideC, int batches); \
    cublasStatus_t cublas##L##gemmBatched(cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n, int k, const T* alpha, const T* const As[], int lda, const T* const Bs[], int ldb, const T* beta, T* const Cs[], int ldc, int batches); \
    cublasStatus_t cublas##L##hemv(cublasHandle_t, cublasFillMode_t, int n, const T* alpha, const T* A, int lda, const T* x, int stepX, const T* beta, T* y, int stepY); \
    cublasStatus_t cublas##L##hemm(cublasHandle_t, cublasSideMode_t, cublasFillMode_t, int m, int n, const T* alpha, const T* A, int lda, const T* B, int ldb, const T* beta, T* C, int ldc); \
    cublasStatus_t cublas##L##herk(cublasHandle_t, cublasFillMode_t, cublasOperation_t, int n, int k, const R* alpha, const T* A, int lda, const R* beta, T* C, int ldc);
LS_BLAS_HOST(C, c, Cs, Sc, cuComplex, float)
LS_BLAS_HOST(Z, z, Zd, Dz, cuDoubleComplex, double)
#undef LS_BLAS_HOST

// Of formats that arguments name. Sums are exact to a double, whatever \p execution says.
cublasStatus_t cublasAxpyEx(cublasHandle_t, int n, const void* alpha, cudaDataType alphaType, const void* x, cudaDataType xType, int stepX, void* y, cudaDataType yType, int stepY, cudaDataType execution);
cublasStatus_t cublasScalEx(cublasHandle_t, int n, const void* alpha, cudaDataType alphaType, void* x, cudaDataType xType, int stepX, cudaDataType execution);
cublasStatus_t cublasDotEx(cublasHandle_t, int n, const void* x, cudaDataType xType, int stepX, const void* y, cudaDataType yType, int stepY, void* result, cudaDataType resultType, cudaDataType execution);
cublasStatus_t cublasDotcEx(cublasHandle_t, int n, const void* x, cudaDataType xType, int stepX, const void* y, cudaDataType yType, int stepY, void* result, cudaDataType resultType, cudaDataType execution);
cublasStatus_t cublasNrm2Ex(cublasHandle_t, int n, const void* x, cudaDataType xType, int stepX, void* result, cudaDataType resultType, cudaDataType execution);
cublasStatus_t cublasAsumEx(cublasHandle_t, int n, const void* x, cudaDataType xType, int stepX, void* result, cudaDataType resultType, cudaDataType execution);
cublasStatus_t cublasGemmBatchedEx(cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n, int k, const void* alpha, const void* const As[], cudaDataType aType, int lda, const void* const Bs[], cudaDataType bType, int ldb, const void* beta, void* const Cs[], cudaDataType cType, int ldc, int batches, cublasComputeType_t compute, cublasGemmAlgo_t algorithm);
// clang-format on

#ifdef __cplusplus
}
#endif
