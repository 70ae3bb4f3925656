// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/lower/carried_values.h"

#include <algorithm>

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>

namespace lanescope::simt {

using llvm::dyn_cast;
using llvm::isa;

namespace {

const llvm::Value* lookUp(const CarriedValues::Held& held, const llvm::DILocalVariable* variable)
{
    const auto found = std::ranges::find(held, variable, &CarriedValues::Held::value_type::first);
    return found == held.end() ? nullptr : found->second;
}

void forget(CarriedValues::Held& held, const llvm::DILocalVariable* variable)
{
    std::erase_if(held, [&](const auto& entry) { return entry.first == variable; });
}

/// Whether it has one register.
bool isSingle(const llvm::Type& type)
{
    return type.isFloatingPointTy() || type.isPointerTy() || (type.isIntegerTy() && type.getIntegerBitWidth() <= 64);
}

}  // namespace

const llvm::Value* writtenBy(const llvm::DbgVariableRecord& record)
{
    const bool isWhole = record.getType() == llvm::DbgVariableRecord::LocationType::Value &&
                         !record.getVariable()->isArtificial() && record.getNumVariableLocationOps() == 1 &&
                         record.getExpression()->getNumElements() == 0;
    return isWhole ? record.getVariableLocationOp(0) : nullptr;
}

CarriedValues::CarriedValues(const FunctionAnalysis& analysis) : m_analysis(analysis)
{
    constexpr int kMostRounds = 16;
    const llvm::ReversePostOrderTraversal<llvm::Function*> order(&analysis.function());
    size_t written = 0;
    for (const llvm::BasicBlock* block : order)
        m_order[block] = written++;
    bool changes = true;
    for (int round = 0; changes && round < kMostRounds; ++round) {
        changes = false;
        for (const llvm::BasicBlock* block : order) {
            const std::optional<Held> met = meetAt(*block);
            if (!met)
                continue;
            Held end = behind(*block, *met);
            const auto [known, isNew] = m_blocks.try_emplace(block);
            changes |= isNew || known->second.end != end || known->second.begin != *met;
            known->second = {*met, std::move(end)};
        }
    }
    if (changes)
        m_blocks.clear();
}

const CarriedValues::Held& CarriedValues::at(const llvm::BasicBlock& block) const
{
    static const Held kNone;
    const auto known = m_blocks.find(&block);
    return known == m_blocks.end() ? kNone : known->second.begin;
}

/// Whether a record that stands before \p position gives an event: the value has registers that hold it there.
bool CarriedValues::isRecorded(const llvm::Value& value, const llvm::Instruction& position) const
{
    if (!isSingle(*value.getType()))
        return false;
    const auto* source = dyn_cast<llvm::Instruction>(&value);
    if (!source)
        return isa<llvm::Argument, llvm::ConstantInt, llvm::ConstantFP>(&value);
    // Nothing says that a record's value has been computed where the record stands.
    const bool isOwn = source->getParent() == position.getParent();
    if (m_analysis.isFolded(*source) ||
        (isOwn ? !m_analysis.isBefore(*source, position)
               : m_order.lookup(source->getParent()) > m_order.lookup(position.getParent())))
        return false;
    const llvm::Instruction* lastUse = m_analysis.lastUse(*source);
    return !lastUse || (isOwn && !m_analysis.isBefore(*lastUse, position));
}

/// Of the ways into \p block that have been gone so far; none: there is none.
std::optional<CarriedValues::Held> CarriedValues::meetAt(const llvm::BasicBlock& block) const
{
    if (block.isEntryBlock())
        return Held{};
    std::vector<std::pair<const llvm::BasicBlock*, const Held*>> ways;
    for (const llvm::BasicBlock* before : llvm::predecessors(&block))
        if (const auto known = m_blocks.find(before); known != m_blocks.end())
            ways.emplace_back(before, &known->second.end);
    if (ways.empty())
        return std::nullopt;
    const auto isOnEveryWay = [&](const llvm::DILocalVariable* variable, const auto& valueOn) {
        return std::ranges::all_of(
            ways, [&](const auto& way) { return lookUp(*way.second, variable) == valueOn(way.first); });
    };
    const auto isOwnPhi = [&](const llvm::Value& value) {
        const auto* phi = dyn_cast<llvm::PHINode>(&value);
        return phi && phi->getParent() == &block;
    };
    Held met;
    for (const auto& [variable, value] : *ways.front().second) {
        // A phi's value of the round before is no more.
        if (isOnEveryWay(variable, [&](const llvm::BasicBlock*) { return value; }) && !isOwnPhi(*value)) {
            met.emplace_back(variable, value);
            continue;
        }
        for (const llvm::PHINode& phi : block.phis())
            if (isOnEveryWay(variable,
                             [&](const llvm::BasicBlock* way) { return phi.getIncomingValueForBlock(way); })) {
                met.emplace_back(variable, &phi);
                break;
            }
    }
    return met;
}

CarriedValues::Held CarriedValues::behind(const llvm::BasicBlock& block, Held held) const
{
    for (const llvm::Instruction& instr : block) {
        for (const llvm::DbgVariableRecord& record : llvm::filterDbgVars(instr.getDbgRecordRange())) {
            if (record.getVariable()->isArtificial())
                continue;
            forget(held, record.getVariable());
            const llvm::Value* value = writtenBy(record);
            if (value && isRecorded(*value, instr))
                held.emplace_back(record.getVariable(), value);
        }
        // A recursive call writes the same variables.
        if (isa<llvm::CallBase>(instr) && !isa<llvm::IntrinsicInst>(instr))
            held.clear();
    }
    return held;
}

}  // namespace lanescope::simt
