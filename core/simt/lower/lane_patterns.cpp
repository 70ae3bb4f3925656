// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/lower/lane_patterns.h"

#include <algorithm>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>

namespace lanescope::simt {

using llvm::dyn_cast;
using llvm::isa;

/// Adds to \p parts what of an address differs between lanes, taken apart as AddressWriter does.
void LanePatterns::addParts(const llvm::Value* pointer, std::vector<Part>& parts) const
{
    const auto add = [&](const llvm::Value* value, int64_t scale) {
        if (!isa<llvm::Constant>(value) && !m_analysis.isUniform(*value))
            parts.push_back({value, scale});
    };
    const auto* instr = dyn_cast<llvm::Instruction>(pointer);
    if (!instr || !m_analysis.isFolded(*instr))
        return add(pointer, 1);
    addParts(instr->getOperand(0), parts);
    const auto* gep = dyn_cast<llvm::GetElementPtrInst>(instr);
    if (!gep)
        return;
    for (auto index = llvm::gep_type_begin(gep), end = llvm::gep_type_end(gep); index != end; ++index) {
        if (index.isStruct())
            continue;
        m_analysis.forSummands(*index.getOperand(),
                               static_cast<int64_t>(index.getSequentialElementStride(m_layout).getFixedValue()),
                               [&](const llvm::Value& summand, int64_t scale) { add(&summand, scale); });
    }
}

LanePatterns::Part LanePatterns::onlyPartOf(const llvm::Value& pointer) const
{
    // Products must not wrap around: noted values have 47 bits at most.
    constexpr int64_t kMostScale = 0x7fff;
    std::vector<Part> parts;
    addParts(&pointer, parts);
    if (parts.size() != 1 || parts.front().scale > kMostScale)
        return {};
    Part part = parts.front();
    if (const auto* load = dyn_cast<llvm::LoadInst>(part.value))
        if (const llvm::AllocaInst* variable = m_analysis.promoted(load->getPointerOperand()))
            part.value = m_analysis.lastUse(*load) ? variable : nullptr;
    return part;
}

namespace {

std::optional<int32_t> knownStep(int64_t step)
{
    constexpr int64_t kMost = 0x7fff;
    return step >= -kMost && step <= kMost ? std::optional(static_cast<int32_t>(step)) : std::nullopt;
}

}  // namespace

/// As rowStepOf, in bytes; none where more than one thing makes it differ, as of wide sums.
std::optional<int32_t> LanePatterns::rowStepOfAddress(const llvm::GetElementPtrInst& gep, unsigned depth) const
{
    std::optional<int32_t> whole = rowStepOf(*gep.getPointerOperand(), depth + 1);
    for (auto index = llvm::gep_type_begin(gep), end = llvm::gep_type_end(gep); index != end && whole; ++index) {
        if (index.isStruct())
            continue;
        const std::optional<int32_t> step = rowStepOf(*index.getOperand(), depth + 1);
        if (!step || (*step != 0 && *whole != 0))
            return std::nullopt;
        const auto stride = static_cast<int64_t>(index.getSequentialElementStride(m_layout).getFixedValue());
        if (*step != 0)
            whole = stride <= INT32_MAX ? knownStep(*step * stride) : std::nullopt;
    }
    return whole;
}

std::optional<int32_t> LanePatterns::rowStepOf(const llvm::Value& value, unsigned depth) const
{
    constexpr unsigned kDeepest = 16;
    if (!m_wholeRows || depth == kDeepest)
        return std::nullopt;
    if (isa<llvm::Constant>(value) || m_analysis.isUniform(value))
        return 0;
    const auto* instr = dyn_cast<llvm::Instruction>(&value);
    if (const auto* gep = dyn_cast<llvm::GetElementPtrInst>(&value))
        return rowStepOfAddress(*gep, depth);
    const bool isWide = value.getType()->isIntegerTy(64);
    if (!instr || (!isWide && !value.getType()->isIntegerTy(32)))
        return std::nullopt;
    if (const auto* call = dyn_cast<llvm::CallInst>(instr)) {
        const llvm::Function* callee = call->getCalledFunction();
        return callee && callee->getName() == "llvm.nvvm.read.ptx.sreg.tid.x" ? std::optional(1) : std::nullopt;
    }
    if (isa<llvm::SExtInst, llvm::ZExtInst, llvm::TruncInst, llvm::FreezeInst>(instr))
        return rowStepOf(*instr->getOperand(0), depth + 1);
    const auto* operation = dyn_cast<llvm::BinaryOperator>(instr);
    if (!operation)
        return std::nullopt;
    const std::optional<int32_t> a = rowStepOf(*operation->getOperand(0), depth + 1);
    const std::optional<int32_t> b = rowStepOf(*operation->getOperand(1), depth + 1);
    // Of two that were words and wrapped around in different lanes, the last lane might not show it.
    if (!a || !b || (isWide && *a != 0 && *b != 0))
        return std::nullopt;
    const auto* factor = dyn_cast<llvm::ConstantInt>(operation->getOperand(1));
    switch (operation->getOpcode()) {
    case llvm::Instruction::Or:
        return llvm::cast<llvm::PossiblyDisjointInst>(operation)->isDisjoint() ? knownStep(int64_t{*a} + *b)
                                                                               : std::nullopt;
    case llvm::Instruction::Add:
        return knownStep(int64_t{*a} + *b);
    case llvm::Instruction::Sub:
        return knownStep(int64_t{*a} - *b);
    case llvm::Instruction::Mul:
        return factor && factor->getValue().isSignedIntN(16) ? knownStep(*a * factor->getSExtValue()) : std::nullopt;
    case llvm::Instruction::Shl:
        return factor && factor->getZExtValue() < 16 ? knownStep(int64_t{*a} << factor->getZExtValue()) : std::nullopt;
    default:
        return std::nullopt;
    }
}

LanePatterns::LanePatterns(const FunctionAnalysis& analysis, const llvm::DataLayout& layout, Program& program)
    : m_analysis(analysis), m_layout(layout), m_wholeRows(program.wholeRows)
{
    // Registers that are kept across a call that comes back here change without a word.
    if (analysis.isRecursive())
        return;
    struct Use {
        unsigned count = 0;
        unsigned depth = 0;  ///< of the deepest loop it is used in
    };
    const llvm::DominatorTree dominators(analysis.function());
    const llvm::LoopInfo loops(dominators);
    std::map<std::pair<const llvm::Value*, int64_t>, Use> uses;
    std::vector<Part> order;                              // so that every run numbers them alike
    llvm::DenseMap<const llvm::Value*, unsigned> stored;  // depth of the deepest store to a variable
    for (const llvm::BasicBlock& block : analysis.function())
        for (const llvm::Instruction& instr : block) {
            const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&instr);
            if (!pointer)
                continue;
            const unsigned depth = loops.getLoopDepth(&block);
            if (const llvm::AllocaInst* variable = m_analysis.promoted(pointer)) {
                if (isa<llvm::StoreInst>(instr))
                    stored[variable] = std::max(stored.lookup(variable), depth);
            } else if (const Part part = onlyPartOf(*pointer); part.value) {
                Use& use = uses[{part.value, part.scale}];
                if (use.count++ == 0)
                    order.push_back(part);
                use.depth = std::max(use.depth, depth);
            }
        }
    for (const Part& part : order) {
        const Use& use = uses[{part.value, part.scale}];
        const auto* instr = dyn_cast<llvm::Instruction>(part.value);
        const unsigned written = isa<llvm::AllocaInst>(part.value) ? stored.lookup(part.value)
                                 : instr                           ? loops.getLoopDepth(instr->getParent())
                                                                   : 0;
        // What is known beforehand is noted at once.
        const bool isKnown = instr && !isa<llvm::AllocaInst>(instr) && rowStepOf(*instr).value_or(0) != 0;
        if (use.depth > written || (use.depth == written && (use.count > 1 || isKnown))) {
            const uint32_t pattern = program.patterns++;
            m_patterns[part.value][part.scale] = pattern;
            if (isa<llvm::AllocaInst>(part.value))
                program.variablePatterns.push_back(pattern);
        }
    }
}

const LanePatterns::ByScale* LanePatterns::of(const llvm::Value& valueOrVariable) const
{
    const auto found = m_patterns.find(&valueOrVariable);
    return found == m_patterns.end() ? nullptr : &found->second;
}

}  // namespace lanescope::simt
