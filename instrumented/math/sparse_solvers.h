// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Direct solvers for sparse matrices in the host's memory: their factors, what these tell of singularity, and
// solutions.
#pragma once

#include <memory>

#include "instrumented/math/sparse_orders.h"

namespace lanescope::math {

using Vector = std::vector<Complex>;

/// A(rows, columns) = lower upper, with ones on lower's diagonal, which are stored.
struct LuFactors {
    Order rows;
    Order columns;
    SparseMatrix lower;
    SparseMatrix upper;

    /// The first k with |upper(k, k)| <= tolerance; -1 if there is none.
    [[nodiscard]] int64_t singularAt(double tolerance) const;
    /// x of A x = b; not finite where a pivot is 0.
    [[nodiscard]] Vector solve(const Vector& b) const;
};
/// Of a square matrix with its columns in the order \p columns. The diagonal's row is the pivot where it has at least
/// \p threshold (0 to 1) of what the largest has (J. R. Gilbert and T. Peierls, 1988).
LuFactors factoriseWithPivots(const SparseMatrix& a, const Order& columns, double threshold);

/// Of the Hermitian matrix whose lower triangle is a's.
class CholeskyFactors {
public:
    explicit CholeskyFactors(const SparseMatrix& a);
    ~CholeskyFactors();

    /// The squares of the factor's diagonal, up to the first that is not positive.
    [[nodiscard]] std::vector<double> pivots() const;
    /// The first k with a pivot that is not positive, or whose root is at most \p tolerance; -1 if there is none.
    [[nodiscard]] int64_t singularAt(double tolerance) const;
    /// Not numbers where a pivot is 0.
    [[nodiscard]] Vector solve(const Vector& b) const;

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

/// A(:, columns) = Q R of a matrix with at least as many rows as columns. Columns on which R would have at most
/// \p tolerance on its diagonal come last.
class QrFactors {
public:
    QrFactors(const SparseMatrix& a, double tolerance);
    ~QrFactors();

    [[nodiscard]] int64_t rank() const;
    [[nodiscard]] Order columns() const;
    /// The first column that depends on those before it, or on which R has at most \p tolerance; -1 if there is none.
    [[nodiscard]] int64_t singularAt(double tolerance) const;
    /// x for which A x is nearest to b, with 0 for columns beyond the rank.
    [[nodiscard]] Vector solve(const Vector& b) const;
    /// The shortest such x.
    [[nodiscard]] Vector solveShortest(const Vector& b) const;

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

/// The eigenvalue next to \p guess and a vector of length 1, from \p x on, by inverse iteration: until what A x is off
/// has at most the length \p tolerance, or \p iterations are done. False when a solve overflowed.
bool eigenpairNear(const SparseMatrix& a, Complex guess, int iterations, double tolerance, Complex& eigenvalue,
                   Vector& x);

/// How many eigenvalues of a square matrix lie in the rectangle between two corners. As for a dense one: O(n^3).
int64_t eigenvaluesWithin(const SparseMatrix& a, Complex leftBottom, Complex rightUpper);

double lengthOf(const Vector& x);
/// A x - b
Vector residual(const SparseMatrix& a, const Vector& x, const Vector& b);

}  // namespace lanescope::math
