// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/lower/passed_marks.h"

#include <algorithm>
#include <optional>

#include <llvm/IR/Dominators.h>

namespace lanescope::simt {

using llvm::dyn_cast;
using llvm::isa;

namespace {

bool isBarrierCall(const llvm::Instruction& instr)
{
    const auto* call = dyn_cast<llvm::CallInst>(&instr);
    const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
    return callee && (callee->getName().starts_with("llvm.nvvm.barrier") || callee->getName() == "llvm.nvvm.bar.sync");
}

/// Whether nothing happens there any more, on through blocks that do nothing but branch.
bool onlyReturns(const llvm::BasicBlock& block)
{
    constexpr int kMostBlocks = 16;  // of nested conditions' ends; an empty loop has no last one
    const llvm::BasicBlock* at = &block;
    for (int i = 0; i < kMostBlocks; ++i) {
        const llvm::Instruction* first = at->getFirstNonPHIOrDbg();
        const auto* branch = dyn_cast<llvm::BranchInst>(first);
        if (!branch || branch->isConditional())
            return isa<llvm::ReturnInst>(first);
        at = branch->getSuccessor(0);
    }
    return false;
}

/// Where threads go on that leave out the barriers in \p barrier; null: they do nothing any more, or there is no such
/// place.
const llvm::BasicBlock* blockBehind(const llvm::BasicBlock& barrier, const FunctionAnalysis& analysis,
                                    const llvm::DominatorTree& dominators)
{
    const auto* node = analysis.postDominators().getNode(&barrier);
    for (node = node ? node->getIDom() : nullptr; node && node->getBlock(); node = node->getIDom()) {
        const llvm::BasicBlock* behind = node->getBlock();
        // What dominates the barrier, as a loop's condition does, lies before it as well.
        if (!dominators.dominates(&barrier, behind) && !dominators.dominates(behind, &barrier))
            return onlyReturns(*behind) ? nullptr : behind;
    }
    return nullptr;
}

}  // namespace

PassedMarks::PassedMarks(const FunctionAnalysis& analysis, Program& program)
{
    std::optional<llvm::DominatorTree> dominators;  // only when there are barriers
    for (const llvm::BasicBlock& block : analysis.function()) {
        if (!std::any_of(block.begin(), block.end(), isBarrierCall))
            continue;
        if (!dominators)
            dominators.emplace(analysis.function());
        const llvm::BasicBlock* behind = blockBehind(block, analysis, *dominators);
        if (!behind)
            continue;
        const auto [mark, isNew] = m_at.try_emplace(behind, program.passedMarks + 1);
        program.passedMarks += isNew;
        m_ofBarriers[&block] = mark->second;
    }
}

}  // namespace lanescope::simt
