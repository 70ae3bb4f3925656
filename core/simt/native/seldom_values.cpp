// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/native/seldom_values.h"

#include <vector>

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/BlockFrequencyInfo.h>
#include <llvm/Analysis/BranchProbabilityInfo.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace lanescope::simt::native {
namespace {

/// So many times as seldom is worth computing in several places,
constexpr uint64_t kSeldom = 64;
/// that are no more than this.
constexpr size_t kMostPlaces = 24;

/// How often blocks of a function run.
struct Frequencies {
    explicit Frequencies(llvm::Function& function)
        : dominators(function), loops(dominators), branches(function, loops), blocks(function, branches, loops)
    {
    }
    [[nodiscard]] bool isSeldom(uint64_t place, const llvm::BasicBlock& than) const
    {
        return place < blocks.getBlockFreq(&than).getFrequency() / kSeldom;
    }
    [[nodiscard]] bool isSeldom(const llvm::BasicBlock& block, const llvm::BasicBlock& than) const
    {
        return isSeldom(blocks.getBlockFreq(&block).getFrequency(), than);
    }

    llvm::DominatorTree dominators;
    llvm::LoopInfo loops;
    llvm::BranchProbabilityInfo branches;
    llvm::BlockFrequencyInfo blocks;
};

/// Where ways that are seldom gone meet, each gets a place of its own.
void divideWays(llvm::Function& function)
{
    const Frequencies known(function);
    std::vector<std::pair<llvm::Instruction*, unsigned>> ways;
    for (llvm::BasicBlock& block : function) {
        llvm::Instruction* const end = block.getTerminator();
        for (unsigned i = 0; end->getNumSuccessors() > 1 && i < end->getNumSuccessors(); ++i) {
            const llvm::BlockFrequency way =
                known.blocks.getBlockFreq(&block) * known.branches.getEdgeProbability(&block, i);
            if (!end->getSuccessor(i)->phis().empty() && known.isSeldom(way.getFrequency(), block))
                ways.emplace_back(end, i);
        }
    }
    for (const auto& [end, way] : ways)
        llvm::SplitCriticalEdge(end, way);
}

bool isMovable(const llvm::Instruction& instr)
{
    return !instr.isTerminator() && !llvm::isa<llvm::PHINode, llvm::AllocaInst>(instr) && !instr.isEHPad() &&
           !instr.mayHaveSideEffects() && !instr.mayReadFromMemory();
}

/// Whether \p instr was moved to where it is wanted.
bool move(llvm::Instruction& instr, const Frequencies& known)
{
    llvm::MapVector<llvm::BasicBlock*, llvm::Instruction*> places;
    std::vector<std::pair<llvm::Use*, llvm::BasicBlock*>> uses;
    for (llvm::Use& use : instr.uses()) {
        auto* const user = llvm::cast<llvm::Instruction>(use.getUser());
        const auto* phi = llvm::dyn_cast<llvm::PHINode>(user);
        llvm::BasicBlock* const place = phi ? phi->getIncomingBlock(use) : user->getParent();
        if (!known.isSeldom(*place, *instr.getParent()))
            return false;
        uses.emplace_back(&use, place);
        places.try_emplace(place, nullptr);
        if (places.size() > kMostPlaces)
            return false;
    }
    for (auto& [place, copy] : places) {
        copy = instr.clone();
        copy->insertBefore(place->getFirstInsertionPt());
    }
    for (const auto& [use, place] : uses)
        use->set(places[place]);
    instr.eraseFromParent();
    return true;
}

}  // namespace

void computeWhereWanted(llvm::Function& function)
{
    divideWays(function);
    const Frequencies known(function);
    bool hasMoved = true;
    for (int round = 0; hasMoved && round < 3; ++round) {
        hasMoved = false;
        for (llvm::BasicBlock* block : llvm::post_order(&function))
            for (llvm::Instruction& instr : llvm::make_early_inc_range(llvm::reverse(*block)))
                if (isMovable(instr) && !instr.use_empty())
                    hasMoved |= move(instr, known);
    }
}

}  // namespace lanescope::simt::native
