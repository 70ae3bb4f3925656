// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/ir/uniformity.h"

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
        if (variable && m_promoted.contains(variable) &&
            (!isUniform(store->getValueOperand()) || m_region.contains(instr.getParent())))
            changed |= mark(variable);
        return changed;
    }
    if (instr.isTerminator())
        return markBranch(instr);
    if (isUniform(&instr) && (isDivergent(instr) || escapesRegion(instr)))
        changed |= mark(&instr);
    return changed;
}

bool Uniformity::isDivergent(llvm::Instruction& instr) const
{
    if (auto* phi = dyn_cast<llvm::PHINode>(&instr))
        return isDivergentPhi(*phi);
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

bool Uniformity::isDivergentPhi(llvm::PHINode& phi) const
{
    for (const llvm::Use& incoming : phi.incoming_values())
        if (!isUniform(incoming.get()))
            return true;
    if (m_region.contains(phi.getParent()))
        return true;
    for (const llvm::BasicBlock* predecessor : phi.blocks())
        if (m_region.contains(predecessor) || m_divergentBranches.contains(predecessor->getTerminator()))
            return true;
    return false;
}

bool Uniformity::escapesRegion(llvm::Instruction& instr) const
{
    if (!m_region.contains(instr.getParent()) || isa<llvm::AllocaInst>(instr))
        return false;
    for (const llvm::User* user : instr.users())
        if (const auto* other = dyn_cast<llvm::Instruction>(user))
            if (other->getParent() != instr.getParent() || isa<llvm::PHINode>(other))
                return true;
    return false;
}

bool Uniformity::markBranch(llvm::Instruction& terminator)
{
    if (terminator.getNumSuccessors() < 2 || m_divergentBranches.contains(&terminator))
        return false;
    if (isUniform(terminator.getOperand(0)))
        return false;
    m_divergentBranches.insert(&terminator);
    const auto* node = m_postDominators.getNode(terminator.getParent());
    const llvm::BasicBlock* end = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
    llvm::SmallVector<const llvm::BasicBlock*> work;
    for (unsigned i = 0; i < terminator.getNumSuccessors(); ++i)
        work.push_back(terminator.getSuccessor(i));
    llvm::DenseSet<const llvm::BasicBlock*> seen;
    while (!work.empty()) {
        const llvm::BasicBlock* block = work.pop_back_val();
        if (block == end || !seen.insert(block).second)
            continue;
        m_region.insert(block);
        const llvm::Instruction* last = block->getTerminator();
        for (unsigned i = 0; i < last->getNumSuccessors(); ++i)
            work.push_back(last->getSuccessor(i));
    }
    return true;
}

}  // namespace lanescope::simt
