// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Addresses, loads, stores, and copies and fills of many bytes.
#pragma once

#include <llvm/IR/Instructions.h>

#include "core/simt/lower/access_descriptions.h"
#include "core/simt/lower/address_writer.h"
#include "core/simt/lower/flow_descriptions.h"
#include "core/simt/lower/function_context.h"
#include "core/simt/lower/matrix_registers.h"
#include "core/simt/lower/pattern_writer.h"
#include "core/simt/lower/shape_checks.h"
#include "core/simt/lower/variable_recorder.h"

namespace lanescope::simt {

/// Takes accesses apart into those of at most 16 bytes; variables in registers need none.
class MemoryLowering {
public:
    MemoryLowering(FunctionContext& context, ShapeChecks& shapes, AccessDescriptions& accesses, PatternWriter& patterns,
                   FlowDescriptions& flows, VariableRecorder& recorder, MatrixRegisters& matrices);

    void lowerAddress(llvm::GetElementPtrInst& instr);
    /// Of promoted variables too, as lowerStore.
    void lowerLoad(llvm::LoadInst& instr);
    void lowerStore(llvm::StoreInst& instr);
    /// memcpy, memmove, memset; false for others.
    bool lowerIntrinsic(llvm::CallInst& instr);
    /// Copies \p length bytes; all three are 64-bit registers. The pointers are what they are called in the source.
    void copyBytes(const llvm::Instruction& instr, uint32_t to, uint32_t from, uint32_t length,
                   const llvm::Value* toPointer, const llvm::Value* fromPointer);

private:
    enum class Access { Load, Store };

    void lowerVariableStore(llvm::StoreInst& instr, const llvm::AllocaInst& variable);
    void accessLeaves(Access access, const llvm::Instruction& instr, const llvm::Value* pointer, llvm::Type* type,
                      const Parts& values, unsigned alignment);
    [[nodiscard]] bool isInParameter(const llvm::Value& pointer) const;
    void foresee(const llvm::Instruction& instr, MemoryInfo& info) const;
    void emitAccess(Access access, const llvm::Instruction& instr, const llvm::Value* pointer, MemoryInfo info);

    ProgramBuilder& m_builder;
    const FunctionAnalysis& m_analysis;
    CodeWriter& m_code;
    OperationWriter& m_operations;
    ValueMap& m_values;
    AddressWriter m_addresses;
    ShapeChecks& m_shapes;
    AccessDescriptions& m_accesses;
    PatternWriter& m_patterns;
    FlowDescriptions& m_flows;
    VariableRecorder& m_recorder;
    MatrixRegisters& m_matrices;
};

}  // namespace lanescope::simt
