// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which variables a source statement uses: enough of C++ to follow values through registers.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/trace/model.h"

namespace lanescope::analysis {

/// Statements of all sources, by the lines they span. Lines that end in ; { } or : end a statement.
class StatementNames {
public:
    explicit StatementNames(const trace::Catalog& catalog);

    struct Statement {
        uint64_t id = 0;                 ///< the same for all lines of one statement
        std::vector<std::string> names;  ///< recorded variables whose value it uses, each once
    };
    /// Cheap after the first call for a line.
    const Statement& at(const trace::SourceLocation& where);

private:
    Statement build(const trace::SourceLocation& where);

    std::vector<std::vector<std::string>> m_lines;  ///< [source][line - 1]
    std::set<std::string> m_variables;
    std::map<std::pair<uint32_t, uint32_t>, Statement> m_known;  ///< by (source, line)
};

}  // namespace lanescope::analysis
