// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What threads do together (barriers, fences, shuffles, votes), and calls that leave the kernel.
#pragma once

#include <vector>

#include <llvm/IR/Instructions.h>

#include "core/simt/lower/access_descriptions.h"
#include "core/simt/lower/function_context.h"
#include "core/simt/lower/matrix_registers.h"
#include "core/simt/lower/passed_marks.h"
#include "core/simt/machine/handlers.h"

namespace lanescope::simt {

/// Operations of several lanes take and give vectors: results that are the same in all lanes are one lane's.
class WarpLowering {
public:
    WarpLowering(FunctionContext& context, const PassedMarks& marks, AccessDescriptions& accesses,
                 MatrixRegisters& matrices)
        : m_builder(context.builder), m_code(context.code), m_registers(context.registers),
          m_operations(context.operations), m_values(context.values), m_sites(context.sites), m_marks(marks),
          m_accesses(accesses), m_matrices(matrices)
    {
    }

    /// Barriers, traps, operations of warps, clocks; false for what is none of them.
    bool lowerIntrinsic(llvm::CallInst& instr, llvm::StringRef name);
    /// malloc, printf and other calls of the system; false for what is none of them.
    bool lowerSystemCall(llvm::CallInst& instr, llvm::StringRef name);
    /// \p blockOnly: other blocks need not see in order what comes before it.
    void lowerFence(const llvm::Instruction& where, SyncScope scope);
    /// \p trap lives as long as the program.
    void lowerTrap(const llvm::Instruction& instr, const Trap& trap);

private:
    bool lowerTraps(llvm::CallInst& instr, llvm::StringRef name);
    bool lowerBarrier(llvm::CallInst& instr, llvm::StringRef name);
    bool lowerBarrierVote(llvm::CallInst& instr, llvm::StringRef name);
    bool lowerWarpOperation(llvm::CallInst& instr, llvm::StringRef name);
    bool lowerTensorCopy(llvm::CallInst& instr, llvm::StringRef name);
    bool lowerClock(llvm::CallInst& instr, llvm::StringRef name);
    void emitBarrier(llvm::CallInst& instr, Handler handler, const llvm::Value* id, const llvm::Value* count,
                     const char* text);
    void emitWarpCall(llvm::CallInst& instr, WarpFunction function, uint64_t imm, unsigned members, const char* name,
                      bool isShuffle = false);
    Operand carryFlags();
    std::vector<uint32_t> vectorResults(const llvm::Instruction& instr);
    void finishVectors(const llvm::Instruction& instr, const std::vector<uint32_t>& registers);

    ProgramBuilder& m_builder;
    CodeWriter& m_code;
    RegisterPool& m_registers;
    OperationWriter& m_operations;
    ValueMap& m_values;
    SiteWriter& m_sites;
    const PassedMarks& m_marks;
    AccessDescriptions& m_accesses;
    MatrixRegisters& m_matrices;
};

}  // namespace lanescope::simt
