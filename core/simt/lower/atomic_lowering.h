// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomics. They order nothing: clang calls CUDA's relaxed ones sequentially consistent. Where a program or header means
// more, it says so with a fence.
#pragma once

#include <llvm/IR/Instructions.h>

#include "core/simt/lower/access_descriptions.h"
#include "core/simt/lower/function_context.h"

namespace lanescope::simt {

/// Each method lowers one instruction; says of the program whether the order of blocks shows in what it leaves.
class AtomicLowering {
public:
    AtomicLowering(FunctionContext& context, AccessDescriptions& accesses)
        : m_builder(context.builder), m_code(context.code), m_registers(context.registers),
          m_operations(context.operations), m_values(context.values), m_accesses(accesses)
    {
    }

    void lowerUpdate(llvm::AtomicRMWInst& instr);
    void lowerCompareExchange(llvm::AtomicCmpXchgInst& instr);

private:
    void emit(const AtomicInfo& info, uint32_t address, const llvm::Instruction& instr);

    ProgramBuilder& m_builder;
    CodeWriter& m_code;
    RegisterPool& m_registers;
    OperationWriter& m_operations;
    ValueMap& m_values;
    AccessDescriptions& m_accesses;
};

}  // namespace lanescope::simt
