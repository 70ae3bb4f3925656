// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuSOLVER for sparse matrices: linear systems, least squares, eigenvalues, orders of rows and columns. The host
// computes them (instrumented/math); what they read and write of the device is copied, in their stream, and so checked.
// What is not declared here is not supported.
#pragma once

#ifndef CUSOLVERSP_H_
#define CUSOLVERSP_H_

#include "cusolver_common.h"
#include "cusparse.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cusolverSpContext* cusolverSpHandle_t;
typedef struct csrqrInfo* csrqrInfo_t;

cusolverStatus_t cusolverSpCreate(cusolverSpHandle_t* handle);
cusolverStatus_t cusolverSpDestroy(cusolverSpHandle_t handle);
cusolverStatus_t cusolverSpSetStream(cusolverSpHandle_t handle, cudaStream_t stream);
cusolverStatus_t cusolverSpGetStream(cusolverSpHandle_t handle, cudaStream_t* stream);

// T: of the matrix; R: real numbers of its precision. reorder: 0 none, 1 symrcm, 2 symamd, 3 metisnd. singularity: -1,
// or the first pivot of at most tol (of A(p, p), p being the order); then x is of no use.
// clang-format off
#define LS_SPARSE_CSR(T) int nnz, const cusparseMatDescr_t description, const T* values, const int* rowOffsets, const int* columns
#define LS_SPARSE_SOLVER(L, T, R)                                                                                                  \
    cusolverStatus_t cusolverSp##L##csrlsvluHost(cusolverSpHandle_t, int n, LS_SPARSE_CSR(T), const T* b, R tol, int reorder, T* x, int* singularity); \
    cusolverStatus_t cusolverSp##L##csrlsvqr(cusolverSpHandle_t, int n, LS_SPARSE_CSR(T), const T* b, R tol, int reorder, T* x, int* singularity); \
    cusolverStatus_t cusolverSp##L##csrlsvqrHost(cusolverSpHandle_t, int n, LS_SPARSE_CSR(T), const T* b, R tol, int reorder, T* x, int* singularity); \
    cusolverStatus_t cusolverSp##L##csrlsvchol(cusolverSpHandle_t, int n, LS_SPARSE_CSR(T), const T* b, R tol, int reorder, T* x, int* singularity); \
    cusolverStatus_t cusolverSp##L##csrlsvcholHost(cusolverSpHandle_t, int n, LS_SPARSE_CSR(T), const T* b, R tol, int reorder, T* x, int* singularity); \
    cusolverStatus_t cusolverSp##L##csrlsqvqrHost(cusolverSpHandle_t, int m, int n, LS_SPARSE_CSR(T), const T* b, R tol, int* rank, T* x, int* p, R* minNorm); \
    cusolverStatus_t cusolverSp##L##csreigvsi(cusolverSpHandle_t, int n, LS_SPARSE_CSR(T), T mu0, const T* x0, int maxIterations, R eps, T* mu, T* x); \
    cusolverStatus_t cusolverSp##L##csreigvsiHost(cusolverSpHandle_t, int n, LS_SPARSE_CSR(T), T mu0, const T* x0, int maxIterations, R tol, T* mu, T* x); \
    cusolverStatus_t cusolverSp##L##csrzfdHost(cusolverSpHandle_t, int n, LS_SPARSE_CSR(T), int* p, int* found); \
    cusolverStatus_t cusolverSp##L##csrqrBufferInfoBatched(cusolverSpHandle_t, int m, int n, LS_SPARSE_CSR(T), int batches, csrqrInfo_t, size_t* internalBytes, size_t* workBytes); \
    cusolverStatus_t cusolverSp##L##csrqrsvBatched(cusolverSpHandle_t, int m, int n, LS_SPARSE_CSR(T), const T* b, T* x, int batches, csrqrInfo_t, void* buffer);
LS_SPARSE_SOLVER(S, float, float)
LS_SPARSE_SOLVER(D, double, double)
LS_SPARSE_SOLVER(C, cuComplex, float)
LS_SPARSE_SOLVER(Z, cuDoubleComplex, double)
#undef LS_SPARSE_SOLVER

// How many eigenvalues lie in a rectangle.
cusolverStatus_t cusolverSpScsreigsHost(cusolverSpHandle_t, int n, LS_SPARSE_CSR(float), cuComplex leftBottom, cuComplex rightUpper, int* count);
cusolverStatus_t cusolverSpDcsreigsHost(cusolverSpHandle_t, int n, LS_SPARSE_CSR(double), cuDoubleComplex leftBottom, cuDoubleComplex rightUpper, int* count);
cusolverStatus_t cusolverSpCcsreigsHost(cusolverSpHandle_t, int n, LS_SPARSE_CSR(cuComplex), cuComplex leftBottom, cuComplex rightUpper, int* count);
cusolverStatus_t cusolverSpZcsreigsHost(cusolverSpHandle_t, int n, LS_SPARSE_CSR(cuDoubleComplex), cuDoubleComplex leftBottom, cuDoubleComplex rightUpper, int* count);
#undef LS_SPARSE_CSR
// clang-format on

// Orders p for A(p, p): by the kinds of order that their names say, but not always NVIDIA's permutations.
cusolverStatus_t cusolverSpXcsrsymrcmHost(cusolverSpHandle_t handle, int n, int nnz,
                                          const cusparseMatDescr_t description, const int* rowOffsets,
                                          const int* columns, int* p);
cusolverStatus_t cusolverSpXcsrsymmdqHost(cusolverSpHandle_t handle, int n, int nnz,
                                          const cusparseMatDescr_t description, const int* rowOffsets,
                                          const int* columns, int* p);
cusolverStatus_t cusolverSpXcsrsymamdHost(cusolverSpHandle_t handle, int n, int nnz,
                                          const cusparseMatDescr_t description, const int* rowOffsets,
                                          const int* columns, int* p);
/// \p options: METIS's, which nothing here has; null for its own.
cusolverStatus_t cusolverSpXcsrmetisndHost(cusolverSpHandle_t handle, int n, int nnz,
                                           const cusparseMatDescr_t description, const int* rowOffsets,
                                           const int* columns, const int64_t* options, int* p);
cusolverStatus_t cusolverSpXcsrissymHost(cusolverSpHandle_t handle, int m, int nnz,
                                         const cusparseMatDescr_t description, const int* rowOffsets,
                                         const int* rowEnds, const int* columns, int* isSymmetric);
/// B = A(p, q), in place; \p map: its elements are permuted as values are.
cusolverStatus_t cusolverSpXcsrperm_bufferSizeHost(cusolverSpHandle_t handle, int m, int n, int nnz,
                                                   const cusparseMatDescr_t description, const int* rowOffsets,
                                                   const int* columns, const int* p, const int* q, size_t* bytes);
cusolverStatus_t cusolverSpXcsrpermHost(cusolverSpHandle_t handle, int m, int n, int nnz,
                                        const cusparseMatDescr_t description, int* rowOffsets, int* columns,
                                        const int* p, const int* q, int* map, void* buffer);

// Batches of systems with the same places: A's values and b behind each other.
cusolverStatus_t cusolverSpCreateCsrqrInfo(csrqrInfo_t* info);
cusolverStatus_t cusolverSpDestroyCsrqrInfo(csrqrInfo_t info);
cusolverStatus_t cusolverSpXcsrqrAnalysisBatched(cusolverSpHandle_t handle, int m, int n, int nnz,
                                                 const cusparseMatDescr_t description, const int* rowOffsets,
                                                 const int* columns, csrqrInfo_t info);

#ifdef __cplusplus
}
#endif

#endif
