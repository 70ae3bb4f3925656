// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which lines of the program itself lead to a place in a library's header.
#pragma once

#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include <llvm/IR/Function.h>

#include "core/simt/ir/debug_info.h"

namespace lanescope::simt {

/// Of one kernel. What lies beside the program's main file, or below that folder or the working one, is the program's
/// own; the rest are libraries.
class ProgramCalls {
public:
    ProgramCalls(const llvm::Function& kernel, SourceTable& sources) : m_kernel(kernel), m_sources(sources) {}

    /// The program's calls, in the kernel and what it calls, through which \p where is reached: at calls that are
    /// left, and where the compiler inlined one. Ascending; empty for a place in the program itself. \p where: with ids
    /// of the sources.
    [[nodiscard]] std::vector<trace::SourceLocation> leadingTo(const trace::SourceLocation& where);

    /// The library's place of the one access that is told by \p own, a line of the program; none when it is the
    /// program's own access, or there are several.
    [[nodiscard]] std::optional<trace::SourceLocation> libraryPlaceOf(const trace::SourceLocation& own);

private:
    using Place = std::tuple<uint32_t, uint32_t, uint32_t>;  ///< source, line, column

    [[nodiscard]] bool isOwn(SourceId source) const;
    /// Adds the innermost line of the program that \p location was inlined into; false when there is none.
    bool addInlined(const llvm::DILocation* location);
    void addCallers(const llvm::Function& callee);
    void findFunctions();

    const llvm::Function& m_kernel;
    SourceTable& m_sources;
    std::vector<const llvm::Function*> m_functions;  ///< the kernel, and what it calls; once they were looked for
    std::set<const llvm::Function*> m_visited;
    std::set<Place> m_found;
};

}  // namespace lanescope::simt
