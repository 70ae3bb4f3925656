// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns one function into code. function_lowering.cpp goes through the blocks; the instructions of a family are in
// lower_arithmetic.cpp, lower_memory.cpp, lower_control.cpp and lower_calls.cpp.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include "core/simt/code/operations.h"
#include "core/simt/lower/branch_recording.h"
#include "core/simt/lower/code_writer.h"
#include "core/simt/lower/flow_descriptions.h"
#include "core/simt/lower/function_analysis.h"
#include "core/simt/lower/lane_patterns.h"
#include "core/simt/lower/local_storage.h"
#include "core/simt/lower/operation_writer.h"
#include "core/simt/lower/passed_marks.h"
#include "core/simt/lower/pattern_writer.h"
#include "core/simt/lower/program_builder.h"
#include "core/simt/lower/register_pool.h"
#include "core/simt/lower/shape_checks.h"
#include "core/simt/lower/site_writer.h"
#include "core/simt/lower/value_map.h"
#include "core/simt/lower/variable_recorder.h"

namespace lanescope::simt {

class FunctionLowering {
public:
    FunctionLowering(ProgramBuilder& builder, llvm::Function& function, bool isKernel,
                     const std::vector<Parts>& parameters, Parts result);

    /// Emits the whole function; returns its entry.
    const Instr* lower();

private:
    // Emission.
    void beginFunction();
    void lowerBlock(llvm::BasicBlock& block);
    void lowerInstruction(llvm::Instruction& instr);
    void emitFence(const llvm::Instruction& where, bool blockOnly);
    // Arithmetic (lower_arithmetic.cpp).
    void lowerBinary(llvm::BinaryOperator& instr);
    void lowerUnary(llvm::UnaryOperator& instr);
    void lowerCompare(llvm::CmpInst& instr);
    void lowerCast(llvm::CastInst& instr);
    void lowerSelect(llvm::SelectInst& instr);
    void lowerAggregate(llvm::Instruction& instr);

    // Control flow (lower_control.cpp).
    void lowerBranch(llvm::BranchInst& instr);
    void lowerSwitch(llvm::SwitchInst& instr);
    void lowerReturn(llvm::ReturnInst& instr);
    void emitPhiMoves(const llvm::BasicBlock& from, const llvm::BasicBlock& to);
    CodeWriter::Label edge(const llvm::BasicBlock& from, const llvm::BasicBlock& to);
    CodeWriter::Label labelOf(const llvm::BasicBlock& block) const { return m_blockLabels.at(&block); }
    std::optional<CodeWriter::Label> joinLabel(const llvm::BasicBlock& block) const;

    // Memory (lower_memory.cpp).
    void lowerAddress(llvm::GetElementPtrInst& instr);
    void lowerLoad(llvm::LoadInst& instr);
    void lowerStore(llvm::StoreInst& instr);
    void lowerVariableStore(llvm::StoreInst& instr, const llvm::AllocaInst& variable);
    void lowerAtomicRmw(llvm::AtomicRMWInst& instr);
    void lowerCompareExchange(llvm::AtomicCmpXchgInst& instr);
    void addressInto(MemoryInfo& info, const llvm::Value* pointer, unsigned depth = 0);
    void addTerm(MemoryInfo& info, const llvm::Value* index, int64_t scale, const llvm::Instruction* where);
    void materialise(MemoryInfo& info, const llvm::Instruction* where);
    uint32_t addressRegister(const llvm::Value* pointer);
    void describeAccess(MemoryInfo& info, const llvm::Instruction& instr, const llvm::Value* pointer,
                        trace::SiteKind kind, llvm::Type* type);
    void accessLeaves(const llvm::Instruction& instr, const llvm::Value* pointer, llvm::Type* type, const Parts& values,
                      bool isStore, unsigned alignment);

    // Calls (lower_calls.cpp).
    void lowerCall(llvm::CallInst& instr);
    bool lowerSpecialRegister(llvm::CallInst& instr, llvm::StringRef name);
    bool lowerMath(llvm::CallInst& instr, llvm::StringRef name);
    bool lowerIntegerIntrinsic(llvm::CallInst& instr, llvm::StringRef name);
    bool lowerMemoryIntrinsic(llvm::CallInst& instr);
    void lowerFunctionCall(llvm::CallInst& instr, llvm::Function& callee);
    void passByValue(llvm::CallInst& instr, unsigned index, llvm::Type* type, Operand parameter, int object);
    bool lowerStackIntrinsic(llvm::CallInst& instr, llvm::StringRef name);
    void copyBytes(const llvm::Instruction& instr, uint32_t to, uint32_t from, uint32_t length,
                   const llvm::Value* toPointer, const llvm::Value* fromPointer);

    // What threads do together, and calls that leave the kernel (lower_warp.cpp).
    void lowerTrap(const llvm::Instruction& instr, const Trap& trap);
    bool lowerBarrier(llvm::CallInst& instr, llvm::StringRef name);
    bool lowerWarpIntrinsic(llvm::CallInst& instr, llvm::StringRef name);
    bool lowerClock(llvm::CallInst& instr, llvm::StringRef name);
    bool lowerSystemCall(llvm::CallInst& instr, llvm::StringRef name);
    void emitBarrier(llvm::CallInst& instr, Handler handler, const llvm::Value* id, const llvm::Value* count,
                     const char* text);
    void emitWarpCall(llvm::CallInst& instr, WarpFunction function, uint64_t imm, unsigned members, const char* name);
    std::vector<uint32_t> vectorResults(const llvm::Instruction& instr);
    void finishVectors(const llvm::Instruction& instr, const std::vector<uint32_t>& registers);

    // Functions of one lane's values (lower_lanes.cpp).
    struct LaneValue {
        Operand operand;
        LaneType lane;
    };
    bool lowerLaneIntrinsic(llvm::CallInst& instr, llvm::StringRef name);
    bool lowerWideInteger(llvm::Instruction& instr);
    bool lowerNarrowCast(llvm::CastInst& instr);
    std::vector<LaneValue> laneValues(const llvm::Value* value, const llvm::Instruction& where);
    void lowerLaneCall(llvm::Instruction& instr, LaneFunction function, uint64_t imm,
                       llvm::ArrayRef<const llvm::Value*> operands);
    void lowerElementwise(llvm::Instruction& instr, LaneFunction function, uint64_t imm,
                          llvm::ArrayRef<const llvm::Value*> operands);
    void emitLaneCall(LaneFunction function, uint64_t imm, llvm::ArrayRef<LaneValue> in, llvm::ArrayRef<LaneValue> out,
                      const llvm::Instruction& where);

    ProgramBuilder& m_builder;
    llvm::Function& m_function;
    FunctionAnalysis m_analysis;
    CodeWriter m_code;
    RegisterPool m_registers;
    OperationWriter m_operations;
    ValueMap m_values;
    SiteWriter m_sites;
    LanePatterns m_lanePatterns;
    PassedMarks m_marks;
    PatternWriter m_patterns;
    FlowDescriptions m_flows;
    LocalStorage m_storage;
    ShapeChecks m_shapes;
    VariableRecorder m_recorder;
    BranchRecording m_branchRecording;
    Parts m_result;
    llvm::DenseMap<const llvm::BasicBlock*, CodeWriter::Label> m_blockLabels;
    struct Edge {
        CodeWriter::Label label;
        const llvm::BasicBlock* from;
        const llvm::BasicBlock* to;
    };
    std::vector<Edge> m_edges;  ///< stubs with phi moves still to be emitted
};

}  // namespace lanescope::simt
