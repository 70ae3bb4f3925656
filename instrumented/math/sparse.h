// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sparse matrices in the host's memory, and what is computed of them.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <vector>

namespace lanescope::math {

using Complex = std::complex<double>;

/// A place with a value; a place may have several, which add up.
struct Entry {
    int64_t row = 0;
    int64_t column = 0;
    Complex value;
};

struct SparseMatrix {
    int64_t rows = 0;
    int64_t columns = 0;
    std::vector<Entry> entries;

    /// Rows and columns exchanged; \p conjugate: values, too.
    [[nodiscard]] SparseMatrix transposed(bool conjugate) const;
    /// By rows, then columns; else as they were.
    void sort();
};

/// A dense matrix, row by row.
struct DenseMatrix {
    int64_t rows = 0;
    int64_t columns = 0;
    std::vector<Complex> values;

    DenseMatrix(int64_t rowCount, int64_t columnCount)
        : rows(rowCount), columns(columnCount), values(static_cast<size_t>(rowCount * columnCount))
    {
    }
    Complex& at(int64_t row, int64_t column) { return values[static_cast<size_t>(row * columns + column)]; }
    [[nodiscard]] const Complex& at(int64_t row, int64_t column) const
    {
        return values[static_cast<size_t>(row * columns + column)];
    }
};

/// a b
DenseMatrix product(const SparseMatrix& a, const DenseMatrix& b);
/// a b, with an entry for each place that has a sum, sorted.
SparseMatrix product(const SparseMatrix& a, const SparseMatrix& b);

struct Triangle {
    bool isUpper = false;
    bool hasUnitDiagonal = false;
};
/// x of a x = b, where only the \p triangle of a counts. A diagonal of 0 gives infinities, as a division does.
DenseMatrix solved(const SparseMatrix& a, Triangle triangle, const DenseMatrix& b);

/// Incomplete factorisations in the places of \p a, whose entries are sorted: a = L U with ones on L's diagonal, and
/// a = L L* in the places of the lower triangle. The row of the first pivot that is 0 or missing, if there is one; rows
/// from there on may hold anything.
std::optional<int64_t> factoriseLu(SparseMatrix& a);
std::optional<int64_t> factoriseCholesky(SparseMatrix& a);

}  // namespace lanescope::math
