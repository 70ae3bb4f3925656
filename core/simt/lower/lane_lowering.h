// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lowering to calls of lane functions: rare intrinsics, half precision, integers wider than 64 bits.
#pragma once

#include <vector>

#include <llvm/IR/Instructions.h>

#include "core/simt/lower/function_context.h"

namespace lanescope::simt {

/// Each method returns false, and does nothing, for what needs no lane function.
class LaneLowering {
public:
    explicit LaneLowering(FunctionContext& context)
        : m_builder(context.builder), m_code(context.code), m_operations(context.operations), m_values(context.values)
    {
    }

    bool lowerIntrinsic(llvm::CallInst& instr, llvm::StringRef name);
    bool lowerWideInteger(llvm::Instruction& instr);
    /// Conversions between half or bfloat16 and float or double; arithmetic was widened before lowering.
    bool lowerNarrowCast(llvm::CastInst& instr);

private:
    struct LaneValue {
        Operand operand;
        LaneType lane;
    };

    std::vector<LaneValue> valuesOf(const llvm::Value* value, const llvm::Instruction& where) const;
    void lowerWhole(llvm::Instruction& instr, LaneFunction function, uint64_t imm,
                    llvm::ArrayRef<const llvm::Value*> operands);
    void lowerElementwise(llvm::Instruction& instr, LaneFunction function, uint64_t imm,
                          llvm::ArrayRef<const llvm::Value*> operands);
    void emitCall(LaneFunction function, uint64_t imm, llvm::ArrayRef<LaneValue> in, llvm::ArrayRef<LaneValue> out,
                  const llvm::Instruction& where);

    ProgramBuilder& m_builder;
    CodeWriter& m_code;
    OperationWriter& m_operations;
    ValueMap& m_values;
};

}  // namespace lanescope::simt
