// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Addresses as a base, a constant and registers times scales.
#pragma once

#include <llvm/IR/Instructions.h>

#include "core/simt/lower/function_context.h"
#include "core/simt/lower/shape_checks.h"

namespace lanescope::simt {

/// Folds what an address is computed from into the access; appends code only for what does not fit there.
class AddressWriter {
public:
    AddressWriter(FunctionContext& context, ShapeChecks& shapes)
        : m_builder(context.builder), m_analysis(context.analysis), m_code(context.code),
          m_registers(context.registers), m_operations(context.operations), m_values(context.values), m_shapes(shapes)
    {
    }

    /// The base, offset and terms of \p pointer; tells the shape checks where its subscripts are.
    MemoryInfo addressOf(const llvm::Value& pointer);

private:
    void add(MemoryInfo& info, const llvm::Value* pointer, unsigned depth);
    void addIndex(MemoryInfo& info, const llvm::Value* index, int64_t scale, const llvm::Instruction* where);
    AddressTerm addTerm(MemoryInfo& info, const llvm::Value* index, int64_t scale, const llvm::Instruction* where);
    void materialise(MemoryInfo& info, const llvm::Instruction* where);

    ProgramBuilder& m_builder;
    const FunctionAnalysis& m_analysis;
    CodeWriter& m_code;
    RegisterPool& m_registers;
    OperationWriter& m_operations;
    ValueMap& m_values;
    ShapeChecks& m_shapes;
};

}  // namespace lanescope::simt
