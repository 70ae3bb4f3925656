// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dense linear algebra in LAPACK's conventions, which cuSOLVER and cuBLAS have: what a factorisation leaves in place of
// its matrix, pivots, Householder vectors. Matrices are columns first; Eigen computes.
#pragma once

#include <Eigen/Core>

#include <cstdint>
#include <vector>

#include "instrumented/math/device_numbers.h"

namespace lanescope::math {

using Matrix = Eigen::Matrix<Complex, Eigen::Dynamic, Eigen::Dynamic>;

enum class Half { Lower, Upper };  ///< of a square matrix, with the diagonal
enum class Operation { None, Transpose, Adjoint };

Matrix applied(Operation operation, const Matrix& matrix);

/// The Hermitian matrix of which \p triangle of \p matrix is known.
Matrix hermitian(const Matrix& matrix, Half triangle);

/// Replaces \p triangle of \p matrix by its Cholesky factor; the other stays. 0, or the order (from 1 on) of the first
/// leading minor that is not positive: the factorisation stops there.
int64_t factorCholesky(Matrix& matrix, Half triangle);

/// Replaces \p matrix by its factors L (unit diagonal) and U. \p pivots: the row, from 1 on, that each was swapped
/// with;
/// \p pivots null: no rows are. 0, or the first k for which U(k, k), from 1 on, is zero.
int64_t factorLu(Matrix& matrix, std::vector<int64_t>* pivots);

/// Solves op(A) X = B for X, which replaces B; \p pivots null: there were none.
void solveLu(const Matrix& factors, const std::vector<int64_t>* pivots, Operation operation, Matrix& b);

/// Solves op(T) X = B (left) or X op(T) = B for X, which replaces B; T is \p triangle of \p matrix.
void solveTriangular(const Matrix& matrix, Half triangle, bool hasUnitDiagonal, Operation operation, bool isLeft,
                     Matrix& b);

/// Replaces \p matrix by R and, below its diagonal, Householder vectors; returns their factors.
std::vector<Complex> factorQr(Matrix& matrix);

/// c becomes op(Q) c (left) or c op(Q), Q being the product of the first factors.size() reflectors in \p vectors; an
/// operation other than None is the adjoint, as for real matrices both are the same.
void multiplyByQ(const Matrix& vectors, const std::vector<Complex>& factors, Operation operation, bool isLeft,
                 Matrix& c);

/// Eigenvalues of a Hermitian matrix, ascending; \p vectors: its eigenvectors, as columns. Those of a real matrix are
/// real, since what is done to it is.
std::vector<Complex> eigenvalues(const Matrix& hermitian, Matrix& vectors);

struct SingularValues {
    Matrix u, v;  ///< square, or as many columns as there are values
    std::vector<Complex> values;
};
SingularValues singularValues(const Matrix& matrix, bool isThin);

}  // namespace lanescope::math
