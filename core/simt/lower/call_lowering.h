// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls: of device functions, and of what others lower.
#pragma once

#include <llvm/IR/Instructions.h>

#include "core/simt/lower/function_context.h"
#include "core/simt/lower/intrinsic_lowering.h"
#include "core/simt/lower/lane_lowering.h"
#include "core/simt/lower/local_storage.h"
#include "core/simt/lower/memory_lowering.h"
#include "core/simt/lower/variable_recorder.h"
#include "core/simt/lower/warp_lowering.h"

namespace lanescope::simt {

/// Passes arguments and fetches results; asks in turn those who may know a function that has no body.
class CallLowering {
public:
    CallLowering(FunctionContext& context, LocalStorage& storage, VariableRecorder& recorder, LaneLowering& lanes,
                 MemoryLowering& memory, WarpLowering& warp);

    void lower(llvm::CallInst& instr);

private:
    bool lowerStackIntrinsic(llvm::CallInst& instr, llvm::StringRef name);
    void lowerFunctionCall(llvm::CallInst& instr, llvm::Function& callee);
    std::vector<Parts> passArguments(llvm::CallInst& instr, const llvm::Function& callee, const LoweredFunction& target,
                                     bool callsBack);
    void passByValue(llvm::CallInst& instr, unsigned index, llvm::Type* type, Operand parameter, int object);
    void copyParts(const Parts& to, const Parts& from, const llvm::Value& value, const llvm::Instruction& where);

    ProgramBuilder& m_builder;
    const FunctionAnalysis& m_analysis;
    CodeWriter& m_code;
    RegisterPool& m_registers;
    OperationWriter& m_operations;
    ValueMap& m_values;
    SiteWriter& m_sites;
    LocalStorage& m_storage;
    VariableRecorder& m_recorder;
    LaneLowering& m_lanes;
    MemoryLowering& m_memory;
    WarpLowering& m_warp;
    IntrinsicLowering m_intrinsics;
};

}  // namespace lanescope::simt
