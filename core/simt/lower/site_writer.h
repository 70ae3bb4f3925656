// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sites of one function: what events, findings and instrumented code name their instruction by.
#pragma once

#include <set>
#include <string>
#include <tuple>
#include <utility>

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instruction.h>

#include "core/simt/lower/program_builder.h"

namespace lanescope::simt {

/// Adds to Program::sites and Program::places. A site is of the function that its place is in, also where the compiler
/// inlined that one; the calls that lead there from this function are sites of kind Call, of which no events are.
class SiteWriter {
public:
    SiteWriter(ProgramBuilder& builder, const llvm::Function& function) : m_builder(builder), m_function(function) {}

    /// A site where \p instr is in the source, or its function when that is not known.
    SiteId add(trace::SiteKind kind, const llvm::Instruction& instr, std::string expression = {},
               trace::ValueType type = {});
    /// As add; returns the index in Program::sites.
    uint32_t addStatic(trace::SiteKind kind, const llvm::Instruction& instr, std::string expression);
    /// A call of \p callee that is left: a site of kind Call, whose expression is the callee's source name. Nothing
    /// where that is not known.
    void addCall(const llvm::Instruction& instr, const llvm::Function& callee);
    /// The last one's instruction has no place: it is where the function begins that \p scope is of.
    void placeLastIn(const llvm::DILocation& scope);
    /// The one that was added last.
    trace::Site& last() { return m_builder.program().sites.back(); }
    [[nodiscard]] uint32_t lastIndex() const;

    /// Where \p instr is in the source and the function that is in; line 0 where that is not known.
    [[nodiscard]] std::pair<trace::SourceLocation, std::string> whereIs(const llvm::Instruction& instr) const;

    /// Says that events of \p site come from \p instr, for who numbers instructions; several of one instruction are
    /// told apart by their order.
    void notePlace(const llvm::Instruction& instr, SiteId site);

private:
    using CallPlace =
        std::tuple<const llvm::DISubprogram*, uint32_t, uint32_t, uint32_t>;  ///< callee, source, line, column

    [[nodiscard]] const llvm::DILocation* placeOf(const llvm::Instruction& instr) const;
    void addInlinedCalls(const llvm::DILocation* place);
    void addCall(const llvm::DISubprogram& callee, const llvm::DILocation& place);

    ProgramBuilder& m_builder;
    const llvm::Function& m_function;
    std::set<CallPlace> m_calls;  ///< that have a site
};

}  // namespace lanescope::simt
