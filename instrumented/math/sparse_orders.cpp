// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/math/sparse_orders.h"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>

#include <algorithm>
#include <numeric>
#include <utility>

namespace lanescope::math {

namespace {

/// Which nodes each node is next to, fewest neighbours first.
std::vector<Order> neighboursOf(const SparseMatrix& a)
{
    std::vector<Order> neighbours(static_cast<size_t>(a.rows));
    for (const Entry& entry : a.entries)
        if (entry.row != entry.column) {
            neighbours[static_cast<size_t>(entry.row)].push_back(entry.column);
            neighbours[static_cast<size_t>(entry.column)].push_back(entry.row);
        }
    for (Order& nodes : neighbours) {
        std::ranges::sort(nodes);
        nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    }
    std::vector<Order> sorted = neighbours;
    for (Order& nodes : sorted)
        std::ranges::stable_sort(nodes, {}, [&](int64_t node) { return neighbours[static_cast<size_t>(node)].size(); });
    return sorted;
}

/// Searches a part of a graph, level by level.
class Search {
public:
    explicit Search(const SparseMatrix& a) : m_neighbours(neighboursOf(a)), m_part(m_neighbours.size()), m_seen(m_part)
    {
    }

    /// Nodes of part \p part that can be reached from \p start there; \p levels: where each level begins.
    Order from(int64_t start, int64_t part, std::vector<size_t>& levels)
    {
        ++m_search;
        Order found{start};
        seen(start) = m_search;
        levels.clear();
        for (size_t at = 0; at < found.size();) {
            levels.push_back(at);
            for (const size_t end = found.size(); at < end; ++at)
                for (const int64_t next : m_neighbours[static_cast<size_t>(found[at])])
                    if (partOf(next) == part && std::exchange(seen(next), m_search) != m_search)
                        found.push_back(next);
        }
        return found;
    }

    /// The same from an end of what can be reached: a node from which there are more levels than from its last ones.
    Order fromEnd(int64_t start, int64_t part, std::vector<size_t>& levels)
    {
        Order found = from(start, part, levels);
        for (;;) {
            std::vector<size_t> others;
            const auto last = found.begin() + static_cast<std::ptrdiff_t>(levels.back());
            const Order again = from(
                *std::ranges::min_element(last, found.end(), {},
                                          [&](int64_t node) { return m_neighbours[static_cast<size_t>(node)].size(); }),
                part, others);
            if (others.size() <= levels.size())
                return found;
            found = again;
            levels = others;
        }
    }

    int64_t& partOf(int64_t node) { return m_part[static_cast<size_t>(node)]; }

private:
    int64_t& seen(int64_t node) { return m_seen[static_cast<size_t>(node)]; }

    std::vector<Order> m_neighbours;
    Order m_part;  ///< [node]
    Order m_seen;  ///< [node]: number of the last search that found it
    int64_t m_search = 0;
};

/// Nodes of \p part from \p start on, the separators last; parts' numbers are used once.
void dissect(Search& search, const Order& nodes, int64_t part, int64_t& lastPart, Order& order)
{
    constexpr size_t kSmall = 16;
    for (const int64_t start : nodes) {
        if (search.partOf(start) != part)
            continue;
        std::vector<size_t> levels;
        const Order found = search.fromEnd(start, part, levels);
        const size_t middle = levels.size() / 2;
        if (found.size() <= kSmall || levels.size() < 3) {
            for (const int64_t node : found)
                search.partOf(node) = -1;
            order.insert(order.end(), found.begin(), found.end());
            continue;
        }
        const auto separator = found.begin() + static_cast<std::ptrdiff_t>(levels[middle]);
        const auto behind =
            middle + 1 < levels.size() ? found.begin() + static_cast<std::ptrdiff_t>(levels[middle + 1]) : found.end();
        for (auto node = separator; node != behind; ++node)
            search.partOf(*node) = -1;
        const int64_t half = ++lastPart;
        Order halves(found.begin(), separator);
        halves.insert(halves.end(), behind, found.end());
        for (const int64_t node : halves)
            search.partOf(node) = half;
        dissect(search, halves, half, lastPart, order);
        order.insert(order.end(), separator, behind);
    }
}

}  // namespace

Order naturalOrder(int64_t n)
{
    Order order(static_cast<size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    return order;
}

SparseMatrix permuted(const SparseMatrix& a, const Order& rows, const Order& columns)
{
    Order newRow(rows.size()), newColumn(columns.size());
    for (size_t i = 0; i < rows.size(); ++i)
        newRow[static_cast<size_t>(rows[i])] = static_cast<int64_t>(i);
    for (size_t i = 0; i < columns.size(); ++i)
        newColumn[static_cast<size_t>(columns[i])] = static_cast<int64_t>(i);
    SparseMatrix b = a;
    for (Entry& entry : b.entries) {
        entry.row = newRow[static_cast<size_t>(entry.row)];
        entry.column = newColumn[static_cast<size_t>(entry.column)];
    }
    return b;
}

Order reverseCuthillMcKee(const SparseMatrix& a)
{
    Search search(a);
    Order order;
    std::vector<size_t> levels;
    for (int64_t start = 0; start < a.rows; ++start) {
        if (search.partOf(start) != 0)
            continue;
        for (const int64_t node : search.fromEnd(start, 0, levels)) {
            search.partOf(node) = -1;
            order.push_back(node);
        }
    }
    std::ranges::reverse(order);
    return order;
}

Order minimumDegree(const SparseMatrix& a)
{
    std::vector<Eigen::Triplet<double>> places;
    for (const Entry& entry : a.entries) {
        places.emplace_back(entry.row, entry.column, 1.0);
        places.emplace_back(entry.column, entry.row, 1.0);
    }
    Eigen::SparseMatrix<double> pattern(a.rows, a.rows);
    pattern.setFromTriplets(places.begin(), places.end());
    Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> order;
    Eigen::AMDOrdering<int>()(pattern, order);
    return {order.indices().data(), order.indices().data() + order.size()};
}

Order nestedDissection(const SparseMatrix& a)
{
    Search search(a);
    Order order;
    int64_t lastPart = 0;
    dissect(search, naturalOrder(a.rows), 0, lastPart, order);
    return order;
}

Order rowsWithDiagonal(const SparseMatrix& a, int64_t& found)
{
    std::vector<Order> columnsOf(static_cast<size_t>(a.rows));
    for (const Entry& entry : a.entries)
        if (entry.value != 0.0)
            columnsOf[static_cast<size_t>(entry.row)].push_back(entry.column);
    Order rowAt(static_cast<size_t>(a.rows), -1);     // [column]
    Order triedFor(static_cast<size_t>(a.rows), -1);  // [column]: the row for which it was tried last
    std::vector<std::pair<int64_t, size_t>> path;     // rows, each with the column of its that is tried next
    found = 0;
    for (int64_t row = 0; row < a.rows; ++row) {
        path.assign(1, {row, 0});
        while (!path.empty()) {
            auto& [at, next] = path.back();
            const Order& columns = columnsOf[static_cast<size_t>(at)];
            if (next == columns.size()) {
                path.pop_back();
                continue;
            }
            const auto column = static_cast<size_t>(columns[next++]);
            if (std::exchange(triedFor[column], row) == row)
                continue;
            if (rowAt[column] >= 0) {
                path.emplace_back(rowAt[column], 0);
                continue;
            }
            // Each row of the path takes the column that it tried.
            for (const auto& [owner, behind] : path)
                rowAt[static_cast<size_t>(columnsOf[static_cast<size_t>(owner)][behind - 1])] = owner;
            ++found;
            break;
        }
    }
    std::vector<bool> isPlaced(static_cast<size_t>(a.rows));
    for (const int64_t row : rowAt)
        if (row >= 0)
            isPlaced[static_cast<size_t>(row)] = true;
    auto unplaced = isPlaced.begin();
    for (int64_t& row : rowAt)
        if (row < 0) {
            unplaced = std::find(unplaced, isPlaced.end(), false);
            row = unplaced++ - isPlaced.begin();
        }
    return rowAt;
}

}  // namespace lanescope::math
