// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sites of one function: what events, findings and instrumented code name their instruction by.
#pragma once

#include <string>

#include <llvm/IR/Instruction.h>

#include "core/simt/lower/program_builder.h"

namespace lanescope::simt {

/// Adds to Program::sites and Program::places.
class SiteWriter {
public:
    SiteWriter(ProgramBuilder& builder, const llvm::Function& function) : m_builder(builder), m_function(function) {}

    /// A site where \p instr is in the source, or its function when that is not known.
    SiteId add(trace::SiteKind kind, const llvm::Instruction& instr, std::string expression = {},
               trace::ValueType type = {});
    /// As add; returns the index in Program::sites.
    uint32_t addStatic(trace::SiteKind kind, const llvm::Instruction& instr, std::string expression);
    /// The one that was added last.
    trace::Site& last() { return m_builder.program().sites.back(); }
    [[nodiscard]] uint32_t lastIndex() const;

    /// Says that events of \p site come from \p instr, for who numbers instructions; several of one instruction are
    /// told apart by their order.
    void notePlace(const llvm::Instruction& instr, SiteId site);

private:
    ProgramBuilder& m_builder;
    const llvm::Function& m_function;
};

}  // namespace lanescope::simt
