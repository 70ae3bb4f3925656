// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/lower/function_lowering.h"

#include <algorithm>

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "core/simt/lower/fusion.h"
#include "core/simt/lower/operations_of.h"
#include "core/simt/machine/handlers.h"
#include "core/simt/ptx/sync_scope.h"

namespace lanescope::simt {

using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;

namespace {

bool isDouble(const llvm::Value* value)
{
    return value->getType()->getScalarType()->isDoubleTy();
}

/// Whether \p instr would tell a subnormal double from 0.
bool computesInDouble(const llvm::Instruction& instr)
{
    if (isa<llvm::FPExtInst>(instr) ||
        !(isa<llvm::BinaryOperator>(instr) || isa<llvm::UnaryOperator>(instr) || isa<llvm::CmpInst>(instr) ||
          isa<llvm::CastInst>(instr) || isa<llvm::CallBase>(instr)))
        return false;
    return isDouble(&instr) ||
           std::ranges::any_of(instr.operands(), [](const llvm::Use& use) { return isDouble(use); });
}

/// What \p function says of subnormal numbers: clang's attribute for -fgpu-flush-denormals-to-zero.
void noteSubnormals(const llvm::Function& function, Program& program)
{
    const llvm::DenormalMode mode = function.getDenormalMode(llvm::APFloat::IEEEsingle());
    program.flushesSubnormals |= mode.Output == llvm::DenormalMode::PreserveSign;
    program.computesInDouble |= std::ranges::any_of(llvm::instructions(function),
                                                    [](const llvm::Instruction& i) { return computesInDouble(i); });
}

}  // namespace

FunctionLowering::FunctionLowering(ProgramBuilder& builder, llvm::Function& function, bool isKernel,
                                   const std::vector<Parts>& parameters, Parts result)
    : m_context(builder, function, isKernel, parameters), m_marks(m_context.analysis, builder.program()),
      m_patterns(m_context), m_flows(m_context), m_matrices(builder, m_context.analysis),
      m_recorder(m_context, m_matrices), m_storage(m_context),
      m_shapes(function, builder.program(), m_context.code, builder.handlers()), m_accesses(m_context, m_shapes),
      m_lanes(m_context), m_arithmetic(m_context, m_lanes),
      m_memory(m_context, m_shapes, m_accesses, m_patterns, m_flows, m_recorder, m_matrices),
      m_atomics(m_context, m_accesses), m_warp(m_context, m_marks, m_accesses, m_matrices),
      m_control(m_context, m_storage, m_marks, std::move(result)),
      m_calls(m_context, m_storage, m_recorder, m_lanes, m_memory, m_warp)
{
}

const Instr* FunctionLowering::lower()
{
    llvm::Function& function = m_context.analysis.function();
    noteSubnormals(function, m_context.builder.program());
    for (const llvm::BasicBlock& block : function)
        for (const llvm::Instruction& instr : block)
            if (const auto* alloca = dyn_cast<llvm::AllocaInst>(&instr))
                m_storage.place(*alloca);
    m_control.placeBlocks();
    // Definitions come before uses in this order, whatever the order in the file; unreachable blocks drop out.
    for (llvm::BasicBlock* block : llvm::ReversePostOrderTraversal<llvm::Function*>(&function))
        lowerBlock(*block);
    const Instr* entry = m_control.finish();
    Program& program = m_context.builder.program();
    fuse(program.code.back(), m_context.builder.handlers().fused, program.productRows);
    fusePairs(program.code.back(), m_context.builder.handlers().pairs);
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
    if (!m_context.analysis.isKernel()) {
        m_storage.enterFrame();
        m_storage.beginObjects();
    }
    for (const llvm::Argument& argument : m_context.analysis.function().args())
        m_patterns.note(argument);
}

/// The block says how often it was run, so that the trace tells how often its operations were.
void FunctionLowering::countRuns(const llvm::BasicBlock& block)
{
    std::vector<CountedOperations> operations = operationsOf(block, m_context.sites);
    if (operations.empty())
        return;
    std::vector<std::vector<CountedOperations>>& all = m_context.builder.program().operations;
    m_context.code.emit(runCountRun, nullptr).a = static_cast<uint32_t>(all.size());
    all.push_back(std::move(operations));
}

void FunctionLowering::lowerBlock(llvm::BasicBlock& block)
{
    m_control.beginBlock(block);
    if (m_context.builder.options().record)
        countRuns(block);
    for (const llvm::PHINode& phi : block.phis())
        m_patterns.note(phi);
    if (block.isEntryBlock())
        beginFunction();
    m_recorder.beginBlock(block);
    for (llvm::Instruction& instr : block) {
        m_context.code.count(flopsOf(instr));
        if (isa<llvm::PHINode>(instr))
            continue;
        m_storage.passScopes(instr);
        m_recorder.recordDebugValues(instr);
        if (!m_context.analysis.isFolded(instr)) {
            size_t begin = m_context.code.size();
            lowerInstruction(instr);
            m_flows.describe(instr, begin);
            m_patterns.note(instr);
        }
        m_context.registers.release(instr);
    }
    m_context.values.endBlock();
}

namespace {

SyncScope scopeOf(const llvm::FenceInst& fence)
{
    if (fence.getSyncScopeID() == blockScope(fence.getContext()))
        return SyncScope::Block;
    return fence.getSyncScopeID() == clusterScope(fence.getContext()) ? SyncScope::Cluster : SyncScope::Device;
}

}  // namespace

void FunctionLowering::lowerInstruction(llvm::Instruction& instr)
{
    switch (instr.getOpcode()) {
    case llvm::Instruction::Alloca:
        return m_storage.reach(cast<llvm::AllocaInst>(instr));
    case llvm::Instruction::Fence:
        return m_warp.lowerFence(instr, scopeOf(cast<llvm::FenceInst>(instr)));
    case llvm::Instruction::GetElementPtr:
        return m_memory.lowerAddress(cast<llvm::GetElementPtrInst>(instr));
    case llvm::Instruction::Load:
        return m_memory.lowerLoad(cast<llvm::LoadInst>(instr));
    case llvm::Instruction::Store:
        return m_memory.lowerStore(cast<llvm::StoreInst>(instr));
    case llvm::Instruction::AtomicRMW:
        return m_atomics.lowerUpdate(cast<llvm::AtomicRMWInst>(instr));
    case llvm::Instruction::AtomicCmpXchg:
        return m_atomics.lowerCompareExchange(cast<llvm::AtomicCmpXchgInst>(instr));
    case llvm::Instruction::ICmp:
    case llvm::Instruction::FCmp:
        if (m_lanes.lowerWideInteger(instr))
            return;
        return m_arithmetic.lowerCompare(cast<llvm::CmpInst>(instr));
    case llvm::Instruction::Select:
        return m_arithmetic.lowerSelect(cast<llvm::SelectInst>(instr));
    case llvm::Instruction::FNeg:
        return m_arithmetic.lowerUnary(cast<llvm::UnaryOperator>(instr));
    case llvm::Instruction::Freeze:
        return m_context.values.define(instr, m_context.values.parts(instr.getOperand(0)));
    case llvm::Instruction::ExtractValue:
    case llvm::Instruction::InsertValue:
    case llvm::Instruction::ExtractElement:
    case llvm::Instruction::InsertElement:
    case llvm::Instruction::ShuffleVector:
        return m_arithmetic.lowerAggregate(instr);
    case llvm::Instruction::Call:
        return m_calls.lower(cast<llvm::CallInst>(instr));
    case llvm::Instruction::Br:
        return m_control.lowerBranch(cast<llvm::BranchInst>(instr));
    case llvm::Instruction::Switch:
        return m_control.lowerSwitch(cast<llvm::SwitchInst>(instr));
    case llvm::Instruction::Ret:
        return m_control.lowerReturn(cast<llvm::ReturnInst>(instr));
    case llvm::Instruction::Unreachable: {
        static const Trap kUnreachable{
            FindingKind::AssertFailed,
            "the kernel came to where, by the rules of the language, it cannot come: a null pointer that "
            "is used, or the end of a function that returns a value, lead there"};
        m_warp.lowerTrap(instr, kUnreachable);
        return;
    }
    default:
        break;
    }
    if (m_lanes.lowerWideInteger(instr))
        return;
    if (auto* binary = dyn_cast<llvm::BinaryOperator>(&instr))
        return m_arithmetic.lowerBinary(*binary);
    if (auto* conversion = dyn_cast<llvm::CastInst>(&instr))
        return m_arithmetic.lowerCast(*conversion);
    throw Unsupported{"the instruction '" + describe(instr) + "'", &instr};
}

}  // namespace lanescope::simt
