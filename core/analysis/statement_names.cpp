// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/analysis/statement_names.h"

#include <algorithm>
#include <cctype>

namespace lanescope::analysis {

namespace {

constexpr size_t kLongestStatement = 40;  // lines

bool isNamePart(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool endsStatement(std::string line)
{
    if (const size_t comment = line.find("//"); comment != std::string::npos)
        line.resize(comment);
    const size_t last = line.find_last_not_of(" \t\r");
    return last == std::string::npos || std::string(";{}:").find(line[last]) != std::string::npos || line[0] == '#';
}

/// Whether what stands at \p after, behind a name, gives it a new value without using the old one.
bool isAssigned(const std::string& text, size_t after)
{
    after = text.find_first_not_of(" \t", after);
    return after != std::string::npos && text[after] == '=' && (after + 1 == text.size() || text[after + 1] != '=');
}

}  // namespace

StatementNames::StatementNames(const trace::Catalog& catalog)
{
    for (const trace::Source& source : catalog.sources) {
        std::vector<std::string>& lines = m_lines.emplace_back();
        for (size_t at = 0; at <= source.text.size();) {
            const size_t end = std::min(source.text.find('\n', at), source.text.size());
            lines.push_back(source.text.substr(at, end - at));
            at = end + 1;
        }
    }
    for (const trace::Variable& variable : catalog.variables)
        m_variables.insert(variable.name);
}

const StatementNames::Statement& StatementNames::at(const trace::SourceLocation& where)
{
    const auto [known, isNew] = m_known.try_emplace({where.source.value, where.line});
    if (isNew)
        known->second = build(where);
    return known->second;
}

StatementNames::Statement StatementNames::build(const trace::SourceLocation& where)
{
    Statement statement{uint64_t{where.source.value} << 32 | where.line, {}};
    if (where.source.value >= m_lines.size() || where.line == 0 || where.line > m_lines[where.source.value].size())
        return statement;
    const std::vector<std::string>& lines = m_lines[where.source.value];
    size_t first = where.line - 1;
    while (first > 0 && where.line - 1 - first < kLongestStatement && !endsStatement(lines[first - 1]))
        --first;
    size_t last = where.line - 1;
    while (last + 1 < lines.size() && last - first < kLongestStatement && !endsStatement(lines[last]))
        ++last;
    statement.id = uint64_t{where.source.value} << 32 | first;
    std::string text;
    for (size_t line = first; line <= last; ++line)
        text += lines[line].substr(0, lines[line].find("//")) + ' ';
    std::set<std::string> used;
    for (size_t at = 0; at < text.size();) {
        if (!isNamePart(text[at])) {
            ++at;
            continue;
        }
        const size_t from = at;
        while (at < text.size() && isNamePart(text[at]))
            ++at;
        const std::string name = text.substr(from, at - from);
        if (m_variables.contains(name) && !isAssigned(text, at))
            used.insert(name);
    }
    statement.names.assign(used.begin(), used.end());
    return statement;
}

}  // namespace lanescope::analysis
