// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuSOLVER's functions for dense matrices.
#pragma GCC visibility push(default)
#include "instrumented/include/cusolverDn.h"
#pragma GCC visibility pop

#include <algorithm>

#include "instrumented/math/device_matrices.h"

using namespace lanescope::math;

struct cusolverDnContext {
    cudaStream_t stream = nullptr;
};
struct cusolverDnParams {};
struct syevjInfo {};
struct gesvdjInfo {};

namespace {

constexpr int kWorkNumbers = 1;  // none is needed, but programs allocate what they are told

/// One call: what it reads and writes.
class Call : public DeviceMatrices {
public:
    explicit Call(cusolverDnHandle_t handle) : DeviceMatrices(handle ? handle->stream : nullptr), m_isKnown(handle) {}

    [[nodiscard]] cusolverStatus_t status() const
    {
        return !m_isKnown ? CUSOLVER_STATUS_NOT_INITIALIZED
               : isGood() ? CUSOLVER_STATUS_SUCCESS
                          : CUSOLVER_STATUS_EXECUTION_FAILED;
    }
    void writeInfo(int* info, int64_t value) { writeIndices(info, {value}, sizeof(int)); }

private:
    bool m_isKnown;
};

cusolverStatus_t workNumbers(cusolverDnHandle_t handle, int* count)
{
    if (!handle || !count)
        return handle ? CUSOLVER_STATUS_INVALID_VALUE : CUSOLVER_STATUS_NOT_INITIALIZED;
    *count = kWorkNumbers;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t workBytes(cusolverDnHandle_t handle, size_t* device, size_t* host)
{
    if (!handle || !device || !host)
        return handle ? CUSOLVER_STATUS_INVALID_VALUE : CUSOLVER_STATUS_NOT_INITIALIZED;
    *device = *host = sizeof(double);
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cholesky(cusolverDnHandle_t handle, cublasFillMode_t fill, const Place& a, int* info)
{
    if (!a.isPossible())
        return CUSOLVER_STATUS_INVALID_VALUE;
    Call call(handle);
    Matrix matrix = call.read(a);
    const int64_t minor = factorCholesky(matrix, halfOf(fill));
    call.writeTriangle(a, halfOf(fill), matrix);
    call.writeInfo(info, minor);
    return call.status();
}

/// Solves A X = B by A's Cholesky factor.
void solveByCholesky(const Matrix& factor, cublasFillMode_t fill, Matrix& b)
{
    const bool isLower = halfOf(fill) == Half::Lower;
    solveTriangular(factor, halfOf(fill), false, isLower ? Operation::None : Operation::Adjoint, true, b);
    solveTriangular(factor, halfOf(fill), false, isLower ? Operation::Adjoint : Operation::None, true, b);
}

cusolverStatus_t choleskySolve(cusolverDnHandle_t handle, cublasFillMode_t fill, const Place& a, const Place& b,
                               int* info)
{
    if (!a.isPossible() || !b.isPossible())
        return CUSOLVER_STATUS_INVALID_VALUE;
    Call call(handle);
    const Matrix factor = call.read(a);
    Matrix x = call.read(b);
    solveByCholesky(factor, fill, x);
    call.write(b, x);
    call.writeInfo(info, 0);
    return call.status();
}

cusolverStatus_t choleskyInverse(cusolverDnHandle_t handle, cublasFillMode_t fill, const Place& a, int* info)
{
    if (!a.isPossible())
        return CUSOLVER_STATUS_INVALID_VALUE;
    Call call(handle);
    const Matrix factor = call.read(a);
    Matrix inverse = Matrix::Identity(a.rows, a.columns);
    solveByCholesky(factor, fill, inverse);
    call.writeTriangle(a, halfOf(fill), inverse);
    call.writeInfo(info, 0);
    return call.status();
}

template <class T>
cusolverStatus_t choleskyBatched(cusolverDnHandle_t handle, cublasFillMode_t fill, int n, T* const* as, int lda,
                                 int* infos, int batches)
{
    const std::vector<void*> matrices = Call(handle).readAddresses(listOf(as), batches);
    cusolverStatus_t status =
        matrices.size() == static_cast<size_t>(batches) ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_EXECUTION_FAILED;
    for (size_t i = 0; i < matrices.size() && status == CUSOLVER_STATUS_SUCCESS; ++i)
        status = cholesky(handle, fill, {matrices[i], n, n, lda, Format<T>::kType}, infos + i);
    return status;
}

template <class T>
cusolverStatus_t choleskySolveBatched(cusolverDnHandle_t handle, cublasFillMode_t fill, int n, int nrhs, T* const* as,
                                      int lda, T* const* bs, int ldb, int* info, int batches)
{
    const std::vector<void*> factors = Call(handle).readAddresses(listOf(as), batches);
    const std::vector<void*> sides = Call(handle).readAddresses(listOf(bs), batches);
    cusolverStatus_t status = factors.size() == sides.size() && factors.size() == static_cast<size_t>(batches)
                                  ? CUSOLVER_STATUS_SUCCESS
                                  : CUSOLVER_STATUS_EXECUTION_FAILED;
    for (size_t i = 0; i < sides.size() && status == CUSOLVER_STATUS_SUCCESS; ++i)
        status = choleskySolve(handle, fill, {factors[i], n, n, lda, Format<T>::kType},
                               {sides[i], n, nrhs, ldb, Format<T>::kType}, info);
    return status;
}

/// \p pivotBytes: of one pivot.
cusolverStatus_t lu(cusolverDnHandle_t handle, const Place& a, void* pivots, size_t pivotBytes, int* info)
{
    if (!a.isPossible())
        return CUSOLVER_STATUS_INVALID_VALUE;
    Call call(handle);
    Matrix matrix = call.read(a);
    std::vector<int64_t> rows;
    const int64_t zero = factorLu(matrix, pivots ? &rows : nullptr);
    call.write(a, matrix);
    if (pivots)
        call.writeIndices(pivots, rows, pivotBytes);
    call.writeInfo(info, zero);
    return call.status();
}

cusolverStatus_t luSolve(cusolverDnHandle_t handle, cublasOperation_t op, const Place& a, const void* pivots,
                         size_t pivotBytes, const Place& b, int* info)
{
    if (!a.isPossible() || !b.isPossible())
        return CUSOLVER_STATUS_INVALID_VALUE;
    Call call(handle);
    const Matrix factors = call.read(a);
    std::vector<int64_t> rows;
    if (pivots)
        rows = call.readPivots(pivots, a.rows, pivotBytes, a.rows);
    Matrix x = call.read(b);
    if (call.isGood())
        solveLu(factors, pivots ? &rows : nullptr, operationOf(op), x);
    call.write(b, x);
    call.writeInfo(info, 0);
    return call.status();
}

cusolverStatus_t qr(cusolverDnHandle_t handle, const Place& a, void* tau, int* info)
{
    if (!a.isPossible())
        return CUSOLVER_STATUS_INVALID_VALUE;
    Call call(handle);
    Matrix matrix = call.read(a);
    const std::vector<Complex> factors = factorQr(matrix);
    call.write(a, matrix);
    call.writeVector(tau, factors, a.type);
    call.writeInfo(info, 0);
    return call.status();
}

/// The first columns of Q, in place of the \p k reflectors in \p a.
cusolverStatus_t formQ(cusolverDnHandle_t handle, int64_t k, const Place& a, const void* tau, int* info)
{
    if (!a.isPossible() || k < 0 || k > a.columns || a.columns > a.rows)
        return CUSOLVER_STATUS_INVALID_VALUE;
    Call call(handle);
    const Matrix vectors = call.read(a);
    Matrix q = Matrix::Identity(a.rows, a.columns);
    multiplyByQ(vectors, call.readVector(tau, k, a.type), Operation::None, true, q);
    call.write(a, q);
    call.writeInfo(info, 0);
    return call.status();
}

cusolverStatus_t byQ(cusolverDnHandle_t handle, cublasSideMode_t side, cublasOperation_t op, const Place& a,
                     const void* tau, const Place& c, int* info)
{
    // A complex Q has an adjoint here, but no transpose, as in LAPACK.
    if (!a.isPossible() || !c.isPossible() || (op == CUBLAS_OP_T && !isReal(a.type)))
        return CUSOLVER_STATUS_INVALID_VALUE;
    Call call(handle);
    const Matrix vectors = call.read(a);
    const std::vector<Complex> factors = call.readVector(tau, a.columns, a.type);
    Matrix product = call.read(c);
    multiplyByQ(vectors, factors, operationOf(op), side == CUBLAS_SIDE_LEFT, product);
    call.write(c, product);
    call.writeInfo(info, 0);
    return call.status();
}

cusolverStatus_t eigen(cusolverDnHandle_t handle, cusolverEigMode_t mode, cublasFillMode_t fill, const Place& a,
                       void* w, int* info)
{
    if (!a.isPossible())
        return CUSOLVER_STATUS_INVALID_VALUE;
    Call call(handle);
    Matrix vectors;
    const std::vector<Complex> values = eigenvalues(hermitian(call.read(a), halfOf(fill)), vectors);
    if (mode == CUSOLVER_EIG_MODE_VECTOR)
        call.write(a, vectors);
    call.writeVector(w, values, realOf(a.type));
    call.writeInfo(info, 0);
    return call.status();
}

/// A x = l B x, A B x = l x or B A x = l x, by B's Cholesky factor L, as LAPACK's sygvd.
cusolverStatus_t generalizedEigen(cusolverDnHandle_t handle, cusolverEigType_t type, cusolverEigMode_t mode,
                                  cublasFillMode_t fill, const Place& a, const Place& b, void* w, int* info)
{
    if (!a.isPossible() || !b.isPossible())
        return CUSOLVER_STATUS_INVALID_VALUE;
    Call call(handle);
    const Half triangle = halfOf(fill);
    Matrix matrix = hermitian(call.read(a), triangle);
    Matrix factor = call.read(b);
    const int64_t minor = factorCholesky(factor, triangle);
    call.writeTriangle(b, triangle, factor);
    if (minor != 0) {
        call.writeInfo(info, a.rows + minor);
        return call.status();
    }
    const Matrix lower = triangle == Half::Lower ? Matrix(factor.triangularView<Eigen::Lower>())
                                                 : Matrix(factor.triangularView<Eigen::Upper>().adjoint());
    if (type == CUSOLVER_EIG_TYPE_1) {
        solveTriangular(lower, Half::Lower, false, Operation::None, true, matrix);
        solveTriangular(lower, Half::Lower, false, Operation::Adjoint, false, matrix);
    } else {
        matrix = (lower.adjoint() * matrix * lower).eval();
    }
    Matrix vectors;
    const std::vector<Complex> values = eigenvalues(hermitian(matrix, Half::Lower), vectors);
    if (type == CUSOLVER_EIG_TYPE_3)
        vectors = (lower * vectors).eval();
    else
        solveTriangular(lower, Half::Lower, false, Operation::Adjoint, true, vectors);
    if (mode == CUSOLVER_EIG_MODE_VECTOR)
        call.write(a, vectors);
    call.writeVector(w, values, realOf(a.type));
    call.writeInfo(info, 0);
    return call.status();
}

template <class T>
cusolverStatus_t eigenBatched(cusolverDnHandle_t handle, cusolverEigMode_t mode, cublasFillMode_t fill, int n, T* a,
                              int lda, void* w, int* info, int batches)
{
    cusolverStatus_t status = CUSOLVER_STATUS_SUCCESS;
    const size_t realBytes = bytesOf(Format<T>::kReal);
    for (int i = 0; i < batches && status == CUSOLVER_STATUS_SUCCESS; ++i)
        status =
            eigen(handle, mode, fill,
                  {a + static_cast<size_t>(i) * static_cast<size_t>(lda) * static_cast<size_t>(n), n, n, lda,
                   Format<T>::kType},
                  static_cast<std::byte*>(w) + static_cast<size_t>(i) * static_cast<size_t>(n) * realBytes, info + i);
    return status;
}

/// \p columns of a matrix of singular vectors that go to \p place; 'O': they replace the decomposed matrix.
void writeVectors(Call& call, signed char job, const Matrix& vectors, const Place& place, const Place& decomposed)
{
    if (job == 'A' || job == 'S')
        call.write(place, vectors.topLeftCorner(place.rows, place.columns));
    else if (job == 'O')
        call.write({decomposed.memory, vectors.rows(), vectors.cols(), decomposed.leading, decomposed.type}, vectors);
}

cusolverStatus_t svd(cusolverDnHandle_t handle, signed char jobU, signed char jobV, const Place& a, void* s, Place u,
                     Place v, int* info)
{
    const auto isJob = [](signed char job) { return job == 'A' || job == 'S' || job == 'O' || job == 'N'; };
    if (!a.isPossible() || !isJob(jobU) || !isJob(jobV) || (jobU == 'O' && jobV == 'O'))
        return CUSOLVER_STATUS_INVALID_VALUE;
    Call call(handle);
    const bool isThin = jobU != 'A' && jobV != 'A';
    const SingularValues found = singularValues(call.read(a), isThin);
    const int64_t least = std::min(a.rows, a.columns);
    u.rows = a.rows;
    u.columns = jobU == 'A' ? a.rows : least;
    v.rows = jobV == 'A' ? a.columns : least;
    v.columns = a.columns;
    writeVectors(call, jobU, jobU == 'O' ? Matrix(found.u.leftCols(least)) : found.u, u, a);
    writeVectors(call, jobV, jobV == 'O' ? Matrix(found.v.leftCols(least).adjoint()) : Matrix(found.v.adjoint()), v, a);
    call.writeVector(s, found.values, realOf(a.type));
    call.writeInfo(info, 0);
    return call.status();
}

/// By Jacobi's method there is V, not its adjoint.
cusolverStatus_t svdByJacobi(cusolverDnHandle_t handle, cusolverEigMode_t mode, bool isThin, const Place& a, void* s,
                             Place u, Place v, int* info)
{
    if (!a.isPossible())
        return CUSOLVER_STATUS_INVALID_VALUE;
    Call call(handle);
    const SingularValues found = singularValues(call.read(a), isThin);
    if (mode == CUSOLVER_EIG_MODE_VECTOR) {
        u.columns = found.u.cols();
        v.columns = found.v.cols();
        call.write(u, found.u);
        call.write(v, found.v);
    }
    call.writeVector(s, found.values, realOf(a.type));
    call.writeInfo(info, 0);
    return call.status();
}

template <class T>
cusolverStatus_t create(T** object)
{
    if (!object)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *object = new T();
    return CUSOLVER_STATUS_SUCCESS;
}

template <class T>
cusolverStatus_t destroy(T* object)
{
    delete object;
    return CUSOLVER_STATUS_SUCCESS;
}

template <class T>
cusolverStatus_t store(T* to, T value)
{
    if (!to)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *to = value;
    return CUSOLVER_STATUS_SUCCESS;
}

}  // namespace

extern "C" {

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* handle)
{
    return create(handle);
}
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle)
{
    return destroy(handle);
}
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream)
{
    return handle ? store(&handle->stream, stream) : CUSOLVER_STATUS_NOT_INITIALIZED;
}
cusolverStatus_t cusolverDnGetStream(cusolverDnHandle_t handle, cudaStream_t* stream)
{
    return handle ? store(stream, handle->stream) : CUSOLVER_STATUS_NOT_INITIALIZED;
}
cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t* params)
{
    return create(params);
}
cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t params)
{
    return destroy(params);
}
cusolverStatus_t cusolverDnSetAdvOptions(cusolverDnParams_t params, cusolverDnFunction_t, cusolverAlgMode_t)
{
    return params ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INVALID_VALUE;
}
cusolverStatus_t cusolverGetVersion(int* version)
{
    return store(version, CUSOLVER_VERSION);
}

#define LS_JACOBI(Info, info)                                                                                          \
    cusolverStatus_t cusolverDnCreate##Info(info##_t* created)                                                         \
    {                                                                                                                  \
        return create(created);                                                                                        \
    }                                                                                                                  \
    cusolverStatus_t cusolverDnDestroy##Info(info##_t destroyed)                                                       \
    {                                                                                                                  \
        return destroy(destroyed);                                                                                     \
    }
LS_JACOBI(SyevjInfo, syevjInfo)
LS_JACOBI(GesvdjInfo, gesvdjInfo)
#undef LS_JACOBI

#define LS_JACOBI(name, info)                                                                                          \
    cusolverStatus_t cusolverDnX##name##SetTolerance(info##_t, double)                                                 \
    {                                                                                                                  \
        return CUSOLVER_STATUS_SUCCESS;                                                                                \
    }                                                                                                                  \
    cusolverStatus_t cusolverDnX##name##SetMaxSweeps(info##_t, int)                                                    \
    {                                                                                                                  \
        return CUSOLVER_STATUS_SUCCESS;                                                                                \
    }                                                                                                                  \
    cusolverStatus_t cusolverDnX##name##SetSortEig(info##_t, int)                                                      \
    {                                                                                                                  \
        return CUSOLVER_STATUS_SUCCESS;                                                                                \
    }                                                                                                                  \
    cusolverStatus_t cusolverDnX##name##GetResidual(cusolverDnHandle_t, info##_t, double* residual)                    \
    {                                                                                                                  \
        return store(residual, 0.0);                                                                                   \
    }                                                                                                                  \
    cusolverStatus_t cusolverDnX##name##GetSweeps(cusolverDnHandle_t, info##_t, int* sweeps)                           \
    {                                                                                                                  \
        return store(sweeps, 1);                                                                                       \
    }
LS_JACOBI(syevj, syevjInfo)
LS_JACOBI(gesvdj, gesvdjInfo)
#undef LS_JACOBI

// clang-format off
#define LS_SIZED(name, ...)                                                                                            \
    cusolverStatus_t cusolverDn##name##_bufferSize(cusolverDnHandle_t handle, __VA_ARGS__)                             \
    {                                                                                                                  \
        return workNumbers(handle, lwork);                                                                             \
    }
#define LS_SOLVER(L, T, R, sy, orgqr, ormqr)                                                                           \
    LS_SIZED(L##potrf, cublasFillMode_t, int, T*, int, int* lwork)                                                     \
    LS_SIZED(L##potri, cublasFillMode_t, int, T*, int, int* lwork)                                                     \
    LS_SIZED(L##getrf, int, int, T*, int, int* lwork)                                                                  \
    LS_SIZED(L##geqrf, int, int, T*, int, int* lwork)                                                                  \
    LS_SIZED(L##orgqr, int, int, int, const T*, int, const T*, int* lwork)                                             \
    LS_SIZED(L##ormqr, cublasSideMode_t, cublasOperation_t, int, int, int, const T*, int, const T*, const T*, int, int* lwork) \
    LS_SIZED(L##sy##evd, cusolverEigMode_t, cublasFillMode_t, int, const T*, int, const R*, int* lwork)                \
    LS_SIZED(L##sy##gvd, cusolverEigType_t, cusolverEigMode_t, cublasFillMode_t, int, const T*, int, const T*, int, const R*, int* lwork) \
    LS_SIZED(L##sy##gvj, cusolverEigType_t, cusolverEigMode_t, cublasFillMode_t, int, const T*, int, const T*, int, const R*, int* lwork, syevjInfo_t) \
    LS_SIZED(L##sy##evj, cusolverEigMode_t, cublasFillMode_t, int, const T*, int, const R*, int* lwork, syevjInfo_t)   \
    LS_SIZED(L##sy##evjBatched, cusolverEigMode_t, cublasFillMode_t, int, const T*, int, const R*, int* lwork, syevjInfo_t, int) \
    LS_SIZED(L##gesvd, int, int, int* lwork)                                                                           \
    LS_SIZED(L##gesvdj, cusolverEigMode_t, int, int, int, const T*, int, const R*, const T*, int, const T*, int, int* lwork, gesvdjInfo_t) \
    cusolverStatus_t cusolverDn##L##potrf(cusolverDnHandle_t handle, cublasFillMode_t fill, int n, T* A, int lda, T*, int, int* info) \
    {                                                                                                                  \
        return cholesky(handle, fill, {A, n, n, lda, Format<T>::kType}, info);                                         \
    }                                                                                                                  \
    cusolverStatus_t cusolverDn##L##potrs(cusolverDnHandle_t handle, cublasFillMode_t fill, int n, int nrhs, const T* A, int lda, T* B, int ldb, int* info) \
    {                                                                                                                  \
        return choleskySolve(handle, fill, {A, n, n, lda, Format<T>::kType}, {B, n, nrhs, ldb, Format<T>::kType}, info); \
    }                                                                                                                  \
    cusolverStatus_t cusolverDn##L##potri(cusolverDnHandle_t handle, cublasFillMode_t fill, int n, T* A, int lda, T*, int, int* info) \
    {                                                                                                                  \
        return choleskyInverse(handle, fill, {A, n, n, lda, Format<T>::kType}, info);                                  \
    }                                                                                                                  \
    cusolverStatus_t cusolverDn##L##potrfBatched(cusolverDnHandle_t handle, cublasFillMode_t fill, int n, T* As[], int lda, int* infos, int batches) \
    {                                                                                                                  \
        return choleskyBatched(handle, fill, n, As, lda, infos, batches);                                              \
    }                                                                                                                  \
    cusolverStatus_t cusolverDn##L##potrsBatched(cusolverDnHandle_t handle, cublasFillMode_t fill, int n, int nrhs, T* As[], int lda, T* Bs[], int ldb, int* info, int batches) \
    {                                                                                                                  \
        return choleskySolveBatched(handle, fill, n, nrhs, As, lda, Bs, ldb, info, batches);                           \
    }                                                                                                                  \
    cusolverStatus_t cusolverDn##L##getrf(cusolverDnHandle_t handle, int m, int n, T* A, int lda, T*, int* pivots, int* info) \
    {                                                                                                                  \
        return lu(handle, {A, m, n, lda, Format<T>::kType}, pivots, sizeof(int), info);                                \
    }                                                                                                                  \
    cusolverStatus_t cusolverDn##L##getrs(cusolverDnHandle_t handle, cublasOperation_t op, int n, int nrhs, const T* A, int lda, const int* pivots, T* B, int ldb, int* info) \
    {                                                                                                                  \
        return luSolve(handle, op, {A, n, n, lda, Format<T>::kType}, pivots, sizeof(int), {B, n, nrhs, ldb, Format<T>::kType}, info); \
    }                                                                                                                  \
    cusolverStatus_t cusolverDn##L##geqrf(cusolverDnHandle_t handle, int m, int n, T* A, int lda, T* tau, T*, int, int* info) \
    {                                                                                                                  \
        return qr(handle, {A, m, n, lda, Format<T>::kType}, tau, info);                                                \
    }                                                                                                                  \
    cusolverStatus_t cusolverDn##L##orgqr(cusolverDnHandle_t handle, int m, int n, int k, T* A, int lda, const T* tau, T*, int, int* info) \
    {                                                                                                                  \
        return formQ(handle, k, {A, m, n, lda, Format<T>::kType}, tau, info);                                          \
    }                                                                                                                  \
    cusolverStatus_t cusolverDn##L##ormqr(cusolverDnHandle_t handle, cublasSideMode_t side, cublasOperation_t op, int m, int n, int k, const T* A, int lda, const T* tau, T* C, int ldc, T*, int, int* info) \
    {                                                                                                                  \
        return byQ(handle, side, op, {A, side == CUBLAS_SIDE_LEFT ? m : n, k, lda, Format<T>::kType}, tau,             \
                   {C, m, n, ldc, Format<T>::kType}, info);                                                            \
    }                                                                                                                  \
    cusolverStatus_t cusolverDn##L##sy##evd(cusolverDnHandle_t handle, cusolverEigMode_t mode, cublasFillMode_t fill, int n, T* A, int lda, R* W, T*, int, int* info) \
    {                                                                                                                  \
        return eigen(handle, mode, fill, {A, n, n, lda, Format<T>::kType}, W, info);                                   \
    }                                                                                                                  \
    cusolverStatus_t cusolverDn##L##sy##gvd(cusolverDnHandle_t handle, cusolverEigType_t type, cusolverEigMode_t mode, cublasFillMode_t fill, int n, T* A, int lda, T* B, int ldb, R* W, T*, int, int* info) \
    {                                                                                                                  \
        return generalizedEigen(handle, type, mode, fill, {A, n, n, lda, Format<T>::kType},                            \
                                {B, n, n, ldb, Format<T>::kType}, W, info);                                            \
    }                                                                                                                  \
    cusolverStatus_t cusolverDn##L##sy##gvj(cusolverDnHandle_t handle, cusolverEigType_t type, cusolverEigMode_t mode, cublasFillMode_t fill, int n, T* A, int lda, T* B, int ldb, R* W, T*, int, int* info, syevjInfo_t) \
    {                                                                                                                  \
        return generalizedEigen(handle, type, mode, fill, {A, n, n, lda, Format<T>::kType},                            \
                                {B, n, n, ldb, Format<T>::kType}, W, info);                                            \
    }                                                                                                                  \
    cusolverStatus_t cusolverDn##L##sy##evj(cusolverDnHandle_t handle, cusolverEigMode_t mode, cublasFillMode_t fill, int n, T* A, int lda, R* W, T*, int, int* info, syevjInfo_t) \
    {                                                                                                                  \
        return eigen(handle, mode, fill, {A, n, n, lda, Format<T>::kType}, W, info);                                   \
    }                                                                                                                  \
    cusolverStatus_t cusolverDn##L##sy##evjBatched(cusolverDnHandle_t handle, cusolverEigMode_t mode, cublasFillMode_t fill, int n, T* A, int lda, R* W, T*, int, int* info, syevjInfo_t, int batches) \
    {                                                                                                                  \
        return eigenBatched(handle, mode, fill, n, A, lda, W, info, batches);                                          \
    }                                                                                                                  \
    cusolverStatus_t cusolverDn##L##gesvd(cusolverDnHandle_t handle, signed char jobU, signed char jobV, int m, int n, T* A, int lda, R* S, T* U, int ldu, T* VT, int ldv, T*, int, R*, int* info) \
    {                                                                                                                  \
        return svd(handle, jobU, jobV, {A, m, n, lda, Format<T>::kType}, S, {U, m, m, ldu, Format<T>::kType},          \
                   {VT, n, n, ldv, Format<T>::kType}, info);                                                           \
    }                                                                                                                  \
    cusolverStatus_t cusolverDn##L##gesvdj(cusolverDnHandle_t handle, cusolverEigMode_t mode, int econ, int m, int n, T* A, int lda, R* S, T* U, int ldu, T* V, int ldv, T*, int, int* info, gesvdjInfo_t) \
    {                                                                                                                  \
        return svdByJacobi(handle, mode, econ != 0, {A, m, n, lda, Format<T>::kType}, S,                               \
                           {U, m, m, ldu, Format<T>::kType}, {V, n, n, ldv, Format<T>::kType}, info);                  \
    }
LS_SOLVER(S, float, float, sy, orgqr, ormqr)
LS_SOLVER(D, double, double, sy, orgqr, ormqr)
LS_SOLVER(C, cuComplex, float, he, ungqr, unmqr)
LS_SOLVER(Z, cuDoubleComplex, double, he, ungqr, unmqr)
#undef LS_SOLVER
#undef LS_SIZED
// clang-format on

#define LS_SIZED(name, ...)                                                                                            \
    cusolverStatus_t cusolverDnX##name##_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t, __VA_ARGS__,        \
                                                    size_t* deviceBytes, size_t* hostBytes)                            \
    {                                                                                                                  \
        return workBytes(handle, deviceBytes, hostBytes);                                                              \
    }
LS_SIZED(potrf, cublasFillMode_t, int64_t, cudaDataType, const void*, int64_t, cudaDataType)
LS_SIZED(getrf, int64_t, int64_t, cudaDataType, const void*, int64_t, cudaDataType)
LS_SIZED(geqrf, int64_t, int64_t, cudaDataType, const void*, int64_t, cudaDataType, const void*, cudaDataType)
LS_SIZED(syevd, cusolverEigMode_t, cublasFillMode_t, int64_t, cudaDataType, const void*, int64_t, cudaDataType,
         const void*, cudaDataType)
LS_SIZED(gesvd, signed char, signed char, int64_t, int64_t, cudaDataType, const void*, int64_t, cudaDataType,
         const void*, cudaDataType, const void*, int64_t, cudaDataType, const void*, int64_t, cudaDataType)
#undef LS_SIZED

cusolverStatus_t cusolverDnXpotrf(cusolverDnHandle_t handle, cusolverDnParams_t, cublasFillMode_t fill, int64_t n,
                                  cudaDataType aType, void* A, int64_t lda, cudaDataType, void*, size_t, void*, size_t,
                                  int* info)
{
    return cholesky(handle, fill, {A, n, n, lda, aType}, info);
}
cusolverStatus_t cusolverDnXpotrs(cusolverDnHandle_t handle, cusolverDnParams_t, cublasFillMode_t fill, int64_t n,
                                  int64_t nrhs, cudaDataType aType, const void* A, int64_t lda, cudaDataType bType,
                                  void* B, int64_t ldb, int* info)
{
    return choleskySolve(handle, fill, {A, n, n, lda, aType}, {B, n, nrhs, ldb, bType}, info);
}
cusolverStatus_t cusolverDnXgetrf(cusolverDnHandle_t handle, cusolverDnParams_t, int64_t m, int64_t n,
                                  cudaDataType aType, void* A, int64_t lda, int64_t* pivots, cudaDataType, void*,
                                  size_t, void*, size_t, int* info)
{
    return lu(handle, {A, m, n, lda, aType}, pivots, sizeof(int64_t), info);
}
cusolverStatus_t cusolverDnXgetrs(cusolverDnHandle_t handle, cusolverDnParams_t, cublasOperation_t op, int64_t n,
                                  int64_t nrhs, cudaDataType aType, const void* A, int64_t lda, const int64_t* pivots,
                                  cudaDataType bType, void* B, int64_t ldb, int* info)
{
    return luSolve(handle, op, {A, n, n, lda, aType}, pivots, sizeof(int64_t), {B, n, nrhs, ldb, bType}, info);
}
cusolverStatus_t cusolverDnXgeqrf(cusolverDnHandle_t handle, cusolverDnParams_t, int64_t m, int64_t n,
                                  cudaDataType aType, void* A, int64_t lda, cudaDataType, void* tau, cudaDataType,
                                  void*, size_t, void*, size_t, int* info)
{
    return qr(handle, {A, m, n, lda, aType}, tau, info);
}
cusolverStatus_t cusolverDnXsyevd(cusolverDnHandle_t handle, cusolverDnParams_t, cusolverEigMode_t mode,
                                  cublasFillMode_t fill, int64_t n, cudaDataType aType, void* A, int64_t lda,
                                  cudaDataType, void* W, cudaDataType, void*, size_t, void*, size_t, int* info)
{
    return eigen(handle, mode, fill, {A, n, n, lda, aType}, W, info);
}
cusolverStatus_t cusolverDnXgesvd(cusolverDnHandle_t handle, cusolverDnParams_t, signed char jobU, signed char jobV,
                                  int64_t m, int64_t n, cudaDataType aType, void* A, int64_t lda, cudaDataType, void* S,
                                  cudaDataType uType, void* U, int64_t ldu, cudaDataType vType, void* VT, int64_t ldv,
                                  cudaDataType, void*, size_t, void*, size_t, int* info)
{
    return svd(handle, jobU, jobV, {A, m, n, lda, aType}, S, {U, m, m, ldu, uType}, {VT, n, n, ldv, vType}, info);
}

}  // extern "C"
