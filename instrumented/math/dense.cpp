// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/math/dense.h"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>

#include <algorithm>
#include <cmath>

namespace lanescope::math {

namespace {

using Index = Eigen::Index;

/// The half of a matrix that counts, as a matrix.
Matrix halfOf(const Matrix& matrix, Half half, bool hasUnitDiagonal)
{
    Matrix part = half == Half::Lower ? Matrix(matrix.triangularView<Eigen::Lower>())
                                      : Matrix(matrix.triangularView<Eigen::Upper>());
    if (hasUnitDiagonal)
        part.diagonal().setOnes();
    return part;
}

void solveFromLeft(const Matrix& matrix, Half half, bool hasUnitDiagonal, Operation operation, Matrix& b)
{
    const Matrix part = applied(operation, halfOf(matrix, half, hasUnitDiagonal));
    if ((half == Half::Lower) == (operation == Operation::None))
        part.triangularView<Eigen::Lower>().solveInPlace(b);
    else
        part.triangularView<Eigen::Upper>().solveInPlace(b);
}

/// LAPACK's measure of a complex pivot.
double magnitude(Complex value)
{
    return std::abs(value.real()) + std::abs(value.imag());
}

/// As LAPACK's potf2: up to where it is positive.
int64_t factorLower(Matrix& lower)
{
    for (Index k = 0; k < lower.rows(); ++k) {
        const double pivot = lower(k, k).real() - lower.row(k).head(k).squaredNorm();
        if (!(pivot > 0)) {
            lower(k, k) = pivot;
            return k + 1;
        }
        lower(k, k) = std::sqrt(pivot);
        const Index below = lower.rows() - k - 1;
        lower.col(k).tail(below) -= lower.bottomLeftCorner(below, k) * lower.row(k).head(k).adjoint();
        lower.col(k).tail(below) /= lower(k, k);
    }
    return 0;
}

}  // namespace

Matrix applied(Operation operation, const Matrix& matrix)
{
    if (operation == Operation::None)
        return matrix;
    return operation == Operation::Transpose ? Matrix(matrix.transpose()) : Matrix(matrix.adjoint());
}

Matrix hermitian(const Matrix& matrix, Half triangle)
{
    Matrix full = triangle == Half::Lower ? Matrix(matrix.selfadjointView<Eigen::Lower>())
                                          : Matrix(matrix.selfadjointView<Eigen::Upper>());
    full.diagonal() = full.diagonal().real().cast<Complex>().eval();
    return full;
}

int64_t factorCholesky(Matrix& matrix, Half triangle)
{
    Matrix lower = hermitian(matrix, triangle);
    const int64_t info = factorLower(lower);
    if (triangle == Half::Lower)
        matrix.triangularView<Eigen::Lower>() = lower;
    else
        matrix.triangularView<Eigen::Upper>() = lower.adjoint();
    return info;
}

int64_t factorLu(Matrix& matrix, std::vector<int64_t>* pivots)
{
    int64_t info = 0;
    for (Index k = 0; k < std::min(matrix.rows(), matrix.cols()); ++k) {
        Index pivot = k;
        if (pivots) {
            for (Index row = k + 1; row < matrix.rows(); ++row)
                if (magnitude(matrix(row, k)) > magnitude(matrix(pivot, k)))
                    pivot = row;
            pivots->push_back(pivot + 1);
            matrix.row(k).swap(matrix.row(pivot));
        }
        if (matrix(k, k) == Complex()) {
            info = info == 0 ? k + 1 : info;
            continue;
        }
        const Index below = matrix.rows() - k - 1;
        const Index behind = matrix.cols() - k - 1;
        matrix.col(k).tail(below) /= matrix(k, k);
        matrix.bottomRightCorner(below, behind).noalias() -= matrix.col(k).tail(below) * matrix.row(k).tail(behind);
    }
    return info;
}

void solveLu(const Matrix& factors, const std::vector<int64_t>* pivots, Operation operation, Matrix& b)
{
    const auto swapRow = [&](size_t row) { b.row(static_cast<Index>(row)).swap(b.row((*pivots)[row] - 1)); };
    if (operation == Operation::None) {
        for (size_t row = 0; pivots && row < pivots->size(); ++row)
            swapRow(row);
        solveFromLeft(factors, Half::Lower, true, operation, b);
        return solveFromLeft(factors, Half::Upper, false, operation, b);
    }
    solveFromLeft(factors, Half::Upper, false, operation, b);
    solveFromLeft(factors, Half::Lower, true, operation, b);
    for (size_t row = pivots ? pivots->size() : 0; row-- > 0;)
        swapRow(row);
}

void solveTriangular(const Matrix& matrix, Half triangle, bool hasUnitDiagonal, Operation operation, bool isLeft,
                     Matrix& b)
{
    if (isLeft)
        return solveFromLeft(matrix, triangle, hasUnitDiagonal, operation, b);
    // X op(T) = B is op(T)^T X^T = B^T.
    Matrix turned = b.transpose();
    if (operation == Operation::None)
        solveFromLeft(matrix, triangle, hasUnitDiagonal, Operation::Transpose, turned);
    else if (operation == Operation::Transpose)
        solveFromLeft(matrix, triangle, hasUnitDiagonal, Operation::None, turned);
    else
        solveFromLeft(matrix.conjugate(), triangle, hasUnitDiagonal, Operation::None, turned);
    b = turned.transpose();
}

std::vector<Complex> factorQr(Matrix& matrix)
{
    const Eigen::HouseholderQR<Matrix> qr(matrix);
    matrix = qr.matrixQR();
    std::vector<Complex> factors;
    for (const Complex& factor : qr.hCoeffs())  // LAPACK's H is 1 - tau v v^H, and H^H what makes zeros
        factors.push_back(std::conj(factor));
    return factors;
}

void multiplyByQ(const Matrix& vectors, const std::vector<Complex>& factors, Operation operation, bool isLeft,
                 Matrix& c)
{
    const auto count = static_cast<Index>(factors.size());
    const bool isForward = isLeft != (operation == Operation::None);
    for (Index step = 0; step < count; ++step) {
        const Index k = isForward ? step : count - 1 - step;
        Complex factor = factors[static_cast<size_t>(k)];
        Eigen::VectorXcd v = vectors.col(k).tail(vectors.rows() - k);
        v(0) = 1;
        if (operation != Operation::None)
            factor = std::conj(factor);
        if (isLeft)
            c.bottomRows(v.size()) -= factor * v * (v.adjoint() * c.bottomRows(v.size())).eval();
        else
            c.rightCols(v.size()) -= (c.rightCols(v.size()) * v).eval() * factor * v.adjoint();
    }
}

std::vector<Complex> eigenvalues(const Matrix& hermitian, Matrix& vectors)
{
    const Eigen::SelfAdjointEigenSolver<Matrix> solver(hermitian);
    vectors = solver.eigenvectors();
    return {solver.eigenvalues().begin(), solver.eigenvalues().end()};
}

SingularValues singularValues(const Matrix& matrix, bool isThin)
{
    const unsigned options =
        isThin ? Eigen::ComputeThinU | Eigen::ComputeThinV : Eigen::ComputeFullU | Eigen::ComputeFullV;
    const Eigen::JacobiSVD<Matrix, Eigen::HouseholderQRPreconditioner> svd(matrix, options);
    return {svd.matrixU(), svd.matrixV(), {svd.singularValues().begin(), svd.singularValues().end()}};
}

}  // namespace lanescope::math
