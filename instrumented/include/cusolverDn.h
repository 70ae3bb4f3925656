// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuSOLVER for dense matrices: Cholesky, LU and QR factorisations, eigenvalues, singular values. The host computes them
// (instrumented/math); what they read and write of the device is copied, in their stream, and so checked. What is not
// declared here is not supported.
#pragma once

#ifndef CUSOLVERDN_H_
#define CUSOLVERDN_H_

#include "cusolver_common.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cusolverDnContext* cusolverDnHandle_t;
typedef struct cusolverDnParams* cusolverDnParams_t;
typedef struct syevjInfo* syevjInfo_t;
typedef struct gesvdjInfo* gesvdjInfo_t;
typedef enum { CUSOLVERDN_GETRF = 0, CUSOLVERDN_POTRF = 1, CUSOLVERDN_SYEVBATCHED = 2 } cusolverDnFunction_t;

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* handle);
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle);
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream);
cusolverStatus_t cusolverDnGetStream(cusolverDnHandle_t handle, cudaStream_t* stream);
cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t* params);
cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t params);
/// Which of a function's algorithms: there is one here.
cusolverStatus_t cusolverDnSetAdvOptions(cusolverDnParams_t params, cusolverDnFunction_t function,
                                         cusolverAlgMode_t algorithm);
cusolverStatus_t cusolverGetVersion(int* version);

// Of Jacobi's methods: taken, and not needed.
cusolverStatus_t cusolverDnCreateSyevjInfo(syevjInfo_t* info);
cusolverStatus_t cusolverDnDestroySyevjInfo(syevjInfo_t info);
cusolverStatus_t cusolverDnXsyevjSetTolerance(syevjInfo_t info, double tolerance);
cusolverStatus_t cusolverDnXsyevjSetMaxSweeps(syevjInfo_t info, int sweeps);
cusolverStatus_t cusolverDnXsyevjSetSortEig(syevjInfo_t info, int sorts);
cusolverStatus_t cusolverDnXsyevjGetResidual(cusolverDnHandle_t handle, syevjInfo_t info, double* residual);
cusolverStatus_t cusolverDnXsyevjGetSweeps(cusolverDnHandle_t handle, syevjInfo_t info, int* sweeps);
cusolverStatus_t cusolverDnCreateGesvdjInfo(gesvdjInfo_t* info);
cusolverStatus_t cusolverDnDestroyGesvdjInfo(gesvdjInfo_t info);
cusolverStatus_t cusolverDnXgesvdjSetTolerance(gesvdjInfo_t info, double tolerance);
cusolverStatus_t cusolverDnXgesvdjSetMaxSweeps(gesvdjInfo_t info, int sweeps);
cusolverStatus_t cusolverDnXgesvdjSetSortEig(gesvdjInfo_t info, int sorts);
cusolverStatus_t cusolverDnXgesvdjGetResidual(cusolverDnHandle_t handle, gesvdjInfo_t info, double* residual);
cusolverStatus_t cusolverDnXgesvdjGetSweeps(cusolverDnHandle_t handle, gesvdjInfo_t info, int* sweeps);

// T: of the matrix; R: real numbers of its precision; the other names are LAPACK's for the real or complex kind.
// clang-format off
#define LS_SOLVER(L, T, R, sy, orgqr, ormqr)                                                                                     \
    cusolverStatus_t cusolverDn##L##potrf_bufferSize(cusolverDnHandle_t, cublasFillMode_t, int n, T* A, int lda, int* lwork); \
    cusolverStatus_t cusolverDn##L##potrf(cusolverDnHandle_t, cublasFillMode_t, int n, T* A, int lda, T* work, int lwork, int* info); \
    cusolverStatus_t cusolverDn##L##potrs(cusolverDnHandle_t, cublasFillMode_t, int n, int nrhs, const T* A, int lda, T* B, int ldb, int* info); \
    cusolverStatus_t cusolverDn##L##potri_bufferSize(cusolverDnHandle_t, cublasFillMode_t, int n, T* A, int lda, int* lwork); \
    cusolverStatus_t cusolverDn##L##potri(cusolverDnHandle_t, cublasFillMode_t, int n, T* A, int lda, T* work, int lwork, int* info); \
    cusolverStatus_t cusolverDn##L##potrfBatched(cusolverDnHandle_t, cublasFillMode_t, int n, T* As[], int lda, int* infos, int batches); \
    cusolverStatus_t cusolverDn##L##potrsBatched(cusolverDnHandle_t, cublasFillMode_t, int n, int nrhs, T* As[], int lda, T* Bs[], int ldb, int* info, int batches); \
    cusolverStatus_t cusolverDn##L##getrf_bufferSize(cusolverDnHandle_t, int m, int n, T* A, int lda, int* lwork);     \
    cusolverStatus_t cusolverDn##L##getrf(cusolverDnHandle_t, int m, int n, T* A, int lda, T* work, int* pivots, int* info); \
    cusolverStatus_t cusolverDn##L##getrs(cusolverDnHandle_t, cublasOperation_t, int n, int nrhs, const T* A, int lda, const int* pivots, T* B, int ldb, int* info); \
    cusolverStatus_t cusolverDn##L##geqrf_bufferSize(cusolverDnHandle_t, int m, int n, T* A, int lda, int* lwork);     \
    cusolverStatus_t cusolverDn##L##geqrf(cusolverDnHandle_t, int m, int n, T* A, int lda, T* tau, T* work, int lwork, int* info); \
    cusolverStatus_t cusolverDn##L##orgqr##_bufferSize(cusolverDnHandle_t, int m, int n, int k, const T* A, int lda, const T* tau, int* lwork); \
    cusolverStatus_t cusolverDn##L##orgqr(cusolverDnHandle_t, int m, int n, int k, T* A, int lda, const T* tau, T* work, int lwork, int* info); \
    cusolverStatus_t cusolverDn##L##ormqr##_bufferSize(cusolverDnHandle_t, cublasSideMode_t, cublasOperation_t, int m, int n, int k, const T* A, int lda, const T* tau, const T* C, int ldc, int* lwork); \
    cusolverStatus_t cusolverDn##L##ormqr(cusolverDnHandle_t, cublasSideMode_t, cublasOperation_t, int m, int n, int k, const T* A, int lda, const T* tau, T* C, int ldc, T* work, int lwork, int* info); \
    cusolverStatus_t cusolverDn##L##sy##evd_bufferSize(cusolverDnHandle_t, cusolverEigMode_t, cublasFillMode_t, int n, const T* A, int lda, const R* W, int* lwork); \
    cusolverStatus_t cusolverDn##L##sy##evd(cusolverDnHandle_t, cusolverEigMode_t, cublasFillMode_t, int n, T* A, int lda, R* W, T* work, int lwork, int* info); \
    cusolverStatus_t cusolverDn##L##sy##gvd_bufferSize(cusolverDnHandle_t, cusolverEigType_t, cusolverEigMode_t, cublasFillMode_t, int n, const T* A, int lda, const T* B, int ldb, const R* W, int* lwork); \
    cusolverStatus_t cusolverDn##L##sy##gvd(cusolverDnHandle_t, cusolverEigType_t, cusolverEigMode_t, cublasFillMode_t, int n, T* A, int lda, T* B, int ldb, R* W, T* work, int lwork, int* info); \
    cusolverStatus_t cusolverDn##L##sy##gvj_bufferSize(cusolverDnHandle_t, cusolverEigType_t, cusolverEigMode_t, cublasFillMode_t, int n, const T* A, int lda, const T* B, int ldb, const R* W, int* lwork, syevjInfo_t); \
    cusolverStatus_t cusolverDn##L##sy##gvj(cusolverDnHandle_t, cusolverEigType_t, cusolverEigMode_t, cublasFillMode_t, int n, T* A, int lda, T* B, int ldb, R* W, T* work, int lwork, int* info, syevjInfo_t); \
    cusolverStatus_t cusolverDn##L##sy##evj_bufferSize(cusolverDnHandle_t, cusolverEigMode_t, cublasFillMode_t, int n, const T* A, int lda, const R* W, int* lwork, syevjInfo_t); \
    cusolverStatus_t cusolverDn##L##sy##evj(cusolverDnHandle_t, cusolverEigMode_t, cublasFillMode_t, int n, T* A, int lda, R* W, T* work, int lwork, int* info, syevjInfo_t); \
    cusolverStatus_t cusolverDn##L##sy##evjBatched_bufferSize(cusolverDnHandle_t, cusolverEigMode_t, cublasFillMode_t, int n, const T* A, int lda, const R* W, int* lwork, syevjInfo_t, int batches); \
    cusolverStatus_t cusolverDn##L##sy##evjBatched(cusolverDnHandle_t, cusolverEigMode_t, cublasFillMode_t, int n, T* A, int lda, R* W, T* work, int lwork, int* info, syevjInfo_t, int batches); \
    cusolverStatus_t cusolverDn##L##gesvd_bufferSize(cusolverDnHandle_t, int m, int n, int* lwork);                    \
    cusolverStatus_t cusolverDn##L##gesvd(cusolverDnHandle_t, signed char jobU, signed char jobV, int m, int n, T* A, int lda, R* S, T* U, int ldu, T* VT, int ldv, T* work, int lwork, R* rwork, int* info); \
    cusolverStatus_t cusolverDn##L##gesvdj_bufferSize(cusolverDnHandle_t, cusolverEigMode_t, int econ, int m, int n, const T* A, int lda, const R* S, const T* U, int ldu, const T* V, int ldv, int* lwork, gesvdjInfo_t); \
    cusolverStatus_t cusolverDn##L##gesvdj(cusolverDnHandle_t, cusolverEigMode_t, int econ, int m, int n, T* A, int lda, R* S, T* U, int ldu, T* V, int ldv, T* work, int lwork, int* info, gesvdjInfo_t);
LS_SOLVER(S, float, float, sy, orgqr, ormqr)
LS_SOLVER(D, double, double, sy, orgqr, ormqr)
LS_SOLVER(C, cuComplex, float, he, ungqr, unmqr)
LS_SOLVER(Z, cuDoubleComplex, double, he, ungqr, unmqr)
#undef LS_SOLVER
// clang-format on

// The functions of 64 bits, for any format.
cusolverStatus_t cusolverDnXpotrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             cublasFillMode_t fill, int64_t n, cudaDataType aType, const void* A,
                                             int64_t lda, cudaDataType computeType, size_t* deviceBytes,
                                             size_t* hostBytes);
cusolverStatus_t cusolverDnXpotrf(cusolverDnHandle_t handle, cusolverDnParams_t params, cublasFillMode_t fill,
                                  int64_t n, cudaDataType aType, void* A, int64_t lda, cudaDataType computeType,
                                  void* deviceWork, size_t deviceBytes, void* hostWork, size_t hostBytes, int* info);
cusolverStatus_t cusolverDnXpotrs(cusolverDnHandle_t handle, cusolverDnParams_t params, cublasFillMode_t fill,
                                  int64_t n, int64_t nrhs, cudaDataType aType, const void* A, int64_t lda,
                                  cudaDataType bType, void* B, int64_t ldb, int* info);
cusolverStatus_t cusolverDnXgetrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n,
                                             cudaDataType aType, const void* A, int64_t lda, cudaDataType computeType,
                                             size_t* deviceBytes, size_t* hostBytes);
cusolverStatus_t cusolverDnXgetrf(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n,
                                  cudaDataType aType, void* A, int64_t lda, int64_t* pivots, cudaDataType computeType,
                                  void* deviceWork, size_t deviceBytes, void* hostWork, size_t hostBytes, int* info);
cusolverStatus_t cusolverDnXgetrs(cusolverDnHandle_t handle, cusolverDnParams_t params, cublasOperation_t op, int64_t n,
                                  int64_t nrhs, cudaDataType aType, const void* A, int64_t lda, const int64_t* pivots,
                                  cudaDataType bType, void* B, int64_t ldb, int* info);
cusolverStatus_t cusolverDnXgeqrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n,
                                             cudaDataType aType, const void* A, int64_t lda, cudaDataType tauType,
                                             const void* tau, cudaDataType computeType, size_t* deviceBytes,
                                             size_t* hostBytes);
cusolverStatus_t cusolverDnXgeqrf(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n,
                                  cudaDataType aType, void* A, int64_t lda, cudaDataType tauType, void* tau,
                                  cudaDataType computeType, void* deviceWork, size_t deviceBytes, void* hostWork,
                                  size_t hostBytes, int* info);
cusolverStatus_t cusolverDnXsyevd_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             cusolverEigMode_t mode, cublasFillMode_t fill, int64_t n,
                                             cudaDataType aType, const void* A, int64_t lda, cudaDataType wType,
                                             const void* W, cudaDataType computeType, size_t* deviceBytes,
                                             size_t* hostBytes);
cusolverStatus_t cusolverDnXsyevd(cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t mode,
                                  cublasFillMode_t fill, int64_t n, cudaDataType aType, void* A, int64_t lda,
                                  cudaDataType wType, void* W, cudaDataType computeType, void* deviceWork,
                                  size_t deviceBytes, void* hostWork, size_t hostBytes, int* info);
cusolverStatus_t cusolverDnXgesvd_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, signed char jobU,
                                             signed char jobV, int64_t m, int64_t n, cudaDataType aType, const void* A,
                                             int64_t lda, cudaDataType sType, const void* S, cudaDataType uType,
                                             const void* U, int64_t ldu, cudaDataType vType, const void* VT,
                                             int64_t ldv, cudaDataType computeType, size_t* deviceBytes,
                                             size_t* hostBytes);
cusolverStatus_t cusolverDnXgesvd(cusolverDnHandle_t handle, cusolverDnParams_t params, signed char jobU,
                                  signed char jobV, int64_t m, int64_t n, cudaDataType aType, void* A, int64_t lda,
                                  cudaDataType sType, void* S, cudaDataType uType, void* U, int64_t ldu,
                                  cudaDataType vType, void* VT, int64_t ldv, cudaDataType computeType, void* deviceWork,
                                  size_t deviceBytes, void* hostWork, size_t hostBytes, int* info);

#ifdef __cplusplus
}
#endif

#endif
