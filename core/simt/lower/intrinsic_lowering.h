// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls that each lane computes by itself: special registers, the math library, LLVM's and NVVM's intrinsics.
#pragma once

#include <llvm/IR/Instructions.h>

#include "core/simt/lower/function_context.h"

namespace lanescope::simt {

/// Each method returns false, and does nothing, for calls of others.
class IntrinsicLowering {
public:
    explicit IntrinsicLowering(FunctionContext& context)
        : m_wholeRows(context.builder.program().wholeRows), m_code(context.code), m_registers(context.registers),
          m_operations(context.operations), m_values(context.values)
    {
    }

    bool lowerSpecialRegister(llvm::CallInst& instr, llvm::StringRef name);
    bool lowerMath(llvm::CallInst& instr, llvm::StringRef name);
    bool lowerInteger(llvm::CallInst& instr, llvm::StringRef name);

private:
    bool m_wholeRows;
    CodeWriter& m_code;
    RegisterPool& m_registers;
    OperationWriter& m_operations;
    ValueMap& m_values;
};

}  // namespace lanescope::simt
