// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of cuBLAS that are no kernels in headers: complex numbers, triangular and symmetric matrices, batches
// of factorisations.
#pragma GCC visibility push(default)
#include "instrumented/include/lanescope/blas_host.h"
#pragma GCC visibility pop

#include <Eigen/LU>
#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "instrumented/math/device_matrices.h"

using namespace lanescope::math;

namespace {

using Index = Eigen::Index;

/// One call: what it reads and writes.
class Call : public DeviceMatrices {
public:
    explicit Call(cublasHandle_t handle)
        : DeviceMatrices(handle ? handle->stream : nullptr), m_isKnown(handle),
          m_readsHost(!handle || handle->pointerMode == CUBLAS_POINTER_MODE_HOST)
    {
    }

    [[nodiscard]] cublasStatus_t status() const
    {
        return !m_isKnown ? CUBLAS_STATUS_NOT_INITIALIZED
               : isGood() ? CUBLAS_STATUS_SUCCESS
                          : CUBLAS_STATUS_EXECUTION_FAILED;
    }
    /// A factor, which lies where the handle's pointer mode says.
    Complex scalar(const void* memory, cudaDataType type)
    {
        if (m_readsHost)
            return numberAt(memory, type);
        const std::vector<Complex> read = readVector(memory, 1, type);
        return read.empty() ? Complex() : read.front();
    }
    void giveScalar(void* memory, Complex value, cudaDataType type) { writeVector(memory, {value}, type); }
    void giveIndex(void* memory, int64_t value) { writeIndices(memory, {value}, sizeof(int)); }

    Matrix vector(const void* memory, int64_t count, int64_t step, cudaDataType type)
    {
        const std::vector<Complex> values = readVector(memory, count, step, type);
        return isGood() ? Matrix(Eigen::Map<const Matrix>(values.data(), count, 1)) : Matrix(Matrix::Zero(count, 1));
    }
    void giveVector(void* memory, int64_t step, const Matrix& values, cudaDataType type)
    {
        writeVector(memory, step, {values.data(), values.data() + values.size()}, type);
    }

private:
    bool m_isKnown, m_readsHost;
};

/// A factor of a call, still where it lies.
struct Factor {
    const void* memory;
    cudaDataType type;
};

enum class Symmetry { Symmetric, Hermitian };

Matrix filled(const Matrix& matrix, Half triangle, Symmetry symmetry)
{
    if (symmetry == Symmetry::Hermitian)
        return hermitian(matrix, triangle);
    Matrix full = triangle == Half::Lower ? Matrix(matrix.triangularView<Eigen::Lower>())
                                          : Matrix(matrix.triangularView<Eigen::Upper>());
    full += full.transpose().eval();
    full.diagonal() = matrix.diagonal();
    return full;
}

Matrix triangular(const Matrix& matrix, cublasFillMode_t fill, cublasDiagType_t diagonal)
{
    Matrix part = halfOf(fill) == Half::Lower ? Matrix(matrix.triangularView<Eigen::Lower>())
                                              : Matrix(matrix.triangularView<Eigen::Upper>());
    if (diagonal == CUBLAS_DIAG_UNIT)
        part.diagonal().setOnes();
    return part;
}

/// alpha product + beta target, of which nothing is read where beta is 0.
template <class Read>
Matrix combined(Complex alpha, const Matrix& product, Complex beta, Read readTarget)
{
    return beta == Complex() ? Matrix(alpha * product) : Matrix(alpha * product + beta * readTarget());
}

Place operandPlace(const void* memory, cublasOperation_t op, int64_t rows, int64_t columns, int64_t leading,
                   cudaDataType type)
{
    return op == CUBLAS_OP_N ? Place{memory, rows, columns, leading, type}
                             : Place{memory, columns, rows, leading, type};
}

cublasStatus_t product(cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB, const Place& a,
                       const Place& b, Factor alpha, Factor beta, const Place& c)
{
    if (!a.isPossible() || !b.isPossible() || !c.isPossible())
        return CUBLAS_STATUS_INVALID_VALUE;
    Call call(handle);
    const Complex scale = call.scalar(alpha.memory, alpha.type);
    const Matrix sums = applied(operationOf(opA), call.read(a)) * applied(operationOf(opB), call.read(b));
    call.write(c, combined(scale, sums, call.scalar(beta.memory, beta.type), [&] { return call.read(c); }));
    return call.status();
}

cublasStatus_t matrixVector(cublasHandle_t handle, const Place& a, cublasOperation_t op, Factor alpha, const void* x,
                            int stepX, Factor beta, void* y, int stepY)
{
    if (!a.isPossible())
        return CUBLAS_STATUS_INVALID_VALUE;
    Call call(handle);
    const Matrix matrix = applied(operationOf(op), call.read(a));
    const Complex scale = call.scalar(alpha.memory, alpha.type);
    const Matrix sums = matrix * call.vector(x, matrix.cols(), stepX, a.type);
    call.giveVector(y, stepY,
                    combined(scale, sums, call.scalar(beta.memory, beta.type),
                             [&] { return call.vector(y, matrix.rows(), stepY, a.type); }),
                    a.type);
    return call.status();
}

cublasStatus_t symmetricVector(cublasHandle_t handle, Symmetry symmetry, cublasFillMode_t fill, const Place& a,
                               Factor alpha, const void* x, int stepX, Factor beta, void* y, int stepY)
{
    if (!a.isPossible())
        return CUBLAS_STATUS_INVALID_VALUE;
    Call call(handle);
    const Matrix matrix = filled(call.read(a), halfOf(fill), symmetry);
    const Complex scale = call.scalar(alpha.memory, alpha.type);
    const Matrix sums = matrix * call.vector(x, matrix.cols(), stepX, a.type);
    call.giveVector(y, stepY,
                    combined(scale, sums, call.scalar(beta.memory, beta.type),
                             [&] { return call.vector(y, matrix.rows(), stepY, a.type); }),
                    a.type);
    return call.status();
}

cublasStatus_t rankOne(cublasHandle_t handle, bool isConjugated, Factor alpha, const void* x, int stepX, const void* y,
                       int stepY, const Place& a)
{
    if (!a.isPossible())
        return CUBLAS_STATUS_INVALID_VALUE;
    Call call(handle);
    const Complex scale = call.scalar(alpha.memory, alpha.type);
    const Matrix left = call.vector(x, a.rows, stepX, a.type);
    const Matrix right = call.vector(y, a.columns, stepY, a.type);
    const Matrix turned = isConjugated ? Matrix(right.adjoint()) : Matrix(right.transpose());
    call.write(a, call.read(a) + scale * left * turned);
    return call.status();
}

cublasStatus_t matrixSum(cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB, Factor alpha,
                         const Place& a, Factor beta, const Place& b, const Place& c)
{
    if (!c.isPossible())
        return CUBLAS_STATUS_INVALID_VALUE;
    Call call(handle);
    Matrix sum = Matrix::Zero(c.rows, c.columns);
    if (const Complex scale = call.scalar(alpha.memory, alpha.type); scale != Complex())
        sum += scale * applied(operationOf(opA), call.read(a));
    if (const Complex scale = call.scalar(beta.memory, beta.type); scale != Complex())
        sum += scale * applied(operationOf(opB), call.read(b));
    call.write(c, sum);
    return call.status();
}

cublasStatus_t triangularSolve(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill,
                               cublasOperation_t op, cublasDiagType_t diagonal, Factor alpha, const Place& a,
                               const Place& b)
{
    if (!a.isPossible() || !b.isPossible())
        return CUBLAS_STATUS_INVALID_VALUE;
    Call call(handle);
    const Matrix matrix = call.read(a);
    Matrix x = call.scalar(alpha.memory, alpha.type) * call.read(b);
    solveTriangular(matrix, halfOf(fill), diagonal == CUBLAS_DIAG_UNIT, operationOf(op), side == CUBLAS_SIDE_LEFT, x);
    call.write(b, x);
    return call.status();
}

cublasStatus_t triangularSolves(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill,
                                cublasOperation_t op, cublasDiagType_t diagonal, Factor alpha, Place a, const void* as,
                                Place b, const void* bs, int batches)
{
    Call call(handle);
    const std::vector<void*> matrices = call.readAddresses(as, batches);
    const std::vector<void*> sides = call.readAddresses(bs, batches);
    cublasStatus_t status = call.status();
    for (size_t i = 0; i < sides.size() && status == CUBLAS_STATUS_SUCCESS; ++i) {
        a.memory = matrices[i];
        b.memory = sides[i];
        status = triangularSolve(handle, side, fill, op, diagonal, alpha, a, b);
    }
    return status;
}

cublasStatus_t triangularProduct(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill,
                                 cublasOperation_t op, cublasDiagType_t diagonal, Factor alpha, const Place& a,
                                 const Place& b, const Place& c)
{
    if (!a.isPossible() || !b.isPossible() || !c.isPossible())
        return CUBLAS_STATUS_INVALID_VALUE;
    Call call(handle);
    const Matrix matrix = applied(operationOf(op), triangular(call.read(a), fill, diagonal));
    const Matrix other = call.read(b);
    const Complex scale = call.scalar(alpha.memory, alpha.type);
    call.write(c, scale * (side == CUBLAS_SIDE_LEFT ? Matrix(matrix * other) : Matrix(other * matrix)));
    return call.status();
}

enum class ByVector { Product, Solution };

cublasStatus_t triangularVector(cublasHandle_t handle, ByVector kind, cublasFillMode_t fill, cublasOperation_t op,
                                cublasDiagType_t diagonal, const Place& a, void* x, int stepX)
{
    if (!a.isPossible())
        return CUBLAS_STATUS_INVALID_VALUE;
    Call call(handle);
    const Matrix matrix = call.read(a);
    Matrix vector = call.vector(x, a.rows, stepX, a.type);
    if (kind == ByVector::Product)
        vector = (applied(operationOf(op), triangular(matrix, fill, diagonal)) * vector).eval();
    else
        solveTriangular(matrix, halfOf(fill), diagonal == CUBLAS_DIAG_UNIT, operationOf(op), true, vector);
    call.giveVector(x, stepX, vector, a.type);
    return call.status();
}

cublasStatus_t symmetricProduct(cublasHandle_t handle, Symmetry symmetry, cublasSideMode_t side, cublasFillMode_t fill,
                                Factor alpha, const Place& a, const Place& b, Factor beta, const Place& c)
{
    if (!a.isPossible() || !b.isPossible() || !c.isPossible())
        return CUBLAS_STATUS_INVALID_VALUE;
    Call call(handle);
    const Matrix matrix = filled(call.read(a), halfOf(fill), symmetry);
    const Matrix other = call.read(b);
    const Complex scale = call.scalar(alpha.memory, alpha.type);
    const Matrix sums = side == CUBLAS_SIDE_LEFT ? Matrix(matrix * other) : Matrix(other * matrix);
    call.write(c, combined(scale, sums, call.scalar(beta.memory, beta.type), [&] { return call.read(c); }));
    return call.status();
}

/// \p b: also B, of syr2k; null: none.
cublasStatus_t rankUpdate(cublasHandle_t handle, Symmetry symmetry, cublasFillMode_t fill, cublasOperation_t op,
                          Factor alpha, const Place& a, const Place* b, Factor beta, const Place& c)
{
    if (!a.isPossible() || !c.isPossible())
        return CUBLAS_STATUS_INVALID_VALUE;
    Call call(handle);
    const auto turned = [&](const Matrix& matrix) {
        return symmetry == Symmetry::Hermitian ? Matrix(matrix.adjoint()) : Matrix(matrix.transpose());
    };
    Matrix left = call.read(a);
    if (op != CUBLAS_OP_N)
        left = turned(left);
    Matrix sums = Matrix::Zero(c.rows, c.columns);
    if (b) {
        const Matrix other = op == CUBLAS_OP_N ? call.read(*b) : turned(call.read(*b));
        sums = left * turned(other) + other * turned(left);
    } else {
        sums = left * turned(left);
    }
    const Complex scale = call.scalar(alpha.memory, alpha.type);
    call.writeTriangle(c, halfOf(fill),
                       combined(scale, sums, call.scalar(beta.memory, beta.type), [&] { return call.read(c); }));
    return call.status();
}

cublasStatus_t byDiagonal(cublasHandle_t handle, cublasSideMode_t side, const Place& a, const void* x, int stepX,
                          const Place& c)
{
    if (!a.isPossible() || !c.isPossible())
        return CUBLAS_STATUS_INVALID_VALUE;
    Call call(handle);
    const Matrix matrix = call.read(a);
    const bool isLeft = side == CUBLAS_SIDE_LEFT;
    const Matrix diagonal = call.vector(x, isLeft ? a.rows : a.columns, stepX, a.type);
    call.write(c,
               isLeft ? Matrix(diagonal.col(0).asDiagonal() * matrix) : Matrix(matrix * diagonal.col(0).asDiagonal()));
    return call.status();
}

/// Runs \p step for the \p batches addresses at \p as and, if there are any, \p bs.
template <class Step>
cublasStatus_t forEach(cublasHandle_t handle, const void* as, const void* bs, int batches, Step step)
{
    Call call(handle);
    const std::vector<void*> first = call.readAddresses(as, batches);
    const std::vector<void*> second = bs ? call.readAddresses(bs, batches) : std::vector<void*>(first.size());
    for (size_t i = 0; i < first.size() && i < second.size() && call.isGood(); ++i)
        step(call, first[i], second[i], static_cast<int64_t>(i));
    return call.status();
}

cublasStatus_t factorEach(cublasHandle_t handle, int n, const void* as, int lda, int* pivots, int* infos, int batches,
                          cudaDataType type)
{
    return forEach(handle, as, nullptr, batches, [&](Call& call, void* a, void*, int64_t batch) {
        const Place place{a, n, n, lda, type};
        Matrix matrix = call.read(place);
        std::vector<int64_t> rows;
        const int64_t zero = factorLu(matrix, pivots ? &rows : nullptr);
        call.write(place, matrix);
        if (pivots)
            call.writeIndices(pivots + batch * n, rows, sizeof(int));
        call.giveIndex(infos + batch, zero);
    });
}

/// \p info: the host's.
cublasStatus_t solveEach(cublasHandle_t handle, cublasOperation_t op, int n, int nrhs, const void* as, int lda,
                         const int* pivots, const void* bs, int ldb, int* info, int batches, cudaDataType type)
{
    if (info)
        *info = 0;
    return forEach(handle, as, bs, batches, [&](Call& call, void* a, void* b, int64_t batch) {
        const Matrix factors = call.read({a, n, n, lda, type});
        std::vector<int64_t> rows;
        if (pivots)
            rows = call.readPivots(pivots + batch * n, n, sizeof(int), n);
        Matrix x = call.read({b, n, nrhs, ldb, type});
        if (call.isGood())
            solveLu(factors, pivots ? &rows : nullptr, operationOf(op), x);
        call.write({b, n, nrhs, ldb, type}, x);
    });
}

/// The least squares of each: where A was, its factors Q and R are; where B was, X and what is left.
cublasStatus_t leastSquaresEach(cublasHandle_t handle, cublasOperation_t op, int m, int n, int nrhs, const void* as,
                                int lda, const void* cs, int ldc, int* info, int* infos, int batches, cudaDataType type)
{
    *info = 0;
    if (op != CUBLAS_OP_N || m < n)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    return forEach(handle, as, cs, batches, [&](Call& call, void* a, void* c, int64_t batch) {
        const Eigen::HouseholderQR<Matrix> factors(call.read({a, m, n, lda, type}));
        Matrix x = call.read({c, m, nrhs, ldc, type});
        x = factors.householderQ().adjoint() * x;
        const auto triangle = factors.matrixQR().topRows(n).template triangularView<Eigen::Upper>();
        Index zero = 0;
        for (Index k = 0; k < n && zero == 0; ++k)
            zero = factors.matrixQR()(k, k) == Complex() ? k + 1 : 0;
        if (zero == 0)
            triangle.solveInPlace(x.topRows(n));
        call.write({a, m, n, lda, type}, factors.matrixQR());
        call.write({c, m, nrhs, ldc, type}, x);
        if (infos)
            call.giveIndex(infos + batch, zero);
    });
}

/// From factors and pivots, or, \p isFactored false, from the matrices themselves.
cublasStatus_t invertEach(cublasHandle_t handle, int n, const void* as, int lda, bool isFactored, const int* pivots,
                          const void* cs, int ldc, int* infos, int batches, cudaDataType type)
{
    return forEach(handle, as, cs, batches, [&](Call& call, void* a, void* c, int64_t batch) {
        Matrix factors = call.read({a, n, n, lda, type});
        std::vector<int64_t> rows;
        int64_t zero = 0;
        if (!isFactored)
            zero = factorLu(factors, &rows);
        else if (pivots)
            rows = call.readPivots(pivots + batch * n, n, sizeof(int), n);
        for (Index k = 0; isFactored && k < n && zero == 0; ++k)
            zero = factors(k, k) == Complex() ? k + 1 : 0;
        if (zero == 0 && call.isGood()) {
            Matrix inverse = Matrix::Identity(n, n);
            solveLu(factors, isFactored && !pivots ? nullptr : &rows, Operation::None, inverse);
            call.write({c, n, n, ldc, type}, inverse);
        }
        call.giveIndex(infos + batch, zero);
    });
}

/// A vector, where it lies.
struct Numbers {
    const void* memory;
    int step;
    cudaDataType type;
};

cublasStatus_t addScaled(cublasHandle_t handle, int n, Factor alpha, const Numbers& x, void* y, int stepY,
                         cudaDataType yType)
{
    Call call(handle);
    const Complex scale = call.scalar(alpha.memory, alpha.type);
    const Matrix added = scale * call.vector(x.memory, n, x.step, x.type);
    call.giveVector(y, stepY, call.vector(y, n, stepY, yType) + added, yType);
    return call.status();
}

cublasStatus_t scaled(cublasHandle_t handle, int n, Factor alpha, void* x, int stepX, cudaDataType type)
{
    Call call(handle);
    const Complex scale = call.scalar(alpha.memory, alpha.type);
    call.giveVector(x, stepX, scale * call.vector(x, n, stepX, type), type);
    return call.status();
}

/// \p isSwap: y goes to x, too.
cublasStatus_t moved(cublasHandle_t handle, int n, void* x, int stepX, void* y, int stepY, bool isSwap,
                     cudaDataType type)
{
    Call call(handle);
    const Matrix first = call.vector(x, n, stepX, type);
    if (isSwap)
        call.giveVector(x, stepX, call.vector(y, n, stepY, type), type);
    call.giveVector(y, stepY, first, type);
    return call.status();
}

cublasStatus_t scalarProduct(cublasHandle_t handle, int n, const Numbers& x, const Numbers& y, bool isConjugated,
                             void* result, cudaDataType type)
{
    Call call(handle);
    const Matrix left = call.vector(x.memory, n, x.step, x.type);
    const Matrix right = call.vector(y.memory, n, y.step, y.type);
    const Complex sum = isConjugated ? (left.adjoint() * right).value() : (left.transpose() * right).value();
    call.giveScalar(result, sum, type);
    return call.status();
}

double magnitude(Complex value)
{
    return std::abs(value.real()) + std::abs(value.imag());
}

enum class Of { Norm, Sum };

cublasStatus_t vectorNorm(cublasHandle_t handle, Of of, int n, const Numbers& x, void* result, cudaDataType type)
{
    Call call(handle);
    const Matrix vector = call.vector(x.memory, n, x.step, x.type);
    double sum = 0;
    for (const Complex& value : vector.reshaped())
        sum += magnitude(value);
    call.giveScalar(result, of == Of::Norm ? vector.stableNorm() : sum, type);
    return call.status();
}

/// The first of the largest (smallest) magnitudes, counted from 1.
cublasStatus_t extreme(cublasHandle_t handle, bool isLargest, int n, const void* x, int step, int* result,
                       cudaDataType type)
{
    Call call(handle);
    const Matrix vector = call.vector(x, n, step, type);
    Index best = 0;
    for (Index i = 1; i < vector.size(); ++i)
        if (isLargest ? magnitude(vector(i)) > magnitude(vector(best)) : magnitude(vector(i)) < magnitude(vector(best)))
            best = i;
    call.giveIndex(result, n > 0 ? best + 1 : 0);
    return call.status();
}

/// What alpha and beta of a product are, for matrices of \p type.
cudaDataType scaleTypeOf(cublasComputeType_t compute, cudaDataType type)
{
    const bool isComplex = realOf(type) != type;
    switch (compute) {
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC:
        return CUDA_R_16F;
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC:
        return isComplex ? CUDA_C_64F : CUDA_R_64F;
    case CUBLAS_COMPUTE_32I:
    case CUBLAS_COMPUTE_32I_PEDANTIC:
        return CUDA_R_32I;
    default:
        return isComplex ? CUDA_C_32F : CUDA_R_32F;
    }
}

bool areKnown(std::initializer_list<cudaDataType> types)
{
    return std::all_of(types.begin(), types.end(), [](cudaDataType type) { return bytesOf(type) > 0; });
}

int64_t orderOf(cublasSideMode_t side, int m, int n)
{
    return side == CUBLAS_SIDE_LEFT ? m : n;
}

}  // namespace

extern "C" {

// clang-format off
#define LS_BLAS_HOST(L, T)                                                                                             \
    cublasStatus_t cublas##L##trsv(cublasHandle_t h, cublasFillMode_t fill, cublasOperation_t op, cublasDiagType_t diagonal, int n, const T* A, int lda, T* x, int stepX) \
    {                                                                                                                  \
        return triangularVector(h, ByVector::Solution, fill, op, diagonal, {A, n, n, lda, Format<T>::kType}, x, stepX); \
    }                                                                                                                  \
    cublasStatus_t cublas##L##trmv(cublasHandle_t h, cublasFillMode_t fill, cublasOperation_t op, cublasDiagType_t diagonal, int n, const T* A, int lda, T* x, int stepX) \
    {                                                                                                                  \
        return triangularVector(h, ByVector::Product, fill, op, diagonal, {A, n, n, lda, Format<T>::kType}, x, stepX);  \
    }                                                                                                                  \
    cublasStatus_t cublas##L##symv(cublasHandle_t h, cublasFillMode_t fill, int n, const T* alpha, const T* A, int lda, const T* x, int stepX, const T* beta, T* y, int stepY) \
    {                                                                                                                  \
        return symmetricVector(h, Symmetry::Symmetric, fill, {A, n, n, lda, Format<T>::kType}, {alpha, Format<T>::kType}, x, stepX, {beta, Format<T>::kType}, y, stepY); \
    }                                                                                                                  \
    cublasStatus_t cublas##L##trsm(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t fill, cublasOperation_t op, cublasDiagType_t diagonal, int m, int n, const T* alpha, const T* A, int lda, T* B, int ldb) \
    {                                                                                                                  \
        const int64_t order = orderOf(side, m, n);                                                                     \
        return triangularSolve(h, side, fill, op, diagonal, {alpha, Format<T>::kType}, {A, order, order, lda, Format<T>::kType}, {B, m, n, ldb, Format<T>::kType}); \
    }                                                                                                                  \
    cublasStatus_t cublas##L##trsmBatched(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t fill, cublasOperation_t op, cublasDiagType_t diagonal, int m, int n, const T* alpha, const T* const As[], int lda, T* const Bs[], int ldb, int batches) \
    {                                                                                                                  \
        const int64_t order = orderOf(side, m, n);                                                                     \
        return triangularSolves(h, side, fill, op, diagonal, {alpha, Format<T>::kType}, {nullptr, order, order, lda, Format<T>::kType}, listOf(As), {nullptr, m, n, ldb, Format<T>::kType}, listOf(Bs), batches); \
    }                                                                                                                  \
    cublasStatus_t cublas##L##trmm(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t fill, cublasOperation_t op, cublasDiagType_t diagonal, int m, int n, const T* alpha, const T* A, int lda, const T* B, int ldb, T* C, int ldc) \
    {                                                                                                                  \
        const int64_t order = orderOf(side, m, n);                                                                     \
        return triangularProduct(h, side, fill, op, diagonal, {alpha, Format<T>::kType}, {A, order, order, lda, Format<T>::kType}, {B, m, n, ldb, Format<T>::kType}, {C, m, n, ldc, Format<T>::kType}); \
    }                                                                                                                  \
    cublasStatus_t cublas##L##symm(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t fill, int m, int n, const T* alpha, const T* A, int lda, const T* B, int ldb, const T* beta, T* C, int ldc) \
    {                                                                                                                  \
        const int64_t order = orderOf(side, m, n);                                                                     \
        return symmetricProduct(h, Symmetry::Symmetric, side, fill, {alpha, Format<T>::kType}, {A, order, order, lda, Format<T>::kType}, {B, m, n, ldb, Format<T>::kType}, {beta, Format<T>::kType}, {C, m, n, ldc, Format<T>::kType}); \
    }                                                                                                                  \
    cublasStatus_t cublas##L##syrk(cublasHandle_t h, cublasFillMode_t fill, cublasOperation_t op, int n, int k, const T* alpha, const T* A, int lda, const T* beta, T* C, int ldc) \
    {                                                                                                                  \
        return rankUpdate(h, Symmetry::Symmetric, fill, op, {alpha, Format<T>::kType}, operandPlace(A, op, n, k, lda, Format<T>::kType), nullptr, {beta, Format<T>::kType}, {C, n, n, ldc, Format<T>::kType}); \
    }                                                                                                                  \
    cublasStatus_t cublas##L##syr2k(cublasHandle_t h, cublasFillMode_t fill, cublasOperation_t op, int n, int k, const T* alpha, const T* A, int lda, const T* B, int ldb, const T* beta, T* C, int ldc) \
    {                                                                                                                  \
        const Place other = operandPlace(B, op, n, k, ldb, Format<T>::kType);                                          \
        return rankUpdate(h, Symmetry::Symmetric, fill, op, {alpha, Format<T>::kType}, operandPlace(A, op, n, k, lda, Format<T>::kType), &other, {beta, Format<T>::kType}, {C, n, n, ldc, Format<T>::kType}); \
    }                                                                                                                  \
    cublasStatus_t cublas##L##dgmm(cublasHandle_t h, cublasSideMode_t side, int m, int n, const T* A, int lda, const T* x, int stepX, T* C, int ldc) \
    {                                                                                                                  \
        return byDiagonal(h, side, {A, m, n, lda, Format<T>::kType}, x, stepX, {C, m, n, ldc, Format<T>::kType});      \
    }                                                                                                                  \
    cublasStatus_t cublas##L##getrfBatched(cublasHandle_t h, int n, T* const As[], int lda, int* pivots, int* infos, int batches) \
    {                                                                                                                  \
        return factorEach(h, n, listOf(As), lda, pivots, infos, batches, Format<T>::kType);                                    \
    }                                                                                                                  \
    cublasStatus_t cublas##L##getrsBatched(cublasHandle_t h, cublasOperation_t op, int n, int nrhs, const T* const As[], int lda, const int* pivots, T* const Bs[], int ldb, int* info, int batches) \
    {                                                                                                                  \
        return solveEach(h, op, n, nrhs, listOf(As), lda, pivots, listOf(Bs), ldb, info, batches, Format<T>::kType);                   \
    }                                                                                                                  \
    cublasStatus_t cublas##L##getriBatched(cublasHandle_t h, int n, const T* const As[], int lda, const int* pivots, T* const Cs[], int ldc, int* infos, int batches) \
    {                                                                                                                  \
        return invertEach(h, n, listOf(As), lda, true, pivots, listOf(Cs), ldc, infos, batches, Format<T>::kType);                     \
    }                                                                                                                  \
    cublasStatus_t cublas##L##gelsBatched(cublasHandle_t h, cublasOperation_t op, int m, int n, int nrhs, T* const As[], int lda, T* const Cs[], int ldc, int* info, int* infos, int batches) \
    {                                                                                                                  \
        return leastSquaresEach(h, op, m, n, nrhs, listOf(As), lda, listOf(Cs), ldc, info, infos, batches, Format<T>::kType); \
    }                                                                                                                  \
    cublasStatus_t cublas##L##matinvBatched(cublasHandle_t h, int n, const T* const As[], int lda, T* const Cs[], int ldc, int* infos, int batches) \
    {                                                                                                                  \
        return invertEach(h, n, listOf(As), lda, false, nullptr, listOf(Cs), ldc, infos, batches, Format<T>::kType);                   \
    }
LS_BLAS_HOST(S, float)
LS_BLAS_HOST(D, double)
LS_BLAS_HOST(C, cuComplex)
LS_BLAS_HOST(Z, cuDoubleComplex)
#undef LS_BLAS_HOST

#define LS_BLAS_HOST(L, l, LR, RL, T, R)                                                                               \
    cublasStatus_t cublas##L##axpy(cublasHandle_t h, int n, const T* alpha, const T* x, int stepX, T* y, int stepY)    \
    {                                                                                                                  \
        return addScaled(h, n, {alpha, Format<T>::kType}, {x, stepX, Format<T>::kType}, y, stepY, Format<T>::kType);   \
    }                                                                                                                  \
    cublasStatus_t cublas##L##scal(cublasHandle_t h, int n, const T* alpha, T* x, int stepX)                           \
    {                                                                                                                  \
        return scaled(h, n, {alpha, Format<T>::kType}, x, stepX, Format<T>::kType);                                    \
    }                                                                                                                  \
    cublasStatus_t cublas##LR##scal(cublasHandle_t h, int n, const R* alpha, T* x, int stepX)                          \
    {                                                                                                                  \
        return scaled(h, n, {alpha, Format<R>::kType}, x, stepX, Format<T>::kType);                                    \
    }                                                                                                                  \
    cublasStatus_t cublas##L##copy(cublasHandle_t h, int n, const T* x, int stepX, T* y, int stepY)                    \
    {                                                                                                                  \
        return moved(h, n, const_cast<T*>(x), stepX, y, stepY, false, Format<T>::kType);                               \
    }                                                                                                                  \
    cublasStatus_t cublas##L##swap(cublasHandle_t h, int n, T* x, int stepX, T* y, int stepY)                          \
    {                                                                                                                  \
        return moved(h, n, x, stepX, y, stepY, true, Format<T>::kType);                                                \
    }                                                                                                                  \
    cublasStatus_t cublas##L##dotu(cublasHandle_t h, int n, const T* x, int stepX, const T* y, int stepY, T* result)   \
    {                                                                                                                  \
        return scalarProduct(h, n, {x, stepX, Format<T>::kType}, {y, stepY, Format<T>::kType}, false, result, Format<T>::kType);                               \
    }                                                                                                                  \
    cublasStatus_t cublas##L##dotc(cublasHandle_t h, int n, const T* x, int stepX, const T* y, int stepY, T* result)   \
    {                                                                                                                  \
        return scalarProduct(h, n, {x, stepX, Format<T>::kType}, {y, stepY, Format<T>::kType}, true, result, Format<T>::kType);                                \
    }                                                                                                                  \
    cublasStatus_t cublas##RL##nrm2(cublasHandle_t h, int n, const T* x, int stepX, R* result)                         \
    {                                                                                                                  \
        return vectorNorm(h, Of::Norm, n, {x, stepX, Format<T>::kType}, result, Format<R>::kType);                                         \
    }                                                                                                                  \
    cublasStatus_t cublas##RL##asum(cublasHandle_t h, int n, const T* x, int stepX, R* result)                         \
    {                                                                                                                  \
        return vectorNorm(h, Of::Sum, n, {x, stepX, Format<T>::kType}, result, Format<R>::kType);                                          \
    }                                                                                                                  \
    cublasStatus_t cublasI##l##amax(cublasHandle_t h, int n, const T* x, int stepX, int* result)                       \
    {                                                                                                                  \
        return extreme(h, true, n, x, stepX, result, Format<T>::kType);                                                \
    }                                                                                                                  \
    cublasStatus_t cublasI##l##amin(cublasHandle_t h, int n, const T* x, int stepX, int* result)                       \
    {                                                                                                                  \
        return extreme(h, false, n, x, stepX, result, Format<T>::kType);                                               \
    }                                                                                                                  \
    cublasStatus_t cublas##L##gemv(cublasHandle_t h, cublasOperation_t op, int m, int n, const T* alpha, const T* A, int lda, const T* x, int stepX, const T* beta, T* y, int stepY) \
    {                                                                                                                  \
        return matrixVector(h, {A, m, n, lda, Format<T>::kType}, op, {alpha, Format<T>::kType}, x, stepX, {beta, Format<T>::kType}, y, stepY); \
    }                                                                                                                  \
    cublasStatus_t cublas##L##geru(cublasHandle_t h, int m, int n, const T* alpha, const T* x, int stepX, const T* y, int stepY, T* A, int lda) \
    {                                                                                                                  \
        return rankOne(h, false, {alpha, Format<T>::kType}, x, stepX, y, stepY, {A, m, n, lda, Format<T>::kType});     \
    }                                                                                                                  \
    cublasStatus_t cublas##L##gerc(cublasHandle_t h, int m, int n, const T* alpha, const T* x, int stepX, const T* y, int stepY, T* A, int lda) \
    {                                                                                                                  \
        return rankOne(h, true, {alpha, Format<T>::kType}, x, stepX, y, stepY, {A, m, n, lda, Format<T>::kType});      \
    }                                                                                                                  \
    cublasStatus_t cublas##L##geam(cublasHandle_t h, cublasOperation_t opA, cublasOperation_t opB, int m, int n, const T* alpha, const T* A, int lda, const T* beta, const T* B, int ldb, T* C, int ldc) \
    {                                                                                                                  \
        return matrixSum(h, opA, opB, {alpha, Format<T>::kType}, operandPlace(A, opA, m, n, lda, Format<T>::kType), {beta, Format<T>::kType}, operandPlace(B, opB, m, n, ldb, Format<T>::kType), {C, m, n, ldc, Format<T>::kType}); \
    }                                                                                                                  \
    cublasStatus_t cublas##L##gemm(cublasHandle_t h, cublasOperation_t opA, cublasOperation_t opB, int m, int n, int k, const T* alpha, const T* A, int lda, const T* B, int ldb, const T* beta, T* C, int ldc) \
    {                                                                                                                  \
        return product(h, opA, opB, operandPlace(A, opA, m, k, lda, Format<T>::kType), operandPlace(B, opB, k, n, ldb, Format<T>::kType), {alpha, Format<T>::kType}, {beta, Format<T>::kType}, {C, m, n, ldc, Format<T>::kType}); \
    }                                                                                                                  \
    cublasStatus_t cublas##L##gemm3m(cublasHandle_t h, cublasOperation_t opA, cublasOperation_t opB, int m, int n, int k, const T* alpha, const T* A, int lda, const T* B, int ldb, const T* beta, T* C, int ldc) \
    {                                                                                                                  \
        return cublas##L##gemm(h, opA, opB, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);                             \
    }                                                                                                                  \
    cublasStatus_t cublas##L##gemmStridedBatched(cublasHandle_t h, cublasOperation_t opA, cublasOperation_t opB, int m, int n, int k, const T* alpha, const T* A, int lda, long long strideA, const T* B, int ldb, long long strideB, const T* beta, T* C, int ldc, long long strideC, int batches) \
    {                                                                                                                  \
        cublasStatus_t status = CUBLAS_STATUS_SUCCESS;                                                                 \
        for (int i = 0; i < batches && status == CUBLAS_STATUS_SUCCESS; ++i)                                           \
            status = cublas##L##gemm(h, opA, opB, m, n, k, alpha, A + i * strideA, lda, B + i * strideB, ldb, beta, C + i * strideC, ldc); \
        return status;                                                                                                 \
    }                                                                                                                  \
    cublasStatus_t cublas##L##gemmBatched(cublasHandle_t h, cublasOperation_t opA, cublasOperation_t opB, int m, int n, int k, const T* alpha, const T* const As[], int lda, const T* const Bs[], int ldb, const T* beta, T* const Cs[], int ldc, int batches) \
    {                                                                                                                  \
        Call call(h);                                                                                                  \
        const std::vector<void*> as = call.readAddresses(listOf(As), batches);                                                 \
        const std::vector<void*> bs = call.readAddresses(listOf(Bs), batches);                                                 \
        const std::vector<void*> cs = call.readAddresses(listOf(Cs), batches);                                                 \
        cublasStatus_t status = call.status();                                                                         \
        for (size_t i = 0; i < cs.size() && status == CUBLAS_STATUS_SUCCESS; ++i)                                      \
            status = cublas##L##gemm(h, opA, opB, m, n, k, alpha, static_cast<T*>(as[i]), lda, static_cast<T*>(bs[i]), ldb, beta, static_cast<T*>(cs[i]), ldc); \
        return status;                                                                                                 \
    }                                                                                                                  \
    cublasStatus_t cublas##L##hemv(cublasHandle_t h, cublasFillMode_t fill, int n, const T* alpha, const T* A, int lda, const T* x, int stepX, const T* beta, T* y, int stepY) \
    {                                                                                                                  \
        return symmetricVector(h, Symmetry::Hermitian, fill, {A, n, n, lda, Format<T>::kType}, {alpha, Format<T>::kType}, x, stepX, {beta, Format<T>::kType}, y, stepY); \
    }                                                                                                                  \
    cublasStatus_t cublas##L##hemm(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t fill, int m, int n, const T* alpha, const T* A, int lda, const T* B, int ldb, const T* beta, T* C, int ldc) \
    {                                                                                                                  \
        const int64_t order = orderOf(side, m, n);                                                                     \
        return symmetricProduct(h, Symmetry::Hermitian, side, fill, {alpha, Format<T>::kType}, {A, order, order, lda, Format<T>::kType}, {B, m, n, ldb, Format<T>::kType}, {beta, Format<T>::kType}, {C, m, n, ldc, Format<T>::kType}); \
    }                                                                                                                  \
    cublasStatus_t cublas##L##herk(cublasHandle_t h, cublasFillMode_t fill, cublasOperation_t op, int n, int k, const R* alpha, const T* A, int lda, const R* beta, T* C, int ldc) \
    {                                                                                                                  \
        return rankUpdate(h, Symmetry::Hermitian, fill, op, {alpha, Format<R>::kType}, operandPlace(A, op, n, k, lda, Format<T>::kType), nullptr, {beta, Format<R>::kType}, {C, n, n, ldc, Format<T>::kType}); \
    }
LS_BLAS_HOST(C, c, Cs, Sc, cuComplex, float)
LS_BLAS_HOST(Z, z, Zd, Dz, cuDoubleComplex, double)
#undef LS_BLAS_HOST
// clang-format on

cublasStatus_t cublasAxpyEx(cublasHandle_t h, int n, const void* alpha, cudaDataType alphaType, const void* x,
                            cudaDataType xType, int stepX, void* y, cudaDataType yType, int stepY, cudaDataType)
{
    return areKnown({alphaType, xType, yType}) ? addScaled(h, n, {alpha, alphaType}, {x, stepX, xType}, y, stepY, yType)
                                               : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t cublasScalEx(cublasHandle_t h, int n, const void* alpha, cudaDataType alphaType, void* x,
                            cudaDataType xType, int stepX, cudaDataType)
{
    return areKnown({alphaType, xType}) ? scaled(h, n, {alpha, alphaType}, x, stepX, xType)
                                        : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t cublasDotEx(cublasHandle_t h, int n, const void* x, cudaDataType xType, int stepX, const void* y,
                           cudaDataType yType, int stepY, void* result, cudaDataType resultType, cudaDataType)
{
    return areKnown({xType, yType, resultType})
               ? scalarProduct(h, n, {x, stepX, xType}, {y, stepY, yType}, false, result, resultType)
               : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t cublasDotcEx(cublasHandle_t h, int n, const void* x, cudaDataType xType, int stepX, const void* y,
                            cudaDataType yType, int stepY, void* result, cudaDataType resultType, cudaDataType)
{
    return areKnown({xType, yType, resultType})
               ? scalarProduct(h, n, {x, stepX, xType}, {y, stepY, yType}, true, result, resultType)
               : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t cublasNrm2Ex(cublasHandle_t h, int n, const void* x, cudaDataType xType, int stepX, void* result,
                            cudaDataType resultType, cudaDataType)
{
    return areKnown({xType, resultType}) ? vectorNorm(h, Of::Norm, n, {x, stepX, xType}, result, resultType)
                                         : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t cublasAsumEx(cublasHandle_t h, int n, const void* x, cudaDataType xType, int stepX, void* result,
                            cudaDataType resultType, cudaDataType)
{
    return areKnown({xType, resultType}) ? vectorNorm(h, Of::Sum, n, {x, stepX, xType}, result, resultType)
                                         : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t cublasGemmBatchedEx(cublasHandle_t h, cublasOperation_t opA, cublasOperation_t opB, int m, int n, int k,
                                   const void* alpha, const void* const As[], cudaDataType aType, int lda,
                                   const void* const Bs[], cudaDataType bType, int ldb, const void* beta,
                                   void* const Cs[], cudaDataType cType, int ldc, int batches,
                                   cublasComputeType_t compute, cublasGemmAlgo_t)
{
    if (!areKnown({aType, bType, cType}))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    const cudaDataType scaleType = scaleTypeOf(compute, cType);
    Call call(h);
    const std::vector<void*> as = call.readAddresses(listOf(As), batches);
    const std::vector<void*> bs = call.readAddresses(listOf(Bs), batches);
    const std::vector<void*> cs = call.readAddresses(listOf(Cs), batches);
    cublasStatus_t status = call.status();
    for (size_t i = 0; i < cs.size() && status == CUBLAS_STATUS_SUCCESS; ++i)
        status =
            product(h, opA, opB, operandPlace(as[i], opA, m, k, lda, aType), operandPlace(bs[i], opB, k, n, ldb, bType),
                    {alpha, scaleType}, {beta, scaleType}, {cs[i], m, n, ldc, cType});
    return status;
}

}  // extern "C"
