// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/lower/function_analysis.h"

#include <algorithm>

#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/IntrinsicInst.h>

namespace lanescope::simt {

using llvm::cast;
using llvm::dyn_cast;
using llvm::dyn_cast_or_null;
using llvm::isa;

namespace {

bool isPromotable(const llvm::AllocaInst& alloca)
{
    llvm::Type* type = alloca.getAllocatedType();
    if (alloca.isArrayAllocation() || !((type->isIntegerTy() && type->getIntegerBitWidth() <= 64) ||
                                        type->isFloatTy() || type->isDoubleTy() || type->isPointerTy()))
        return false;
    return std::all_of(alloca.user_begin(), alloca.user_end(), [&](const llvm::User* user) {
        if (const auto* load = dyn_cast<llvm::LoadInst>(user))
            return load->getType() == type && !load->isVolatile();
        if (const auto* store = dyn_cast<llvm::StoreInst>(user))
            return store->getPointerOperand() == &alloca && store->getValueOperand()->getType() == type &&
                   !store->isVolatile();
        const auto* intrinsic = dyn_cast<llvm::IntrinsicInst>(user);
        return intrinsic && intrinsic->isLifetimeStartOrEnd();
    });
}

llvm::DenseSet<const llvm::AllocaInst*> promotableIn(const llvm::Function& function)
{
    llvm::DenseSet<const llvm::AllocaInst*> promotable;
    for (const llvm::BasicBlock& block : function)
        for (const llvm::Instruction& instr : block)
            if (const auto* alloca = dyn_cast<llvm::AllocaInst>(&instr); alloca && isPromotable(*alloca))
                promotable.insert(alloca);
    return promotable;
}

}  // namespace

FunctionAnalysis::FunctionAnalysis(llvm::Function& function, bool isKernel, bool isRecursive, Purpose purpose)
    : m_function(function), m_isKernel(isKernel), m_purpose(purpose), m_isRecursive(isRecursive),
      m_postDominators(function), m_promoted(promotableIn(function)),
      m_uniformity(function, m_promoted, m_postDominators, isKernel, isRecursive, purpose.wholeRows)
{
    findDeclarations();
    findUses();
    findJoins();
}

void FunctionAnalysis::findDeclarations()
{
    for (llvm::BasicBlock& block : m_function)
        for (llvm::Instruction& instr : block)
            for (llvm::DbgVariableRecord& record : llvm::filterDbgVars(instr.getDbgRecordRange()))
                if (record.isDbgDeclare())
                    if (auto* alloca = dyn_cast_or_null<llvm::AllocaInst>(record.getAddress());
                        alloca && m_promoted.contains(alloca))
                        m_declarations[alloca] = {record.getVariable(), record.getDebugLoc().get()};
}

const llvm::AllocaInst* FunctionAnalysis::promoted(const llvm::Value* pointer) const
{
    const auto* alloca = dyn_cast<llvm::AllocaInst>(pointer);
    return alloca && m_promoted.contains(alloca) ? alloca : nullptr;
}

namespace {

/// Whether it widens a word without changing its value.
bool isWidenedIndex(const llvm::Instruction& instr)
{
    const bool widens = isa<llvm::SExtInst>(instr) || (isa<llvm::ZExtInst>(instr) && instr.hasNonNeg());
    return widens && instr.getOperand(0)->getType()->isIntegerTy(32) && instr.getType()->isIntegerTy(64);
}

}  // namespace

bool FunctionAnalysis::isFoldedAddress(const llvm::Instruction& instr) const
{
    const bool isIndex = isWidenedIndex(instr);
    if (!isIndex && !isa<llvm::GetElementPtrInst, llvm::AddrSpaceCastInst>(instr))
        return false;
    if (instr.getType()->isVectorTy() || instr.use_empty())
        return false;
    return std::all_of(instr.user_begin(), instr.user_end(), [&](const llvm::User* user) {
        const auto* other = dyn_cast<llvm::Instruction>(user);
        if (!other || other->getParent() != instr.getParent())
            return false;
        if (const auto* gep = dyn_cast<llvm::GetElementPtrInst>(other))
            return instr.hasOneUse() && isFoldedAddress(*gep);
        if (isIndex)
            return false;
        if (const auto* load = dyn_cast<llvm::LoadInst>(other))
            return !load->getType()->isAggregateType() && instr.hasOneUse();
        const auto* store = dyn_cast<llvm::StoreInst>(other);
        return store && store->getPointerOperand() == &instr && instr.hasOneUse();
    });
}

/// An address of nothing but one value that differs between lanes and what is the same in all, for several loads and
/// stores. Made where it is used it costs next to nothing, and all go by that one value's pattern; in registers, each
/// would have one to be written, and its pattern noted, by every warp. Where values are recorded: of constants and one
/// value, for accesses elsewhere.
bool FunctionAnalysis::isSharedAddress(const llvm::Instruction& instr) const
{
    const auto* gep = dyn_cast<llvm::GetElementPtrInst>(&instr);
    if (!gep || gep->getType()->isVectorTy() || isa<llvm::AllocaInst>(gep->getPointerOperand()))
        return false;
    const bool isWide = !m_purpose.records && isUniform(*gep->getPointerOperand());
    bool varies = !isa<llvm::Constant>(gep->getPointerOperand()) && !isUniform(*gep->getPointerOperand());
    for (const llvm::Use& index : gep->indices()) {
        if (isa<llvm::Constant>(index) || (isWide && isUniform(*index)))
            continue;
        if (varies || isUniform(*index))
            return false;
        varies = true;
    }
    if (isWide && !varies)
        return isSharedBase(*gep);
    bool elsewhere = false;
    for (const llvm::User* user : gep->users()) {
        const auto* load = dyn_cast<llvm::LoadInst>(user);
        const auto* store = dyn_cast<llvm::StoreInst>(user);
        const auto* part = dyn_cast<llvm::GetElementPtrInst>(user);
        const bool isPart = isWide && part && part->hasAllConstantIndices() && isFoldedAddress(*part);
        if (!(load && !load->getType()->isAggregateType()) && !(store && store->getValueOperand() != gep) && !isPart)
            return false;
        elsewhere |= cast<llvm::Instruction>(user)->getParent() != gep->getParent();
    }
    return elsewhere || (isWide && !gep->hasOneUse() && !gep->use_empty());
}

/// Whether it is the same in all lanes and only what other addresses are made of: these then have a pointer in common.
bool FunctionAnalysis::isSharedBase(const llvm::GetElementPtrInst& gep) const
{
    return m_promoted.empty() && !gep.use_empty() && gep.getNumIndices() == 1 &&
           std::ranges::all_of(gep.users(), [&](const llvm::User* user) {
               const auto* part = dyn_cast<llvm::GetElementPtrInst>(user);
               return part && part->getPointerOperand() == &gep && !isUniform(*part) && isSharedAddress(*part);
           });
}

/// Whether it widens an index without changing its value, for addresses that are folded.
bool FunctionAnalysis::isWidenedShared(const llvm::Instruction& instr) const
{
    const auto isOnlyIndex = [&](const llvm::GetElementPtrInst& gep) {
        return gep.getPointerOperand() != &instr && std::ranges::all_of(gep.indices(), [&](const llvm::Use& index) {
                   return index == &instr || isa<llvm::Constant>(index);
               });
    };
    return isWidenedIndex(instr) && std::ranges::all_of(instr.users(), [&](const llvm::User* user) {
               const auto* gep = dyn_cast<llvm::GetElementPtrInst>(user);
               return gep && isOnlyIndex(*gep) && (isFoldedAddress(*gep) || isSharedAddress(*gep));
           });
}

/// Whether it adds what is the same in all lanes to what is not, for indexes that are folded. It must not wrap around.
bool FunctionAnalysis::isSumShared(const llvm::Instruction& instr) const
{
    const auto* sum = dyn_cast<llvm::OverflowingBinaryOperator>(&instr);
    const bool isSum =
        sum && (sum->getOpcode() == llvm::Instruction::Add || sum->getOpcode() == llvm::Instruction::Sub);
    if (!isSum || !sum->hasNoSignedWrap() || !instr.getType()->isIntegerTy(32) ||
        isUniform(*instr.getOperand(0)) == isUniform(*instr.getOperand(1)) ||
        (sum->getOpcode() == llvm::Instruction::Sub && isUniform(*instr.getOperand(0))))
        return false;
    return std::ranges::all_of(instr.users(), [&](const llvm::User* user) {
        const auto* other = cast<llvm::Instruction>(user);
        return isWidenedShared(*other) || isSumShared(*other);
    });
}

/// An index of addresses that are folded, or a part of one. Not where values are recorded, nor before variables have
/// become values: what a debugger shows of an index that wraps around is then what is accessed.
bool FunctionAnalysis::isSharedIndex(const llvm::Instruction& instr) const
{
    return !m_purpose.records && m_promoted.empty() && !instr.use_empty() && !isUniform(instr) &&
           (isWidenedShared(instr) || isSumShared(instr));
}

void FunctionAnalysis::findUses()
{
    for (llvm::BasicBlock& block : m_function) {
        unsigned order = 0;
        for (llvm::Instruction& instr : block)
            m_order[&instr] = order++;
        for (llvm::Instruction& instr : llvm::reverse(block)) {
            const llvm::Instruction* last = &instr;
            bool local = true;
            for (const llvm::User* user : instr.users()) {
                const auto* other = cast<llvm::Instruction>(user);
                local &= other->getParent() == &block && !isa<llvm::PHINode>(other) && !isSharedAddress(*other) &&
                         !isSharedIndex(*other);
                if (!local)
                    break;
                // A folded user works where its own user stands.
                const llvm::Instruction* at =
                    isFoldedAddress(*other) && m_lastUse.count(other) ? m_lastUse[other] : other;
                if (m_order[at] > m_order[last])
                    last = at;
            }
            if (local)
                m_lastUse[&instr] = last;
        }
    }
}

const llvm::BasicBlock* FunctionAnalysis::joinBehind(const llvm::BasicBlock& block) const
{
    const auto* node = m_postDominators.getNode(&block);
    return node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
}

void FunctionAnalysis::findJoins()
{
    for (const llvm::BasicBlock& block : m_function)
        if (m_uniformity.mayDiverge(block.getTerminator()))
            if (const llvm::BasicBlock* join = joinBehind(block))
                m_joins.insert(join);
}

}  // namespace lanescope::simt
