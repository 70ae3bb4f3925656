// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Labels and branches inside an inline assembly statement. Between its blocks registers are kept in variables, which
// become values again when all blocks are there.
#include <algorithm>
#include <set>

#include <llvm/IR/Dominators.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include "core/simt/ptx/ptx_translator.h"

namespace lanescope::simt {

bool PtxTranslator::hasBranches() const
{
    return std::any_of(m_text.statements.begin(), m_text.statements.end(),
                       [](const PtxStatement& each) { return !each.label.empty() || each.opcode.front() == "bra"; });
}

/// One for each register that the statement may write. Every branch has somewhere to go, or nothing is changed.
void PtxTranslator::makeSlots()
{
    std::set<std::string> labels;
    for (const PtxStatement& each : m_text.statements)
        if (!each.label.empty() && !labels.insert(each.label).second)
            throw UnknownPtx{"label '" + each.label + "', which is there twice"};
    for (const PtxStatement& each : m_text.statements)
        if (each.label.empty() && each.opcode.front() == "bra" &&
            (each.operands.size() != 1 || !labels.contains(each.operands[0].name)))
            throw UnknownPtx{"branch to a label that is not in the same statement"};
    llvm::BasicBlock& entry = m_call.getFunction()->getEntryBlock();
    llvm::IRBuilder<> build(&entry, entry.begin());
    for (const auto& [name, type] : m_types) {
        const bool isInput = name.starts_with("$") && std::ranges::find(m_outputs, name) == m_outputs.end();
        if (!isInput)
            m_slots[name] = build.CreateAlloca(type);
    }
}

void PtxTranslator::leaveBlock()
{
    storeCarry();
    for (const auto& [name, slot] : m_slots)
        m_build.CreateStore(m_values.at(name), slot);
}

/// Behind a branch to it, which is the result.
llvm::Instruction* PtxTranslator::beginBlock()
{
    llvm::BasicBlock* before = m_call.getParent();
    before->splitBasicBlock(&m_call);
    m_build.SetInsertPoint(&m_call);
    for (const auto& [name, slot] : m_slots)
        m_values[name] = m_build.CreateLoad(slot->getAllocatedType(), slot);
    return before->getTerminator();
}

void PtxTranslator::label(const PtxStatement& s)
{
    leaveBlock();
    beginBlock();
    m_labels[s.label] = m_call.getParent();
}

/// Both ways lead to the next statement until all labels have their places.
void PtxTranslator::branch(const PtxStatement& s)
{
    llvm::Value* condition = s.predicate.empty() ? m_build.getTrue() : guardOf(s);
    leaveBlock();
    llvm::Instruction* fallsThrough = beginBlock();
    llvm::BasicBlock* next = m_call.getParent();
    auto* jump = llvm::BranchInst::Create(next, next, condition);
    jump->setDebugLoc(m_call.getDebugLoc());
    llvm::ReplaceInstWithInst(fallsThrough, jump);
    m_jumps.emplace_back(jump, s.operands[0].name);
}

void PtxTranslator::connectBranches(llvm::Function& function, const llvm::BasicBlock& end)
{
    std::vector<llvm::BasicBlock*> skipped;
    for (const auto& [jump, label] : m_jumps) {
        llvm::BasicBlock* next = jump->getSuccessor(1);
        jump->setSuccessor(0, m_labels.at(label));
        if (!llvm::isa<llvm::Constant>(jump->getCondition()))
            continue;
        auto* always = llvm::BranchInst::Create(m_labels.at(label));
        always->setDebugLoc(jump->getDebugLoc());
        llvm::ReplaceInstWithInst(jump, always);
        skipped.push_back(next);
    }
    // What stands behind a branch that is always taken, unless a label or the end of the statement is there.
    for (llvm::BasicBlock* block : skipped)
        if (block != &end && llvm::pred_empty(block))
            llvm::DeleteDeadBlock(block);
    std::vector<llvm::AllocaInst*> variables;
    for (const auto& [name, slot] : m_slots)
        variables.push_back(slot);
    llvm::DominatorTree dominators(function);
    llvm::PromoteMemToReg(variables, dominators);
}

}  // namespace lanescope::simt
