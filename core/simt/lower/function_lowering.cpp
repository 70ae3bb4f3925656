// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function as a whole: which variables live in registers, where lanes rejoin, block after block.
#include "core/simt/lower/function_lowering.h"

#include <algorithm>

#include <fmt/format.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugProgramInstruction.h>

#include "core/simt/code/operations.h"
#include "core/simt/ir/legalise.h"
#include "core/simt/lower/fusion.h"
#include "core/simt/memory/address_slots.h"
#include "core/simt/ptx/sync_scope.h"

namespace lanescope::simt {

using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;

namespace {

/// A list of what a function that may call itself keeps, begun with its parameters; null for others.
SpillList* newSpills(ProgramBuilder& builder, llvm::Function& function, const std::vector<Parts>& parameters)
{
    if (!builder.isRecursive(function))
        return nullptr;
    SpillList& spills = builder.program().spills.emplace_back();
    for (size_t i = 0; i < parameters.size(); ++i) {
        const std::vector<Leaf> all =
            leavesOf(builder.layout(), function.getArg(static_cast<unsigned>(i))->getType(), nullptr);
        for (size_t part = 0; part < parameters[i].size(); ++part)
            spills.registers.emplace_back(parameters[i][part].reg, isWide(all[part].lane));
    }
    return &spills;
}

}  // namespace

FunctionLowering::FunctionLowering(ProgramBuilder& builder, llvm::Function& function, bool isKernel,
                                   const std::vector<Parts>& parameters, Parts result)
    : m_builder(builder), m_function(function), m_analysis(function, isKernel, builder.isRecursive(function)),
      m_code(builder.program()), m_registers(builder.registers(), newSpills(builder, function, parameters)),
      m_operations(m_code, m_registers, builder.handlers()),
      m_values(builder, m_analysis, m_registers, m_operations, parameters), m_sites(builder, function),
      m_lanePatterns(m_analysis, builder.layout(), builder.program()), m_marks(m_analysis, builder.program()),
      m_patterns(m_lanePatterns, m_values, m_code, builder.handlers()), m_flows(builder, m_analysis, m_values, m_code),
      m_storage(builder, m_analysis, m_code, m_registers, m_operations, m_values),
      m_shapes(function, builder.program(), m_code, builder.handlers()),
      m_recorder(builder, m_analysis, m_values, m_code, m_sites), m_branchRecording(m_analysis, builder.options()),
      m_result(std::move(result))
{
}

const Instr* FunctionLowering::lower()
{
    for (llvm::BasicBlock& block : m_function)
        for (llvm::Instruction& instr : block)
            if (auto* alloca = dyn_cast<llvm::AllocaInst>(&instr))
                m_storage.place(*alloca);
    for (llvm::BasicBlock& block : m_function) {
        m_blockLabels.try_emplace(&block, m_code.newLabel());
        for (llvm::PHINode& phi : block.phis()) {
            Parts value;
            for (const Leaf& leaf : leavesOf(m_builder.layout(), phi.getType(), &phi))
                value.push_back(
                    m_registers.newOperand(leaf.lane, m_analysis.isUniform(phi) ? Form::Scalar : Form::Vector));
            m_values.set(phi, value);
        }
    }
    // Definitions come before uses in this order, whatever the order in the file; unreachable blocks drop out.
    for (llvm::BasicBlock* block : llvm::ReversePostOrderTraversal<llvm::Function*>(&m_function))
        lowerBlock(*block);
    for (size_t i = 0; i < m_edges.size(); ++i) {
        const Edge stub = m_edges[i];
        m_code.place(stub.label);
        emitPhiMoves(*stub.from, *stub.to);
        m_code.emitJump(m_builder.handlers().jump(false), labelOf(*stub.to), nullptr);
    }
    const Instr* entry = m_code.finish(labelOf(m_function.getEntryBlock()));
    fuse(m_builder.program().code.back(), m_builder.handlers().fused, m_builder.program().productRows);
    return entry;
}

namespace {

/// Floating-point operations of one lane: a fused multiply-add counts two, as profilers do.
uint32_t flopsOf(const llvm::Instruction& instr)
{
    switch (instr.getOpcode()) {
    case llvm::Instruction::FAdd:
    case llvm::Instruction::FSub:
    case llvm::Instruction::FMul:
    case llvm::Instruction::FDiv:
        break;
    default: {
        const auto* intrinsic = dyn_cast<llvm::IntrinsicInst>(&instr);
        bool fused = intrinsic && (intrinsic->getIntrinsicID() == llvm::Intrinsic::fma ||
                                   intrinsic->getIntrinsicID() == llvm::Intrinsic::fmuladd);
        return fused ? 2 : 0;
    }
    }
    const auto* vector = dyn_cast<llvm::FixedVectorType>(instr.getType());
    return vector ? vector->getNumElements() : 1;
}

}  // namespace

void FunctionLowering::beginFunction()
{
    m_flows.beginVariables();
    if (!m_analysis.isKernel())
        m_storage.enterFrame();
    for (const llvm::Argument& argument : m_function.args())
        m_patterns.note(argument);
}

void FunctionLowering::lowerBlock(llvm::BasicBlock& block)
{
    m_code.place(labelOf(block));
    if (m_analysis.isJoin(block))
        m_code.emit(runJoinPoint, nullptr);
    if (const uint32_t mark = m_marks.at(block))
        m_code.emit(runPassedMark, nullptr).c = mark;
    for (const llvm::PHINode& phi : block.phis())
        m_patterns.note(phi);
    if (block.isEntryBlock())
        beginFunction();
    m_recorder.beginBlock();
    m_code.beginBlock();
    for (llvm::Instruction& instr : block) {
        m_code.count(flopsOf(instr));
        if (isa<llvm::PHINode>(instr))
            continue;
        m_recorder.recordDebugValues(instr);
        if (!m_analysis.isFolded(instr)) {
            size_t begin = m_code.size();
            lowerInstruction(instr);
            m_flows.describe(instr, begin);
            m_patterns.note(instr);
        }
        m_registers.release(instr);
    }
    m_values.endBlock();
}

void FunctionLowering::lowerInstruction(llvm::Instruction& instr)
{
    switch (instr.getOpcode()) {
    case llvm::Instruction::Alloca:
        return m_storage.reach(cast<llvm::AllocaInst>(instr));
    case llvm::Instruction::Fence:
        return emitFence(instr, cast<llvm::FenceInst>(instr).getSyncScopeID() == blockScope(instr.getContext()));
    case llvm::Instruction::GetElementPtr:
        return lowerAddress(cast<llvm::GetElementPtrInst>(instr));
    case llvm::Instruction::Load:
        return lowerLoad(cast<llvm::LoadInst>(instr));
    case llvm::Instruction::Store:
        return lowerStore(cast<llvm::StoreInst>(instr));
    case llvm::Instruction::AtomicRMW:
        return lowerAtomicRmw(cast<llvm::AtomicRMWInst>(instr));
    case llvm::Instruction::AtomicCmpXchg:
        return lowerCompareExchange(cast<llvm::AtomicCmpXchgInst>(instr));
    case llvm::Instruction::ICmp:
    case llvm::Instruction::FCmp:
        if (lowerWideInteger(instr))
            return;
        return lowerCompare(cast<llvm::CmpInst>(instr));
    case llvm::Instruction::Select:
        return lowerSelect(cast<llvm::SelectInst>(instr));
    case llvm::Instruction::FNeg:
        return lowerUnary(cast<llvm::UnaryOperator>(instr));
    case llvm::Instruction::Freeze:
        return m_values.define(instr, m_values.parts(instr.getOperand(0)));
    case llvm::Instruction::ExtractValue:
    case llvm::Instruction::InsertValue:
    case llvm::Instruction::ExtractElement:
    case llvm::Instruction::InsertElement:
    case llvm::Instruction::ShuffleVector:
        return lowerAggregate(instr);
    case llvm::Instruction::Call:
        return lowerCall(cast<llvm::CallInst>(instr));
    case llvm::Instruction::Br:
        return lowerBranch(cast<llvm::BranchInst>(instr));
    case llvm::Instruction::Switch:
        return lowerSwitch(cast<llvm::SwitchInst>(instr));
    case llvm::Instruction::Ret:
        return lowerReturn(cast<llvm::ReturnInst>(instr));
    case llvm::Instruction::Unreachable: {
        static const Trap kUnreachable{
            FindingKind::AssertFailed,
            "the kernel came to where, by the rules of the language, it cannot come: a null pointer that "
            "is used, or the end of a function that returns a value, lead there"};
        lowerTrap(instr, kUnreachable);
        return;
    }
    default:
        break;
    }
    if (lowerWideInteger(instr))
        return;
    if (auto* binary = dyn_cast<llvm::BinaryOperator>(&instr))
        return lowerBinary(*binary);
    if (auto* conversion = dyn_cast<llvm::CastInst>(&instr))
        return lowerCast(*conversion);
    throw Unsupported{"the instruction '" + describe(instr) + "'", &instr};
}

/// \p blockOnly: other blocks need not see in order what comes before it.
void FunctionLowering::emitFence(const llvm::Instruction& where, bool blockOnly)
{
    // Blocks that hand data over take turns, so that what they find does not depend on the host.
    m_builder.program().needsOneHostThread |= !blockOnly;
    m_builder.program().hasFences = true;
    m_code.emit(runFence, &where).imm = static_cast<uint64_t>(blockOnly ? SyncScope::Block : SyncScope::Device);
}

}  // namespace lanescope::simt
