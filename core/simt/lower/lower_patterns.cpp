// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which registers' patterns (LanePattern) are worth noting: those that alone make the addresses of several accesses
// differ between lanes, or of accesses in a deeper loop. Then what the lanes' addresses have in common is found out
// once and not at every access.

#include <algorithm>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>

#include "core/simt/lower/function_lowering.h"

namespace lanescope::simt {

using llvm::dyn_cast;
using llvm::isa;

/// Adds to \p parts what of an address differs between lanes, taken apart as addressInto does.
void FunctionLowering::addLaneParts(const llvm::Value* pointer, std::vector<LanePart>& parts) const
{
    const auto add = [&](const llvm::Value* value, int64_t scale) {
        if (!isa<llvm::Constant>(value) && !m_analysis.isUniform(*value))
            parts.push_back({value, scale});
    };
    const auto* instr = dyn_cast<llvm::Instruction>(pointer);
    if (!instr || !m_analysis.isFolded(*instr))
        return add(pointer, 1);
    addLaneParts(instr->getOperand(0), parts);
    const auto* gep = dyn_cast<llvm::GetElementPtrInst>(instr);
    if (!gep)
        return;
    for (auto index = llvm::gep_type_begin(gep), end = llvm::gep_type_end(gep); index != end; ++index) {
        if (index.isStruct())
            continue;
        const auto* widening = dyn_cast<llvm::SExtInst>(index.getOperand());
        add(widening && m_analysis.isFoldedAddress(*widening) ? widening->getOperand(0) : index.getOperand(),
            static_cast<int64_t>(index.getSequentialElementStride(m_builder.layout()).getFixedValue()));
    }
}

/// What alone makes an address differ between lanes; none if nothing does, or more than one thing.
FunctionLowering::LanePart FunctionLowering::onlyLanePart(const llvm::Value* pointer) const
{
    // Products must not wrap around: noted values have 47 bits at most.
    constexpr int64_t kMostScale = 0x7fff;
    std::vector<LanePart> parts;
    addLaneParts(pointer, parts);
    if (parts.size() != 1 || parts.front().scale > kMostScale)
        return {};
    LanePart part = parts.front();
    if (const auto* load = dyn_cast<llvm::LoadInst>(part.value))
        if (const llvm::AllocaInst* variable = m_analysis.promoted(load->getPointerOperand()))
            part.value = m_analysis.lastUse(*load) ? variable : nullptr;
    return part;
}

void FunctionLowering::findPatterns()
{
    // Registers that are kept across a call that comes back here change without a word.
    if (m_analysis.isRecursive())
        return;
    struct Use {
        unsigned count = 0;
        unsigned depth = 0;  ///< of the deepest loop it is used in
    };
    const llvm::DominatorTree dominators(m_function);
    const llvm::LoopInfo loops(dominators);
    std::map<std::pair<const llvm::Value*, int64_t>, Use> uses;
    std::vector<LanePart> order;                          // so that every run numbers them alike
    llvm::DenseMap<const llvm::Value*, unsigned> stored;  // depth of the deepest store to a variable
    for (const llvm::BasicBlock& block : m_function)
        for (const llvm::Instruction& instr : block) {
            const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&instr);
            if (!pointer)
                continue;
            const unsigned depth = loops.getLoopDepth(&block);
            if (const llvm::AllocaInst* variable = m_analysis.promoted(pointer)) {
                if (isa<llvm::StoreInst>(instr))
                    stored[variable] = std::max(stored.lookup(variable), depth);
            } else if (const LanePart part = onlyLanePart(pointer); part.value) {
                Use& use = uses[{part.value, part.scale}];
                if (use.count++ == 0)
                    order.push_back(part);
                use.depth = std::max(use.depth, depth);
            }
        }
    for (const LanePart& part : order) {
        const Use& use = uses[{part.value, part.scale}];
        const auto* instr = dyn_cast<llvm::Instruction>(part.value);
        const unsigned written = isa<llvm::AllocaInst>(part.value) ? stored.lookup(part.value)
                                 : instr                           ? loops.getLoopDepth(instr->getParent())
                                                                   : 0;
        if (use.depth > written || (use.depth == written && use.count > 1)) {
            const uint32_t pattern = m_builder.program().patterns++;
            m_patterns[part.value][part.scale] = pattern;
            if (isa<llvm::AllocaInst>(part.value))
                m_builder.program().variablePatterns.push_back(pattern);
        }
    }
}

/// To be called where the value, or the variable in a register, has just been written.
void FunctionLowering::notePattern(const llvm::Value& valueOrVariable)
{
    const auto patterns = m_patterns.find(&valueOrVariable);
    if (patterns == m_patterns.end())
        return;
    const auto* variable = dyn_cast<llvm::AllocaInst>(&valueOrVariable);
    const Operand noted = m_values.registerOf(valueOrVariable);
    if (noted.form != Form::Vector)
        return;
    const LaneType lane = laneTypeOf(variable ? variable->getAllocatedType() : valueOrVariable.getType(), nullptr);
    for (const auto& [scale, pattern] : patterns->second) {
        Instr& instr = m_code.emit(m_builder.handlers().notePattern(isWide(lane)), nullptr);
        instr.a = noted.reg;
        instr.b = static_cast<uint32_t>(scale);
        instr.imm = pattern;
    }
}

/// Gives an access the pattern of its addresses, where one is known.
void FunctionLowering::usePattern(MemoryInfo& info, const llvm::Value* pointer)
{
    const bool isBase = info.base.form == Form::Vector;
    if (!isBase && info.vectorTermCount == 0) {
        info.pattern = kUniformPattern;
        return;
    }
    const LanePart part = onlyLanePart(pointer);
    const auto patterns = m_patterns.find(part.value);
    if (patterns == m_patterns.end() || info.vectorTermCount != (isBase ? 0 : 1))
        return;
    const AddressTerm& term = info.vectorTerms[0];
    const Operand noted = m_values.registerOf(*part.value);
    // A copy of the variable, made before it changed, is another register.
    const bool isNoted = noted.form == Form::Vector && noted.reg == (isBase ? info.base.reg : term.operand.reg);
    const auto pattern = patterns->second.find(isBase ? 1 : term.scale);
    if (isNoted && pattern != patterns->second.end())
        info.pattern = pattern->second;
}

}  // namespace lanescope::simt
