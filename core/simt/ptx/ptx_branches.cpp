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

/// Every branch has somewhere to go, or nothing is changed.
void PtxTranslator::findLabels()
{
    std::set<std::string> labels;
    for (const PtxStatement& each : m_text.statements)
        if (!each.label.empty() && !labels.insert(each.label).second)
            throw UnknownPtx{"label '" + each.label + "', which is there twice"};
    for (const PtxStatement& each : m_text.statements) {
        if (!each.label.empty() || each.opcode.front() != "bra")
            continue;
        if (each.operands.size() == 1 && labels.contains(each.operands[0].name))
            m_targets.insert(each.operands[0].name);
        else if (!m_names)
            throw UnknownPtx{"branch to a label that is not in the same statement"};
    }
    for (const auto& [name, table] : m_text.tables)
        for (const std::string& label : table)
            if (labels.contains(label))
                m_targets.insert(label);
}

/// A variable for each register.
void PtxTranslator::makeSlots()
{
    llvm::BasicBlock& entry = m_place.getFunction()->getEntryBlock();
    llvm::IRBuilder<> build(&entry, entry.begin());
    for (auto& [name, reg] : m_registers) {
        reg.slot = build.CreateAlloca(reg.type);
        if (!llvm::isa<llvm::UndefValue>(reg.value))
            m_build.CreateStore(reg.value, reg.slot);
    }
}

/// Behind a branch to it, which is the result.
llvm::Instruction* PtxTranslator::beginBlock()
{
    llvm::BasicBlock* before = m_place.getParent();
    before->splitBasicBlock(&m_place);
    m_build.SetInsertPoint(&m_place);
    return before->getTerminator();
}

void PtxTranslator::label(const PtxStatement& s)
{
    if (!m_targets.contains(s.label))
        return;
    storeCarry();
    beginBlock();
    m_labels[s.label] = m_place.getParent();
}

/// Both ways lead to the next statement until all labels have their places.
void PtxTranslator::branch(const PtxStatement& s)
{
    if (!m_targets.contains(s.operands.at(0).name))
        throw UnknownPtx{"branch to '" + s.operands[0].name + "', which is no label of the function"};
    const llvm::DebugLoc where = m_build.getCurrentDebugLocation();  // which a block that begins has not
    llvm::Value* condition = s.predicate.empty() ? m_build.getTrue() : guardOf(s);
    storeCarry();
    llvm::Instruction* fallsThrough = beginBlock();
    llvm::BasicBlock* next = m_place.getParent();
    auto* jump = llvm::BranchInst::Create(next, next, condition);
    jump->setDebugLoc(where);
    llvm::ReplaceInstWithInst(fallsThrough, jump);
    m_jumps.emplace_back(jump, s.operands[0].name);
}

/// brx.idx index, table: an index beyond the table's end goes nowhere that PTX defines; here, on.
void PtxTranslator::branchByTable(const PtxStatement& s)
{
    const auto table = m_text.tables.find(s.operands.at(1).name);
    if (table == m_text.tables.end() || !s.has("idx"))
        unknown(s);
    for (const std::string& label : table->second)
        if (!m_targets.contains(label))
            throw UnknownPtx{"branch to '" + label + "', which is no label of the function"};
    llvm::Value* index = get(s, 0, bits(32));
    llvm::Instruction* next = &*m_build.GetInsertPoint();
    llvm::BasicBlock* before = next->getParent();
    llvm::BasicBlock* behind = before->splitBasicBlock(next);
    m_build.SetInsertPoint(next);
    auto* choice = llvm::SwitchInst::Create(index, behind, static_cast<unsigned>(table->second.size()));
    choice->setDebugLoc(m_build.getCurrentDebugLocation());
    llvm::ReplaceInstWithInst(before->getTerminator(), choice);
    m_tableJumps.emplace_back(choice, table->second);
}

void PtxTranslator::connectBranches(const llvm::BasicBlock& end)
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
    for (const auto& [choice, table] : m_tableJumps)
        for (uint32_t i = 0; i < table.size(); ++i)
            choice->addCase(m_build.getInt32(i), m_labels.at(table[i]));
    deleteSkipped(skipped, end);
    std::vector<llvm::AllocaInst*> variables;
    for (const auto& [name, reg] : m_registers)
        if (reg.slot)
            variables.push_back(reg.slot);
    if (variables.empty())
        return;
    llvm::DominatorTree dominators(*variables.front()->getFunction());
    llvm::PromoteMemToReg(variables, dominators);
}

/// What stands behind a branch that is always taken, unless a label or the end of the statement is there.
void PtxTranslator::deleteSkipped(const std::vector<llvm::BasicBlock*>& skipped, const llvm::BasicBlock& end)
{
    for (llvm::BasicBlock* block : skipped)
        if (block != &end && llvm::pred_empty(block))
            llvm::DeleteDeadBlock(block);
}

}  // namespace lanescope::simt
