// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/math/sparse_solvers.h"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseQR>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>

namespace lanescope::math {

namespace {

using EigenMatrix = Eigen::SparseMatrix<Complex, Eigen::ColMajor, int>;
using EigenVector = Eigen::Matrix<Complex, Eigen::Dynamic, 1>;
using Dense = Eigen::Matrix<Complex, Eigen::Dynamic, Eigen::Dynamic>;

EigenMatrix eigenOf(const SparseMatrix& a)
{
    std::vector<Eigen::Triplet<Complex>> entries;
    for (const Entry& entry : a.entries)
        entries.emplace_back(entry.row, entry.column, entry.value);
    EigenMatrix matrix(a.rows, a.columns);
    matrix.setFromTriplets(entries.begin(), entries.end());
    return matrix;
}

EigenVector eigenOf(const Vector& x)
{
    return Eigen::Map<const EigenVector>(x.data(), static_cast<Eigen::Index>(x.size()));
}

Vector vectorOf(const EigenVector& x)
{
    return {x.data(), x.data() + x.size()};
}

Vector solvedColumn(const SparseMatrix& a, Triangle triangle, const Vector& b)
{
    DenseMatrix column(a.rows, 1);
    column.values = b;
    return solved(a, triangle, column).values;
}

/// One column of L U after the other, each made of those before it that it needs.
class LuFactorisation {
public:
    LuFactorisation(int64_t n, double threshold)
        : m_threshold(threshold), m_placeOf(static_cast<size_t>(n), -1), m_lower(static_cast<size_t>(n)),
          m_values(static_cast<size_t>(n)), m_isThere(static_cast<size_t>(n))
    {
        m_upper.rows = m_upper.columns = n;
    }

    /// \p entries are of A's column \p diagonal.
    void addColumn(const std::vector<Entry>& entries, int64_t diagonal)
    {
        const auto k = static_cast<int64_t>(m_rows.size());
        for (const Entry& entry : entries)
            add(entry.row, entry.value);
        for (; !m_pending.empty(); m_pending.pop()) {
            const int64_t place = m_pending.top();
            const Complex value = m_values[static_cast<size_t>(m_rows[static_cast<size_t>(place)])];
            m_upper.entries.push_back({place, k, value});
            for (const Entry& below : m_lower[static_cast<size_t>(place)])
                add(below.row, -below.value * value);
        }
        const int64_t pivotRow = choosePivot(diagonal);
        const Complex pivot = m_values[static_cast<size_t>(pivotRow)];
        m_placeOf[static_cast<size_t>(pivotRow)] = k;
        m_rows.push_back(pivotRow);
        m_upper.entries.push_back({k, k, pivot});
        for (const int64_t row : m_touched) {
            if (m_placeOf[static_cast<size_t>(row)] < 0 && pivot != 0.0)
                m_lower[static_cast<size_t>(k)].push_back({row, k, m_values[static_cast<size_t>(row)] / pivot});
            m_values[static_cast<size_t>(row)] = 0;
            m_isThere[static_cast<size_t>(row)] = false;
        }
        m_touched.clear();
    }

    LuFactors factors(Order columns)
    {
        SparseMatrix lower{m_upper.rows, m_upper.rows, {}};
        for (size_t column = 0; column < m_lower.size(); ++column) {
            lower.entries.push_back({static_cast<int64_t>(column), static_cast<int64_t>(column), 1.0});
            for (const Entry& entry : m_lower[column])
                lower.entries.push_back({m_placeOf[static_cast<size_t>(entry.row)], entry.column, entry.value});
        }
        lower.sort();
        m_upper.sort();
        return {m_rows, std::move(columns), std::move(lower), std::move(m_upper)};
    }

private:
    void add(int64_t row, Complex value)
    {
        const auto index = static_cast<size_t>(row);
        if (!m_isThere[index]) {
            m_isThere[index] = true;
            m_touched.push_back(row);
            if (m_placeOf[index] >= 0)
                m_pending.push(m_placeOf[index]);
        }
        m_values[index] += value;
    }

    int64_t choosePivot(int64_t diagonal) const
    {
        int64_t best = -1;
        const auto sizeOf = [&](int64_t row) { return std::abs(m_values[static_cast<size_t>(row)]); };
        for (const int64_t row : m_touched)
            if (m_placeOf[static_cast<size_t>(row)] < 0 && (best < 0 || sizeOf(row) > sizeOf(best)))
                best = row;
        if (m_placeOf[static_cast<size_t>(diagonal)] < 0 &&
            (best < 0 || sizeOf(diagonal) >= m_threshold * sizeOf(best)))
            return diagonal;
        return best >= 0 ? best : std::ranges::find(m_placeOf, -1) - m_placeOf.begin();
    }

    double m_threshold;
    Order m_rows;                             ///< [place]
    Order m_placeOf;                          ///< [row]; -1: not a pivot yet
    std::vector<std::vector<Entry>> m_lower;  ///< [place]; rows are A's
    SparseMatrix m_upper;
    Vector m_values;  ///< of the column that is worked on
    std::vector<bool> m_isThere;
    Order m_touched;
    std::priority_queue<int64_t, Order, std::greater<>> m_pending;
};

}  // namespace

int64_t LuFactors::singularAt(double tolerance) const
{
    for (const Entry& entry : upper.entries)
        if (entry.row == entry.column && std::abs(entry.value) <= tolerance)
            return entry.row;
    return -1;
}

Vector LuFactors::solve(const Vector& b) const
{
    Vector x(b.size());
    for (size_t i = 0; i < b.size(); ++i)
        x[i] = b[static_cast<size_t>(rows[i])];
    x = solvedColumn(upper, {true, false}, solvedColumn(lower, {false, true}, x));
    Vector result(b.size());
    for (size_t i = 0; i < b.size(); ++i)
        result[static_cast<size_t>(columns[i])] = x[i];
    return result;
}

LuFactors factoriseWithPivots(const SparseMatrix& a, const Order& columns, double threshold)
{
    std::vector<std::vector<Entry>> byColumn(static_cast<size_t>(a.columns));
    for (const Entry& entry : a.entries)
        byColumn[static_cast<size_t>(entry.column)].push_back(entry);
    LuFactorisation factorisation(a.rows, threshold);
    for (const int64_t column : columns)
        factorisation.addColumn(byColumn[static_cast<size_t>(column)], column);
    return factorisation.factors(columns);
}

struct CholeskyFactors::Impl {
    Eigen::SimplicialLDLT<EigenMatrix, Eigen::Lower, Eigen::NaturalOrdering<int>> solver;
};

CholeskyFactors::CholeskyFactors(const SparseMatrix& a) : m_impl(new Impl)
{
    m_impl->solver.compute(eigenOf(a));
}
CholeskyFactors::~CholeskyFactors() = default;

std::vector<double> CholeskyFactors::pivots() const
{
    std::vector<double> pivots;
    const auto diagonal = m_impl->solver.vectorD();
    // Eigen stops at a pivot of 0; what stands behind it is of no use.
    for (Eigen::Index i = 0; i < diagonal.size() && (pivots.empty() || pivots.back() > 0); ++i)
        pivots.push_back(diagonal[i].real());
    return pivots;
}

int64_t CholeskyFactors::singularAt(double tolerance) const
{
    const std::vector<double> all = pivots();
    const auto found =
        std::ranges::find_if(all, [&](double pivot) { return !(pivot > 0) || std::sqrt(pivot) <= tolerance; });
    return found == all.end() ? -1 : found - all.begin();
}

Vector CholeskyFactors::solve(const Vector& b) const
{
    if (m_impl->solver.info() != Eigen::Success)
        return Vector(b.size(), std::numeric_limits<double>::quiet_NaN());
    return vectorOf(m_impl->solver.solve(eigenOf(b)));
}

struct QrFactors::Impl {
    Eigen::SparseQR<EigenMatrix, Eigen::NaturalOrdering<int>> solver;
};

QrFactors::QrFactors(const SparseMatrix& a, double tolerance) : m_impl(new Impl)
{
    // Eigen's threshold is what still counts as a pivot.
    m_impl->solver.setPivotThreshold(std::nextafter(std::max(tolerance, 0.0), DBL_MAX));
    m_impl->solver.compute(eigenOf(a));
}
QrFactors::~QrFactors() = default;

int64_t QrFactors::rank() const
{
    return m_impl->solver.rank();
}

Order QrFactors::columns() const
{
    const auto& indices = m_impl->solver.colsPermutation().indices();
    return {indices.data(), indices.data() + indices.size()};
}

int64_t QrFactors::singularAt(double tolerance) const
{
    const Order order = columns();
    const auto n = static_cast<int64_t>(order.size());
    for (int64_t i = 0; i < n; ++i)
        if (i >= rank() || order[static_cast<size_t>(i)] != i ||
            std::abs(m_impl->solver.matrixR().coeff(i, i)) <= tolerance)
            return i;
    return -1;
}

Vector QrFactors::solve(const Vector& b) const
{
    const EigenVector x = m_impl->solver.solve(eigenOf(b));
    return vectorOf(x);
}

Vector QrFactors::solveShortest(const Vector& b) const
{
    const auto& solver = m_impl->solver;
    const EigenVector x = solver.solve(eigenOf(b));
    const Eigen::Index n = x.size();
    const Eigen::Index free = n - solver.rank();
    if (free == 0)
        return vectorOf(x);
    // What may be added to x without a change of A x: columns beyond the rank, as the others make them.
    Dense kernel(n, free);
    const Dense r(solver.matrixR().topRows(solver.rank()));
    kernel.topRows(solver.rank()) = -r.leftCols(solver.rank()).triangularView<Eigen::Upper>().solve(r.rightCols(free));
    kernel.bottomRows(free).setIdentity();
    kernel = solver.colsPermutation() * kernel;
    return vectorOf(x - kernel * kernel.householderQr().solve(x));
}

bool eigenpairNear(const SparseMatrix& a, Complex guess, int iterations, double tolerance, Complex& eigenvalue,
                   Vector& x)
{
    SparseMatrix shifted = a;
    for (int64_t i = 0; i < a.rows; ++i)
        shifted.entries.push_back({i, i, -guess});
    LuFactors factors = factoriseWithPivots(shifted, naturalOrder(a.rows), 1.0);
    // The guess is an eigenvalue: a pivot as small as can be leads to its vector.
    for (Entry& entry : factors.upper.entries)
        if (entry.row == entry.column && std::abs(entry.value) < DBL_EPSILON)
            entry.value = DBL_EPSILON;
    eigenvalue = guess;
    for (int i = 0; i < iterations; ++i) {
        x = factors.solve(x);
        const double length = lengthOf(x);
        if (!std::isfinite(length) || length == 0)
            return false;
        for (Complex& value : x)
            value /= length;
        const Vector image = residual(a, x, Vector(x.size()));
        eigenvalue = 0;
        for (size_t row = 0; row < x.size(); ++row)
            eigenvalue += std::conj(x[row]) * image[row];
        Vector scaled = x;
        for (Complex& value : scaled)
            value *= eigenvalue;
        if (lengthOf(residual(a, x, scaled)) <= tolerance)
            return true;
    }
    return true;
}

int64_t eigenvaluesWithin(const SparseMatrix& a, Complex leftBottom, Complex rightUpper)
{
    const Dense dense(eigenOf(a));
    const auto values = Eigen::ComplexEigenSolver<Dense>(dense, false).eigenvalues();
    return std::count_if(values.data(), values.data() + values.size(), [&](Complex value) {
        return value.real() >= leftBottom.real() && value.real() <= rightUpper.real() &&
               value.imag() >= leftBottom.imag() && value.imag() <= rightUpper.imag();
    });
}

double lengthOf(const Vector& x)
{
    return eigenOf(x).norm();
}

Vector residual(const SparseMatrix& a, const Vector& x, const Vector& b)
{
    Vector result(b.size());
    for (size_t i = 0; i < b.size(); ++i)
        result[i] = -b[i];
    for (const Entry& entry : a.entries)
        result[static_cast<size_t>(entry.row)] += entry.value * x[static_cast<size_t>(entry.column)];
    return result;
}

}  // namespace lanescope::math
