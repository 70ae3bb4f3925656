// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/math/sparse.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace lanescope::math {

namespace {

/// Where rows' entries begin in those of \p a, which are sorted; one more than there are rows.
std::vector<size_t> rowsOf(const SparseMatrix& a)
{
    std::vector<size_t> begins(static_cast<size_t>(a.rows) + 1);
    for (const Entry& entry : a.entries)
        ++begins[static_cast<size_t>(entry.row) + 1];
    for (size_t row = 1; row < begins.size(); ++row)
        begins[row] += begins[row - 1];
    return begins;
}

}  // namespace

SparseMatrix SparseMatrix::transposed(bool conjugate) const
{
    SparseMatrix result{columns, rows, entries};
    for (Entry& entry : result.entries) {
        std::swap(entry.row, entry.column);
        if (conjugate)
            entry.value = std::conj(entry.value);
    }
    return result;
}

void SparseMatrix::sort()
{
    std::ranges::stable_sort(entries, {}, [](const Entry& entry) { return std::tuple(entry.row, entry.column); });
}

DenseMatrix product(const SparseMatrix& a, const DenseMatrix& b)
{
    DenseMatrix c(a.rows, b.columns);
    for (const Entry& entry : a.entries)
        for (int64_t column = 0; column < b.columns; ++column)
            c.at(entry.row, column) += entry.value * b.at(entry.column, column);
    return c;
}

SparseMatrix product(const SparseMatrix& a, const SparseMatrix& b)
{
    SparseMatrix sorted = b;
    sorted.sort();
    const std::vector<size_t> begins = rowsOf(sorted);
    std::map<std::pair<int64_t, int64_t>, Complex> sums;
    for (const Entry& left : a.entries)
        for (size_t i = begins[static_cast<size_t>(left.column)]; i < begins[static_cast<size_t>(left.column) + 1]; ++i)
            sums[{left.row, sorted.entries[i].column}] += left.value * sorted.entries[i].value;
    SparseMatrix c{a.rows, b.columns, {}};
    for (const auto& [place, value] : sums)
        c.entries.push_back({place.first, place.second, value});
    return c;
}

DenseMatrix solved(const SparseMatrix& a, Triangle triangle, const DenseMatrix& b)
{
    SparseMatrix sorted = a;
    sorted.sort();
    const std::vector<size_t> begins = rowsOf(sorted);
    DenseMatrix x = b;
    for (int64_t step = 0; step < a.rows; ++step) {
        const int64_t row = triangle.isUpper ? a.rows - 1 - step : step;
        Complex diagonal = triangle.hasUnitDiagonal ? 1.0 : 0.0;
        for (size_t i = begins[static_cast<size_t>(row)]; i < begins[static_cast<size_t>(row) + 1]; ++i) {
            const Entry& entry = sorted.entries[i];
            if (entry.column == row && !triangle.hasUnitDiagonal)
                diagonal += entry.value;
            if (entry.column != row && (entry.column > row) == triangle.isUpper)
                for (int64_t column = 0; column < b.columns; ++column)
                    x.at(row, column) -= entry.value * x.at(entry.column, column);
        }
        for (int64_t column = 0; column < b.columns; ++column)
            x.at(row, column) /= diagonal;
    }
    return x;
}

std::optional<int64_t> factoriseLu(SparseMatrix& a)
{
    const std::vector<size_t> begins = rowsOf(a);
    std::vector<Complex*> diagonals(static_cast<size_t>(a.rows));
    std::vector<Complex*> places(static_cast<size_t>(a.columns));  ///< of the row that is being worked on
    for (size_t row = 0; row < diagonals.size(); ++row) {
        for (size_t i = begins[row]; i < begins[row + 1]; ++i)
            places[static_cast<size_t>(a.entries[i].column)] = &a.entries[i].value;
        for (size_t i = begins[row]; i < begins[row + 1]; ++i) {
            const auto k = static_cast<size_t>(a.entries[i].column);
            if (k >= row)
                break;
            a.entries[i].value /= *diagonals[k];
            for (size_t j = begins[k]; j < begins[k + 1]; ++j)
                if (const auto column = static_cast<size_t>(a.entries[j].column); column > k && places[column])
                    *places[column] -= a.entries[i].value * a.entries[j].value;
        }
        diagonals[row] = places[row];
        if (!diagonals[row] || *diagonals[row] == 0.0)
            return static_cast<int64_t>(row);
        for (size_t i = begins[row]; i < begins[row + 1]; ++i)
            places[static_cast<size_t>(a.entries[i].column)] = nullptr;
    }
    return std::nullopt;
}

std::optional<int64_t> factoriseCholesky(SparseMatrix& a)
{
    const std::vector<size_t> begins = rowsOf(a);
    const auto size = static_cast<size_t>(a.rows);
    std::vector<Complex*> diagonals(size);
    std::vector<Complex> row(size);  ///< the one that is being worked on, where it has entries
    for (size_t i = 0; i < size; ++i) {
        for (size_t p = begins[i]; p < begins[i + 1]; ++p) {
            Entry& entry = a.entries[p];
            const auto k = static_cast<size_t>(entry.column);
            if (k > i)
                break;
            Complex sum = entry.value;
            for (size_t q = begins[k]; q < begins[k + 1] && static_cast<size_t>(a.entries[q].column) < k; ++q)
                sum -=
                    row[static_cast<size_t>(a.entries[q].column)] *
                    (k < i ? std::conj(a.entries[q].value) : std::conj(row[static_cast<size_t>(a.entries[q].column)]));
            if (k == i) {
                entry.value = std::sqrt(sum);
                diagonals[i] = &entry.value;
            } else {
                entry.value = row[k] = sum / std::conj(*diagonals[k]);
            }
        }
        if (!diagonals[i] || *diagonals[i] == 0.0 || std::isnan(diagonals[i]->real()))
            return static_cast<int64_t>(i);
        for (size_t p = begins[i]; p < begins[i + 1]; ++p)
            row[static_cast<size_t>(a.entries[p].column)] = 0;
    }
    return std::nullopt;
}

}  // namespace lanescope::math
