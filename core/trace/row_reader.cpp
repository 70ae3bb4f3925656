// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/trace/row_reader.h"

namespace lanescope::trace {

bool RowReader::next()
{
    if (m_error)
        return false;
    const Result<bool> row = m_statement.step();
    if (!row.ok()) {
        m_error = row.error();
        return false;
    }
    m_column = 0;
    ++m_number;
    return row.value();
}

uint64_t RowReader::integer(const char* column, uint64_t most)
{
    const uint64_t value = bits(column);
    if (value <= most)
        return value;
    fail(column, std::to_string(static_cast<int64_t>(value)), fmt::format("0 to {}", most));
    return 0;
}

uint64_t RowReader::bits(const char* column)
{
    const int at = m_column++;
    if (m_statement.isInteger(at))
        return static_cast<uint64_t>(m_statement.integer(at));
    fail(column, "no number", "one");
    return 0;
}

std::optional<uint64_t> RowReader::optionalInteger(const char* column, uint64_t most)
{
    if (!m_statement.isNull(m_column))
        return integer(column, most);
    ++m_column;
    return std::nullopt;
}

std::string RowReader::text(const char* column)
{
    const int at = m_column++;
    if (!m_statement.isText(at))
        fail(column, "no text", "some");
    return m_statement.text(at);
}

void RowReader::fail(const char* column, const std::string& found, const std::string& expected)
{
    if (!m_error)
        m_error = Error{
            Error::Code::BadInput,
            fmt::format("table {}: row {}: {}: found {}, expected {}", m_table, m_number, column, found, expected),
            m_path};
}

}  // namespace lanescope::trace
