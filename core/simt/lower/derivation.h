// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which variable writes need no recorded value: those computed from variables, constants, where a thread is, and loads
// in the basic block of the write. Then the lanes that write have just run the loads too.
#pragma once

#include <utility>
#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include "core/simt/lower/function_analysis.h"
#include "core/simt/lower/program_builder.h"

namespace lanescope::simt {

/// Whether the promoted \p variable is stored to between the two instructions of one basic block.
bool isOverwritten(const llvm::Value& variable, const llvm::Instruction& from, const llvm::Instruction& to);

/// What variables were last recorded with.
using RecordedValues = std::vector<std::pair<VariableId, const llvm::Value*>>;

/// Finds how replay can compute what one function writes.
class Derivations {
public:
    Derivations(ProgramBuilder& builder, const FunctionAnalysis& analysis) : m_builder(builder), m_analysis(analysis) {}

    /// \p load, of one value, gives events of \p site. \p isOwn: from the block's own memory.
    void noteLoad(const llvm::Instruction& load, SiteId site, bool isOwn) { m_loads[&load] = {site, isOwn}; }
    /// \p write: where \p written becomes the variable's value: a store to it, or what follows a debug record. Empty
    /// when the value has to be recorded. Then asksOthers(): whether there are loads in it from elsewhere.
    [[nodiscard]] trace::Derivation of(const llvm::Value& written, const llvm::Instruction& write,
                                       const RecordedValues& recorded);

    [[nodiscard]] bool asksOthers() const { return m_asksOthers; }

private:
    using Op = trace::DerivationStep::Op;
    struct Load {
        SiteId site;
        bool isOwn = true;
    };
    bool derive(const llvm::Value& value);
    bool deriveLoad(const llvm::LoadInst& load);
    bool deriveAddress(const llvm::GEPOperator& place);
    bool deriveCompare(const llvm::CmpInst& compare);
    bool deriveCast(const llvm::CastInst& cast);
    bool deriveIntrinsic(const llvm::IntrinsicInst& call);
    /// The operands' values, one after the other, and what \p op makes of them.
    bool deriveOperation(Op op, std::initializer_list<const llvm::Value*> operands, unsigned bits,
                         uint64_t operand = 0);
    bool add(Op op, unsigned bits, uint64_t operand = 0);
    [[nodiscard]] unsigned widthOf(const llvm::Value& value) const;

    ProgramBuilder& m_builder;
    const FunctionAnalysis& m_analysis;
    llvm::DenseMap<const llvm::Instruction*, Load> m_loads;

    // Of what is being derived.
    const llvm::Instruction* m_write = nullptr;
    const RecordedValues* m_recorded = nullptr;
    trace::Derivation m_steps;
    bool m_asksOthers = false;
};

}  // namespace lanescope::simt
