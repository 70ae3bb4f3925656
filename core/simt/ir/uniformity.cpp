// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/ir/uniformity.h"

#include <algorithm>

#include <llvm/IR/CFG.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

namespace lanescope::simt {
namespace {

using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;

bool isUniformIntrinsic(llvm::StringRef name, bool wholeRows)
{
    if (name == "llvm.nvvm.read.ptx.sreg.tid.y" || name == "llvm.nvvm.read.ptx.sreg.tid.z")
        return wholeRows;
    return name.starts_with("llvm.nvvm.read.ptx.sreg.ctaid") || name.starts_with("llvm.nvvm.read.ptx.sreg.ntid") ||
           name.starts_with("llvm.nvvm.read.ptx.sreg.nctaid") ||
           name.starts_with("llvm.nvvm.read.ptx.sreg.cluster.nctaid") || name == "__ls_explicit_cluster" ||
           name.starts_with("llvm.nvvm.read.ptx.sreg.warpsize");
}

/// Intrinsics whose result depends on their operands alone.
bool isPureIntrinsic(const llvm::CallInst& call)
{
    const auto* intrinsic = dyn_cast<llvm::IntrinsicInst>(&call);
    return intrinsic && call.doesNotAccessMemory() && !call.isConvergent() &&
           !intrinsic->getCalledFunction()->getName().starts_with("llvm.nvvm.read");
}

bool isSharedSpace(unsigned addressSpace)
{
    return addressSpace == 1 || addressSpace == 3 || addressSpace == 4;
}

bool onlyHoldsShared(const llvm::AllocaInst* variable, const llvm::DenseSet<const llvm::AllocaInst*>& promoted,
                     bool isKernel, int depth);

bool pointsToShared(const llvm::Value* pointer, const llvm::DenseSet<const llvm::AllocaInst*>& promoted, bool isKernel,
                    int depth)
{
    constexpr int kDeepest = 12;
    if (depth > kDeepest)
        return false;
    if (pointer->getType()->isPointerTy() && isSharedSpace(pointer->getType()->getPointerAddressSpace()))
        return true;
    if (const auto* argument = dyn_cast<llvm::Argument>(pointer))
        return isKernel && !argument->hasByValAttr();
    if (const auto* op = dyn_cast<llvm::Operator>(pointer)) {
        unsigned opcode = op->getOpcode();
        if (opcode == llvm::Instruction::GetElementPtr || opcode == llvm::Instruction::AddrSpaceCast ||
            opcode == llvm::Instruction::BitCast)
            return pointsToShared(op->getOperand(0), promoted, isKernel, depth + 1);
    }
    if (const auto* load = dyn_cast<llvm::LoadInst>(pointer))
        if (const auto* variable = dyn_cast<llvm::AllocaInst>(load->getPointerOperand()))
            return promoted.contains(variable) && onlyHoldsShared(variable, promoted, isKernel, depth + 1);
    return isa<llvm::GlobalVariable>(pointer);
}

bool onlyHoldsShared(const llvm::AllocaInst* variable, const llvm::DenseSet<const llvm::AllocaInst*>& promoted,
                     bool isKernel, int depth)
{
    for (const llvm::User* user : variable->users())
        if (const auto* store = dyn_cast<llvm::StoreInst>(user))
            if (!pointsToShared(store->getValueOperand(), promoted, isKernel, depth))
                return false;
    return true;
}

}  // namespace

bool pointsToSharedByLanes(const llvm::Value* pointer, const llvm::DenseSet<const llvm::AllocaInst*>& promoted,
                           bool isKernel)
{
    return pointsToShared(pointer, promoted, isKernel, 0);
}

Uniformity::Uniformity(llvm::Function& function, const llvm::DenseSet<const llvm::AllocaInst*>& promoted,
                       const llvm::PostDominatorTree& postDominators, bool isKernel, bool isRecursive, bool wholeRows)
    : m_promoted(promoted), m_postDominators(postDominators), m_isKernel(isKernel), m_wholeRows(wholeRows)
{
    if (!isKernel)
        for (llvm::Argument& argument : function.args())
            mark(&argument);
    if (isRecursive)
        for (llvm::BasicBlock& block : function)
            for (llvm::Instruction& instr : block)
                mark(&instr);
    for (bool changed = true; changed;) {
        changed = false;
        for (llvm::BasicBlock& block : function)
            for (llvm::Instruction& instr : block)
                changed |= visit(instr);
    }
}

bool Uniformity::visit(llvm::Instruction& instr)
{
    bool changed = false;
    if (auto* store = dyn_cast<llvm::StoreInst>(&instr)) {
        auto* variable = dyn_cast<llvm::AllocaInst>(store->getPointerOperand());
        if (variable && m_promoted.contains(variable) && !isUniform(store->getValueOperand()))
            changed |= mark(variable);
        return changed;
    }
    if (instr.isTerminator())
        return markBranch(instr);
    if (isUniform(&instr) && isDivergent(instr))
        changed |= mark(&instr);
    return changed;
}

bool Uniformity::isDivergent(llvm::Instruction& instr) const
{
    if (auto* load = dyn_cast<llvm::LoadInst>(&instr))
        return isDivergentLoad(*load);
    if (isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(instr))
        return true;
    if (const auto* alloca = dyn_cast<llvm::AllocaInst>(&instr))
        return !alloca->isStaticAlloca();  // a static one is an address: the same number in every lane
    if (auto* call = dyn_cast<llvm::CallInst>(&instr)) {
        const llvm::Function* callee = call->getCalledFunction();
        if (callee && isUniformIntrinsic(callee->getName(), m_wholeRows))
            return false;
        if (!isPureIntrinsic(*call))
            return true;
        for (const llvm::Use& argument : call->args())
            if (!isUniform(argument.get()))
                return true;
        return false;
    }
    for (const llvm::Use& operand : instr.operands())
        if (!isUniform(operand.get()))
            return true;
    return false;
}

bool Uniformity::isDivergentLoad(llvm::LoadInst& load) const
{
    const llvm::Value* pointer = load.getPointerOperand();
    if (const auto* variable = dyn_cast<llvm::AllocaInst>(pointer); variable && m_promoted.contains(variable))
        return !isUniform(variable);
    if (load.isVolatile() || !load.getType()->isSingleValueType() || load.getType()->isVectorTy())
        return true;
    return !isUniform(pointer) || !pointsToSharedByLanes(pointer, m_promoted, m_isKernel);
}

namespace {

using Blocks = llvm::DenseSet<const llvm::BasicBlock*>;

/// The blocks that can be reached from behind \p block without going through \p end; null: all.
Blocks reachableFrom(const llvm::BasicBlock& block, const llvm::BasicBlock* end)
{
    Blocks seen;
    llvm::SmallVector<const llvm::BasicBlock*> work(llvm::successors(&block));
    while (!work.empty()) {
        const llvm::BasicBlock* next = work.pop_back_val();
        if (next != end && seen.insert(next).second)
            work.append(llvm::succ_begin(next), llvm::succ_end(next));
    }
    return seen;
}

bool isIn(const Blocks& region, const llvm::Value& value)
{
    const auto* instr = dyn_cast<llvm::Instruction>(&value);
    return instr && region.contains(instr->getParent());
}

/// Whether \p instr, which is in the region, is what a variable of the source is behind it.
bool isShownBehind(const Blocks& region, llvm::Instruction& instr)
{
    if (!instr.isUsedByMetadata())
        return false;
    llvm::SmallVector<llvm::DbgValueInst*> calls;
    llvm::SmallVector<llvm::DbgVariableRecord*> records;
    llvm::findDbgValues(calls, &instr, &records);
    const auto isBehind = [&](const auto* use) { return !region.contains(use->getParent()); };
    return std::ranges::any_of(calls, isBehind) || std::ranges::any_of(records, isBehind);
}

/// Whether it is used there. What a phi merges is used at the end of the block that it comes from.
bool isUsedBehind(const Blocks& region, llvm::Instruction& instr)
{
    if (isShownBehind(region, instr))
        return true;
    for (const llvm::Use& use : instr.uses()) {
        const auto* phi = dyn_cast<llvm::PHINode>(use.getUser());
        if (!region.contains(phi ? phi->getIncomingBlock(use) : cast<llvm::Instruction>(use.getUser())->getParent()))
            return true;
    }
    return false;
}

/// Whether lanes that come to \p phi out of the region, or from the branch itself, bring different values.
bool mergesDifferent(const Blocks& region, const llvm::BasicBlock& from, const llvm::PHINode& phi)
{
    const llvm::Value* first = nullptr;
    for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
        const llvm::BasicBlock* block = phi.getIncomingBlock(i);
        if (block != &from && !region.contains(block))
            continue;
        const llvm::Value* value = phi.getIncomingValue(i);
        if ((first && value != first) || isIn(region, *value))
            return true;
        first = value;
    }
    return false;
}

/// Whether the variable, where it is stored in the region, is read nowhere else, and never again once lanes have met.
bool staysIn(const Blocks& region, const llvm::AllocaInst& variable, bool mayComeAgain)
{
    const auto isStored = [&](const llvm::User* user) { return isa<llvm::StoreInst>(user) && isIn(region, *user); };
    const auto isReadBehind = [&](const llvm::User* user) { return isa<llvm::LoadInst>(user) && !isIn(region, *user); };
    return std::ranges::none_of(variable.users(), isStored) ||
           (!mayComeAgain && std::ranges::none_of(variable.users(), isReadBehind));
}

}  // namespace

void Uniformity::markCarried(const Blocks& region, const llvm::BasicBlock& from, llvm::BasicBlock& meet)
{
    for (llvm::BasicBlock& block : *meet.getParent())
        for (llvm::Instruction& instr : block)
            if (region.contains(&block) && isUniform(&instr) && !isa<llvm::AllocaInst>(instr) &&
                isUsedBehind(region, instr))
                mark(&instr);
    for (const llvm::PHINode& phi : meet.phis())
        if (isUniform(&phi) && mergesDifferent(region, from, phi))
            mark(&phi);
    if (m_promoted.empty())
        return;
    const bool mayComeAgain = reachableFrom(meet, nullptr).contains(&from);
    for (const llvm::AllocaInst* variable : m_promoted)
        if (isUniform(variable) && !staysIn(region, *variable, mayComeAgain))
            mark(variable);
}

bool Uniformity::markBranch(const llvm::Instruction& terminator)
{
    if (terminator.getNumSuccessors() < 2 || isUniform(terminator.getOperand(0)) ||
        !m_divergentBranches.insert(&terminator).second)
        return false;
    // Lanes that do not meet again leave the function apart.
    const llvm::BasicBlock& from = *terminator.getParent();
    const auto* node = m_postDominators.getNode(&from);
    if (llvm::BasicBlock* meet = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr)
        markCarried(reachableFrom(from, meet), from, *meet);
    return true;
}

}  // namespace lanescope::simt
