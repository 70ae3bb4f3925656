// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each instruction does to definedness (flow.h), and which variables some path reads before it writes them.
#pragma once

#include <vector>

#include <llvm/IR/Instruction.h>

#include "core/simt/lower/function_context.h"

namespace lanescope::simt {

/// Whether \p instr gives lanes of a warp each other's values.
bool gathersLanes(const llvm::Instruction& instr);

/// Describes the code that instructions became; copies describe themselves (OperationWriter::copy).
class FlowDescriptions {
public:
    explicit FlowDescriptions(FunctionContext& context)
        : m_builder(context.builder), m_analysis(context.analysis), m_values(context.values), m_code(context.code)
    {
    }

    /// All of the code from index \p begin on is what \p instr became.
    void describe(const llvm::Instruction& instr, size_t begin);
    /// The code's last instruction is a load or store of \p instr's.
    void describeMemory(FlowKind kind, const llvm::Instruction& instr);
    /// To be called at the start of the function: variables that begin without a value, and may be read so.
    void beginVariables();

private:
    std::vector<FlowOperand> operandsOf(const llvm::Value* value) const;
    void addBranch(const llvm::Instruction& terminator, Flow& flow) const;
    void addResults(const llvm::Instruction& instr, Flow& flow);

    ProgramBuilder& m_builder;
    const FunctionAnalysis& m_analysis;
    const ValueMap& m_values;
    CodeWriter& m_code;
};

}  // namespace lanescope::simt
