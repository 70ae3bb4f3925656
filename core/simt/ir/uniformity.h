// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which values are the same in all lanes of a split, and which branches may diverge.
//
// A flow-insensitive fixpoint over SSA values and promoted variables (allocas that live in registers). Every split has
// its own copy of what is uniform, so that a value may be that wherever lanes stay together. Blocks that a divergent
// branch can reach before its immediate post-dominator are its region: there, each of the splits goes its own way.
// Where they meet again, behind the region, one of the copies is all that is left: what is carried out of it is per
// lane.
#pragma once

#include <llvm/ADT/DenseSet.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

namespace lanescope::simt {

class Uniformity {
public:
    /// \p promoted: allocas kept in registers. \p isKernel: parameters are the same for all threads.
    /// \p isRecursive: nothing is uniform, since registers that are kept across a call are kept by lane.
    /// \p wholeRows: no warp has threads of two rows of the block, so that threadIdx.y and z are the same for all of
    /// it.
    Uniformity(llvm::Function& function, const llvm::DenseSet<const llvm::AllocaInst*>& promoted,
               const llvm::PostDominatorTree& postDominators, bool isKernel, bool isRecursive, bool wholeRows);

    [[nodiscard]] bool isUniform(const llvm::Value* value) const { return !m_divergent.contains(value); }
    [[nodiscard]] bool mayDiverge(const llvm::Instruction* terminator) const
    {
        return m_divergentBranches.contains(terminator);
    }

private:
    bool visit(llvm::Instruction& instr);
    bool isDivergent(llvm::Instruction& instr) const;
    bool isDivergentLoad(llvm::LoadInst& load) const;
    using Blocks = llvm::DenseSet<const llvm::BasicBlock*>;

    [[nodiscard]] bool markBranch(const llvm::Instruction& terminator);
    /// Marks what lanes carry out of the \p region of a branch at the end of \p from, to where they \p meet.
    void markCarried(const Blocks& region, const llvm::BasicBlock& from, llvm::BasicBlock& meet);
    bool mark(const llvm::Value* value) { return m_divergent.insert(value).second; }

    const llvm::DenseSet<const llvm::AllocaInst*>& m_promoted;
    const llvm::PostDominatorTree& m_postDominators;
    bool m_isKernel;
    bool m_wholeRows;
    llvm::DenseSet<const llvm::Value*> m_divergent;
    llvm::DenseSet<const llvm::Instruction*> m_divergentBranches;
};

/// Memory that is certainly not a thread's own: an address in it means the same cell for every lane.
bool pointsToSharedByLanes(const llvm::Value* pointer, const llvm::DenseSet<const llvm::AllocaInst*>& promoted,
                           bool isKernel);

}  // namespace lanescope::simt
