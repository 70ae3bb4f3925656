// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic, comparisons, conversions and the members of structs and vectors.
#pragma once

#include <llvm/IR/Instructions.h>

#include "core/simt/lower/function_context.h"
#include "core/simt/lower/lane_lowering.h"

namespace lanescope::simt {

/// Each method lowers one instruction, for all elements of a vector. Halves and wide integers are for LaneLowering.
class ArithmeticLowering {
public:
    ArithmeticLowering(FunctionContext& context, LaneLowering& lanes)
        : m_builder(context.builder), m_code(context.code), m_operations(context.operations), m_values(context.values),
          m_lanes(lanes)
    {
    }

    void lowerBinary(llvm::BinaryOperator& instr);
    void lowerUnary(llvm::UnaryOperator& instr);
    void lowerCompare(llvm::CmpInst& instr);
    void lowerCast(llvm::CastInst& instr);
    void lowerSelect(llvm::SelectInst& instr);
    /// Members of structs, elements of vectors and shuffles.
    void lowerAggregate(llvm::Instruction& instr);

private:
    ProgramBuilder& m_builder;
    CodeWriter& m_code;
    OperationWriter& m_operations;
    ValueMap& m_values;
    LaneLowering& m_lanes;
};

}  // namespace lanescope::simt
