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
#include "core/simt/lower/code_writer.h"
#include "core/simt/lower/function_analysis.h"
#include "core/simt/lower/operation_writer.h"
#include "core/simt/lower/program_builder.h"
#include "core/simt/lower/register_pool.h"
#include "core/simt/lower/site_writer.h"
#include "core/simt/lower/value_map.h"

namespace lanescope::simt {

/// Whether \p instr gives lanes of a warp each other's values.
bool gathersLanes(const llvm::Instruction& instr);

class FunctionLowering {
public:
    FunctionLowering(ProgramBuilder& builder, llvm::Function& function, bool isKernel,
                     const std::vector<Parts>& parameters, Parts result);

    /// Emits the whole function; returns its entry.
    const Instr* lower();

private:
    void findPassedMarks();
    void placeAlloca(llvm::AllocaInst& alloca);

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
    void forgetFrame(const llvm::ReturnInst& instr);
    void lowerReturn(llvm::ReturnInst& instr);
    void emitPhiMoves(const llvm::BasicBlock& from, const llvm::BasicBlock& to);
    CodeWriter::Label edge(const llvm::BasicBlock& from, const llvm::BasicBlock& to);
    CodeWriter::Label labelOf(const llvm::BasicBlock& block) const { return m_blockLabels.at(&block); }
    std::optional<CodeWriter::Label> joinLabel(const llvm::BasicBlock& block) const;

    // Definedness (lower_flow.cpp).
    std::vector<FlowOperand> flowOperands(const llvm::Value* value);
    void describeMemory(FlowKind kind, const llvm::Instruction& instr);
    void describeFlow(const llvm::Instruction& instr, size_t begin);
    uint64_t constantBits(const llvm::Value* value) const;
    bool mayBeReadUnset(const llvm::AllocaInst& variable) const;
    void beginVariables();

    // Memory (lower_memory.cpp).
    void lowerAddress(llvm::GetElementPtrInst& instr);
    void lowerLoad(llvm::LoadInst& instr);
    void lowerStore(llvm::StoreInst& instr);
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

    // Registers that many addresses are made of (lower_patterns.cpp).
    struct LanePart {
        const llvm::Value* value = nullptr;  ///< or the variable that holds it
        int64_t scale = 1;
    };
    void addLaneParts(const llvm::Value* pointer, std::vector<LanePart>& parts) const;
    LanePart onlyLanePart(const llvm::Value* pointer) const;
    void findPatterns();
    void notePattern(const llvm::Value& valueOrVariable);
    void usePattern(MemoryInfo& info, const llvm::Value* pointer);

    // Declared extents (lower_shape.cpp). The subscripts in registers are those of the address lowered last.
    ShapeDim subscriptOf(const llvm::Value* index, uint64_t extent) const;
    void addSubscripts(const llvm::GEPOperator& gep, ShapeCheck& shape) const;
    ShapeCheck subscriptsOf(const llvm::Value* pointer) const;
    /// Null when there is nothing to check.
    ShapeCheck* emitShapeCheck(const llvm::Value* pointer, const llvm::Instruction& where);
    /// For an address that is computed once and used several times; the access that comes first gives it its name.
    void checkKeptAddress(const llvm::GetElementPtrInst& address);
    void nameKeptShapes(const llvm::Value* pointer, uint32_t staticSite, bool isWrite);

    // Variables in registers (lower_variables.cpp).
    void lowerVariableStore(llvm::StoreInst& instr, const llvm::AllocaInst& variable);
    void recordVariable(const llvm::Instruction& instr, const llvm::AllocaInst& alloca);
    void recordDebugValues(const llvm::Instruction& instr);
    VariableId variableOf(llvm::DbgVariableRecord& record);
    bool leavesWith(const llvm::BasicBlock& block, VariableId id, const llvm::Value& value);
    bool isRecordable(const llvm::Value& value, const llvm::BasicBlock& block) const;
    bool isCarriedInto(const llvm::BasicBlock& block, VariableId id, const llvm::Value& value);
    void emitRecord(const Operand& held, SiteId where, const llvm::Value& written, const llvm::Instruction& instr);

    // Branches that are events (branch_recording.cpp).
    bool recordsBranch(const llvm::BranchInst& branch, bool diverges) const;
    bool isRecorded(const llvm::Instruction& instr) const;
    std::optional<unsigned> lastRecordedLine(const llvm::BasicBlock& block) const;

    // Values that replay computes (derivation.cpp).
    trace::Derivation derivationOf(const llvm::Value& written, const llvm::Instruction& write);
    bool derive(const llvm::Value& value, const llvm::Instruction& use, trace::Derivation& out);
    bool deriveLoad(const llvm::LoadInst& load, const llvm::Instruction& use, trace::Derivation& out);

    // Calls (lower_calls.cpp).
    void lowerCall(llvm::CallInst& instr);
    bool lowerSpecialRegister(llvm::CallInst& instr, llvm::StringRef name);
    uint32_t passedMark(const llvm::BasicBlock& barrier);
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

    // The stack: frames of functions that call themselves, allocas of a size known at run time (lowering.cpp).
    void enterFrame();
    void leaveFrame(const llvm::Instruction* where);
    uint32_t allocateStack(uint32_t bytes, const llvm::Instruction* where);
    void lowerDynamicAlloca(llvm::AllocaInst& alloca);

    ProgramBuilder& m_builder;
    llvm::Function& m_function;
    FunctionAnalysis m_analysis;
    CodeWriter m_code;
    RegisterPool m_registers;
    OperationWriter m_operations;
    ValueMap m_values;
    SiteWriter m_sites;
    Parts m_result;
    bool m_hasDynamicAlloca = false;
    uint32_t m_frame = 0;  ///< register of the frame's address
    uint64_t m_frameBytes = 0;
    std::vector<std::pair<const llvm::AllocaInst*, uint64_t>> m_frameAllocas;    ///< with their offsets
    std::unique_ptr<llvm::DominatorTree> m_dominators;                           ///< only when there are barriers
    llvm::DenseMap<const llvm::Value*, std::map<int64_t, uint32_t>> m_patterns;  ///< by value or variable, by scale
    llvm::DenseMap<const llvm::Value*, AddressTerm> m_indexTerms;                ///< of the address lowered last
    llvm::DenseMap<const llvm::Value*, ShapeCheck*> m_keptShapes;                ///< whose access is still to come
    llvm::DenseMap<const llvm::Instruction*, SiteId> m_loadSites;  ///< loads of one value from the block's own memory
    /// Optimised code: the value that each variable was last recorded with in the basic block being lowered.
    std::vector<std::pair<VariableId, const llvm::Value*>> m_recordedValues;

    llvm::DenseMap<const llvm::BasicBlock*, CodeWriter::Label> m_blockLabels;
    llvm::DenseMap<const llvm::BasicBlock*, uint32_t> m_passedMarks;  ///< blocks behind a conditional barrier
    struct Edge {
        CodeWriter::Label label;
        const llvm::BasicBlock* from;
        const llvm::BasicBlock* to;
    };
    std::vector<Edge> m_edges;  ///< stubs with phi moves still to be emitted
};

}  // namespace lanescope::simt
