// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Events of the writes of variables. Unoptimised code stores to them; of optimised code, debug records say which value
// a variable has from there on.
#pragma once

#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/Instructions.h>

#include "core/simt/lower/carried_values.h"
#include "core/simt/lower/derivation.h"
#include "core/simt/lower/function_context.h"
#include "core/simt/lower/matrix_registers.h"

namespace lanescope::simt {

/// Knows what the variables were last recorded with where it is; what replay can compute is not recorded. Writes
/// nothing when variables are not recorded.
class VariableRecorder {
public:
    VariableRecorder(FunctionContext& context, MatrixRegisters& matrices)
        : m_builder(context.builder), m_analysis(context.analysis), m_values(context.values), m_code(context.code),
          m_sites(context.sites), m_matrices(matrices), m_derivations(context.builder, context.analysis)
    {
    }

    void beginBlock(const llvm::BasicBlock& block);
    /// To be called behind calls: a recursive one writes the same variables.
    void forget()
    {
        m_recorded.clear();
        m_held.clear();
        m_matrices.forget();
    }
    /// \p store has just written a promoted variable.
    void recordStore(const llvm::StoreInst& store, const llvm::AllocaInst& variable);
    /// The debug records that stand before \p instr. Inlining, unrolling and loops leave many that say nothing new.
    void recordDebugValues(const llvm::Instruction& instr);
    /// As Derivations::noteLoad.
    void noteLoad(const llvm::Instruction& load, SiteId site, bool isOwn) { m_derivations.noteLoad(load, site, isOwn); }

private:
    VariableId variableOf(llvm::DbgVariableRecord& record);
    bool isCarried(const llvm::BasicBlock& block, VariableId id, const llvm::Value& value) const;
    bool isThere(const llvm::Value& value, const llvm::Instruction& position) const;
    void recordDebugValue(llvm::DbgVariableRecord& record, const llvm::Value& value, const llvm::Instruction& instr);
    void emitRecord(const Operand& held, SiteId where, const llvm::Value& written, const llvm::Instruction& instr);

    ProgramBuilder& m_builder;
    const FunctionAnalysis& m_analysis;
    const ValueMap& m_values;
    CodeWriter& m_code;
    SiteWriter& m_sites;
    MatrixRegisters& m_matrices;
    Derivations m_derivations;
    std::optional<CarriedValues> m_carried;
    RecordedValues m_recorded;  ///< in the basic block that is being lowered
    RecordedValues m_held;      ///< wherever that was
};

}  // namespace lanescope::simt
