// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads and checks the columns of a query's rows. Messages name table, row and column.
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/base/result.h"
#include "core/trace/database.h"

namespace lanescope::trace {

/// Reads columns left to right and keeps the first thing that is wrong, so that callers check once per row.
class RowReader {
public:
    /// All must outlive the reader.
    RowReader(Statement& statement, const char* table, const std::string& path)
        : m_statement(statement), m_table(table), m_path(path)
    {
    }

    /// True when a row is there to be read; false at the end or after an error.
    bool next();
    /// Number of rows before this one.
    [[nodiscard]] uint64_t index() const { return m_number - 1; }
    /// Whether this row has a next column.
    [[nodiscard]] bool hasColumn() const { return m_column < m_statement.columns(); }

    /// A number from 0 to \p most.
    uint64_t integer(const char* column, uint64_t most = INT64_MAX);
    /// All 64 bits, stored as SQLite's signed integer.
    uint64_t bits(const char* column);
    /// As integer, or none for NULL.
    std::optional<uint64_t> optionalInteger(const char* column, uint64_t most);
    std::string text(const char* column);
    /// Valid until the next row.
    std::span<const uint8_t> blob() { return m_statement.blob(m_column++); }
    /// At most \p most numbers, separated by commas.
    template <typename T>
    std::vector<T> numbers(const char* column, size_t most);

    void fail(const char* column, const std::string& found, const std::string& expected);
    [[nodiscard]] bool ok() const { return !m_error; }
    [[nodiscard]] Result<void> result() const { return m_error ? Result<void>(*m_error) : Result<void>(); }

private:
    Statement& m_statement;
    const char* m_table;
    const std::string& m_path;
    std::optional<Error> m_error;
    int m_column = 0;
    uint64_t m_number = 0;
};

template <typename T>
std::vector<T> RowReader::numbers(const char* column, size_t most)
{
    const std::string list = text(column);
    std::vector<T> values;
    const char* at = list.data();
    const char* end = at + list.size();
    while (at != end) {
        T value{};
        const auto [rest, status] = std::from_chars(at, end, value);
        if (status != std::errc{} || (rest != end && *rest != ',') || values.size() == most) {
            fail(column, fmt::format("\"{}\"", list), "numbers separated by commas");
            break;
        }
        values.push_back(value);
        at = rest == end ? end : rest + 1;
    }
    return values;
}

}  // namespace lanescope::trace
