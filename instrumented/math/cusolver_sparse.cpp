// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuSOLVER's functions for sparse matrices that solve: linear systems, least squares, eigenvalues.
#include "instrumented/math/cusolver_sparse.h"

#include <cmath>

using namespace lanescope::math;

struct csrqrInfo {};

namespace lanescope::math {

bool Csr::isPossible() const
{
    return rows >= 0 && columns >= 0 && nnz >= 0 && description && rowOffsets && (columnIndices || nnz == 0);
}

SparseMatrix SparseCall::readMatrix(const Csr& a)
{
    const cusparseSpMatDescr places{CUSPARSE_FORMAT_CSR,
                                    a.rows,
                                    a.columns,
                                    a.nnz,
                                    const_cast<int*>(a.rowOffsets),
                                    const_cast<int*>(a.columnIndices),
                                    const_cast<void*>(a.values),
                                    CUSPARSE_INDEX_32I,
                                    CUSPARSE_INDEX_32I,
                                    a.description->base,
                                    a.type};
    if (a.values)
        return lanescope::math::read(*this, places);
    SparseMatrix matrix{a.rows, a.columns, {}};
    const std::vector<int64_t> rows =
        rowsOfOffsets(*this, a.rowOffsets, a.rows, a.nnz, CUSPARSE_INDEX_32I, a.description->base);
    const std::vector<int64_t> columns = indicesOf(*this, a.columnIndices, static_cast<int64_t>(rows.size()),
                                                   CUSPARSE_INDEX_32I, a.description->base, a.columns);
    for (size_t i = 0; i < rows.size() && good(); ++i)
        matrix.entries.push_back({rows[i], columns[i], 1.0});
    return matrix;
}

Order orderOf(int reorder, const SparseMatrix& a)
{
    switch (reorder) {
    case 1:
        return reverseCuthillMcKee(a);
    case 2:
        return minimumDegree(a);
    case 3:
        return nestedDissection(a);
    default:
        return naturalOrder(a.rows);
    }
}

}  // namespace lanescope::math

namespace {

enum class Method { Lu, Qr, Cholesky };

/// \p singularity: the first pivot of at most \p tolerance, or -1.
Vector solveBy(Method method, const SparseMatrix& a, const Vector& b, double tolerance, int64_t& singularity)
{
    const auto by = [&](const auto& factors) {
        singularity = factors.singularAt(tolerance);
        return factors.solve(b);
    };
    switch (method) {
    case Method::Lu:
        return by(factoriseWithPivots(a, naturalOrder(a.rows), 1.0));
    case Method::Qr:
        return by(QrFactors(a, 0));
    case Method::Cholesky:
        return by(CholeskyFactors(a));
    }
    return {};
}

cusolverStatus_t solveSystem(cusolverSpHandle_t handle, Method method, const Csr& csr, const void* b, double tolerance,
                             int reorder, void* x, int* singularity)
{
    SparseCall call(handle);
    if (!call.canBegin(csr.isPossible() && csr.values && b && x && singularity && reorder >= 0 && reorder <= 3))
        return call.status();
    const SparseMatrix a = call.readMatrix(csr);
    const Vector right = call.read(b, csr.rows, csr.type);
    if (!call.good())
        return call.status();
    const Order order = orderOf(reorder, a);
    Vector permutedRight(right.size());
    for (size_t i = 0; i < right.size(); ++i)
        permutedRight[i] = right[static_cast<size_t>(order[i])];
    int64_t singularAt = -1;
    const Vector solution =
        solveBy(method, permuted(a, order, order), permutedRight, std::max(tolerance, 0.0), singularAt);
    *singularity = static_cast<int>(singularAt);
    Vector result(solution.size());
    for (size_t i = 0; i < solution.size(); ++i)
        result[static_cast<size_t>(order[i])] = solution[i];
    call.write(x, result, csr.type);
    return call.status();
}

template <class Real>
cusolverStatus_t leastSquares(cusolverSpHandle_t handle, const Csr& csr, const void* b, double tolerance, int* rank,
                              void* x, int* p, Real* minNorm)
{
    SparseCall call(handle);
    if (!call.canBegin(csr.isPossible() && csr.rows >= csr.columns && b && x && rank && p && minNorm))
        return call.status();
    const SparseMatrix a = call.readMatrix(csr);
    const Vector right = call.read(b, csr.rows, csr.type);
    if (!call.good())
        return call.status();
    const QrFactors factors(a, tolerance);
    const Vector solution = factors.solveShortest(right);
    *rank = static_cast<int>(factors.rank());
    *minNorm = static_cast<Real>(lengthOf(residual(a, solution, right)));
    call.writeIndices(p, factors.columns(), sizeof(int));
    call.write(x, solution, csr.type);
    return call.status();
}

cusolverStatus_t eigenpair(cusolverSpHandle_t handle, const Csr& csr, const void* guess, const void* x0, int iterations,
                           double tolerance, void* eigenvalue, void* x)
{
    SparseCall call(handle);
    if (!call.canBegin(csr.isPossible() && x0 && eigenvalue && x))
        return call.status();
    const SparseMatrix a = call.readMatrix(csr);
    Vector vector = call.read(x0, csr.rows, csr.type);
    Complex found;
    if (call.good() && !eigenpairNear(a, numberAt(guess, csr.type), iterations, tolerance, found, vector))
        call.fail("cusolverSp's inverse iteration overflowed: x0 is 0 or the matrix has values that are not finite");
    if (!call.good())
        return call.status();
    call.write(eigenvalue, {found}, csr.type);
    call.write(x, vector, csr.type);
    return call.status();
}

cusolverStatus_t countEigenvalues(cusolverSpHandle_t handle, const Csr& csr, Complex leftBottom, Complex rightUpper,
                                  int* count)
{
    SparseCall call(handle);
    if (!call.canBegin(csr.isPossible() && count))
        return call.status();
    const SparseMatrix a = call.readMatrix(csr);
    if (call.good())
        *count = static_cast<int>(eigenvaluesWithin(a, leftBottom, rightUpper));
    return call.status();
}

/// Each of the batch is a least-squares problem.
template <class T>
cusolverStatus_t solveBatch(cusolverSpHandle_t handle, Csr csr, const T* b, T* x, int batches)
{
    SparseCall call(handle);
    if (!call.canBegin(csr.isPossible() && csr.rows >= csr.columns && b && x && batches >= 0))
        return call.status();
    const T* const values = static_cast<const T*>(csr.values);
    for (int64_t batch = 0; batch < batches && call.good(); ++batch) {
        csr.values = values + batch * csr.nnz;
        const SparseMatrix a = call.readMatrix(csr);
        const Vector right = call.read(b + batch * csr.rows, csr.rows, csr.type);
        if (call.good())
            call.write(x + batch * csr.columns, QrFactors(a, 0).solve(right), csr.type);
    }
    return call.status();
}

cusolverStatus_t bufferSizes(cusolverSpHandle_t handle, bool isPossible, size_t* internalBytes, size_t* workBytes)
{
    SparseCall call(handle);
    if (call.canBegin(isPossible && internalBytes && workBytes))
        *internalBytes = *workBytes = kBufferBytes;
    return call.status();
}

}  // namespace

extern "C" {

cusolverStatus_t cusolverSpCreate(cusolverSpHandle_t* handle)
{
    if (!handle)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *handle = new cusolverSpContext();
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverSpDestroy(cusolverSpHandle_t handle)
{
    delete handle;
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverSpSetStream(cusolverSpHandle_t handle, cudaStream_t stream)
{
    if (!handle)
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    handle->stream = stream;
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverSpGetStream(cusolverSpHandle_t handle, cudaStream_t* stream)
{
    if (!handle || !stream)
        return handle ? CUSOLVER_STATUS_INVALID_VALUE : CUSOLVER_STATUS_NOT_INITIALIZED;
    *stream = handle->stream;
    return CUSOLVER_STATUS_SUCCESS;
}

#define LS_CSR(T)                                                                                                      \
    int nnz, const cusparseMatDescr_t description, const T *values, const int *rowOffsets, const int *columns
#define LS_GIVEN(T, rows, columnCount)                                                                                 \
    {rows, columnCount, nnz, description, values, Format<T>::kType, rowOffsets, columns}
#define LS_SYSTEM(name, method, T, R)                                                                                  \
    cusolverStatus_t name(cusolverSpHandle_t handle, int n, LS_CSR(T), const T* b, R tol, int reorder, T* x,           \
                          int* singularity)                                                                            \
    {                                                                                                                  \
        return solveSystem(handle, method, LS_GIVEN(T, n, n), b, tol, reorder, x, singularity);                        \
    }
#define LS_EIGENPAIR(name, T, R)                                                                                       \
    cusolverStatus_t name(cusolverSpHandle_t handle, int n, LS_CSR(T), T mu0, const T* x0, int maxIterations, R tol,   \
                          T* mu, T* x)                                                                                 \
    {                                                                                                                  \
        return eigenpair(handle, LS_GIVEN(T, n, n), &mu0, x0, maxIterations, tol, mu, x);                              \
    }
#define LS_SPARSE_SOLVER(L, T, R, Corner)                                                                              \
    LS_SYSTEM(cusolverSp##L##csrlsvluHost, Method::Lu, T, R)                                                           \
    LS_SYSTEM(cusolverSp##L##csrlsvqr, Method::Qr, T, R)                                                               \
    LS_SYSTEM(cusolverSp##L##csrlsvqrHost, Method::Qr, T, R)                                                           \
    LS_SYSTEM(cusolverSp##L##csrlsvchol, Method::Cholesky, T, R)                                                       \
    LS_SYSTEM(cusolverSp##L##csrlsvcholHost, Method::Cholesky, T, R)                                                   \
    LS_EIGENPAIR(cusolverSp##L##csreigvsi, T, R)                                                                       \
    LS_EIGENPAIR(cusolverSp##L##csreigvsiHost, T, R)                                                                   \
    cusolverStatus_t cusolverSp##L##csrlsqvqrHost(cusolverSpHandle_t handle, int m, int n, LS_CSR(T), const T* b,      \
                                                  R tol, int* rank, T* x, int* p, R* minNorm)                          \
    {                                                                                                                  \
        return leastSquares(handle, LS_GIVEN(T, m, n), b, tol, rank, x, p, minNorm);                                   \
    }                                                                                                                  \
    cusolverStatus_t cusolverSp##L##csreigsHost(cusolverSpHandle_t handle, int n, LS_CSR(T), Corner leftBottom,        \
                                                Corner rightUpper, int* count)                                         \
    {                                                                                                                  \
        return countEigenvalues(handle, LS_GIVEN(T, n, n), {leftBottom.x, leftBottom.y}, {rightUpper.x, rightUpper.y}, \
                                count);                                                                                \
    }                                                                                                                  \
    cusolverStatus_t cusolverSp##L##csrqrBufferInfoBatched(cusolverSpHandle_t handle, int m, int n, LS_CSR(T),         \
                                                           int batches, csrqrInfo_t info, size_t* internalBytes,       \
                                                           size_t* workBytes)                                          \
    {                                                                                                                  \
        const Csr csr LS_GIVEN(T, m, n);                                                                               \
        return bufferSizes(handle, csr.isPossible() && info && batches >= 0, internalBytes, workBytes);                \
    }                                                                                                                  \
    cusolverStatus_t cusolverSp##L##csrqrsvBatched(cusolverSpHandle_t handle, int m, int n, LS_CSR(T), const T* b,     \
                                                   T* x, int batches, csrqrInfo_t info, void*)                         \
    {                                                                                                                  \
        return info ? solveBatch(handle, LS_GIVEN(T, m, n), b, x, batches) : CUSOLVER_STATUS_INVALID_VALUE;            \
    }
LS_SPARSE_SOLVER(S, float, float, cuComplex)
LS_SPARSE_SOLVER(D, double, double, cuDoubleComplex)
LS_SPARSE_SOLVER(C, cuComplex, float, cuComplex)
LS_SPARSE_SOLVER(Z, cuDoubleComplex, double, cuDoubleComplex)

cusolverStatus_t cusolverSpCreateCsrqrInfo(csrqrInfo_t* info)
{
    if (!info)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *info = new csrqrInfo();
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverSpDestroyCsrqrInfo(csrqrInfo_t info)
{
    delete info;
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverSpXcsrqrAnalysisBatched(cusolverSpHandle_t handle, int m, int n, int nnz,
                                                 const cusparseMatDescr_t description, const int* rowOffsets,
                                                 const int* columns, csrqrInfo_t info)
{
    const Csr csr{m, n, nnz, description, nullptr, CUDA_R_32F, rowOffsets, columns};
    SparseCall call(handle);
    if (call.canBegin(csr.isPossible() && info && m >= n))
        (void)call.readMatrix(csr);
    return call.status();
}

}  // extern "C"
