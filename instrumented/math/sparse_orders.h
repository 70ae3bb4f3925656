// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Orders of the rows and columns of sparse matrices, which make their factors smaller or their pivots others than 0.
#pragma once

#include "instrumented/math/sparse.h"

namespace lanescope::math {

/// [place]: what comes there.
using Order = std::vector<int64_t>;

Order naturalOrder(int64_t n);
/// B(i, j) = A(rows[i], columns[j])
SparseMatrix permuted(const SparseMatrix& a, const Order& rows, const Order& columns);

// Of a square matrix, for rows and columns alike, by the places that A or its transpose has.

/// Puts neighbours near each other: E. Cuthill and J. McKee (1969), backwards, from an end of each component.
Order reverseCuthillMcKee(const SparseMatrix& a);
/// Eigen's approximate minimum degree: P. R. Amestoy, T. A. Davis and I. S. Duff (1996).
Order minimumDegree(const SparseMatrix& a);
/// Halves before what separates them, and so on: A. George (1973), by levels of a search from an end.
Order nestedDissection(const SparseMatrix& a);

/// Of rows, so that as many places of the diagonal as possible have entries that are not 0 (I. S. Duff, 1981); \p
/// found: how many.
Order rowsWithDiagonal(const SparseMatrix& a, int64_t& found);

}  // namespace lanescope::math
