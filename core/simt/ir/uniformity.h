// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which values are the same in all lanes of a split, and which branches may diverge.
//
// A flow-insensitive fixpoint over SSA values and promoted variables (allocas that live in registers). Blocks that
// a divergent branch can reach before its immediate post-dominator are its "region": what is written there depends
// on which lanes came along, so variables stored and values carried out of a region are per lane.
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
    bool isDivergentPhi(llvm::PHINode& phi) const;
    bool escapesRegion(llvm::Instruction& instr) const;
    bool markBranch(llvm::Instruction& terminator);
    bool mark(const llvm::Value* value) { return m_divergent.insert(value).second; }

    const llvm::DenseSet<const llvm::AllocaInst*>& m_promoted;
    const llvm::PostDominatorTree& m_postDominators;
    bool m_isKernel;
    bool m_wholeRows;
    llvm::DenseSet<const llvm::Value*> m_divergent;
    llvm::DenseSet<const llvm::Instruction*> m_divergentBranches;
    llvm::DenseSet<const llvm::BasicBlock*> m_region;
};

/// Memory that is certainly not a thread's own: an address in it means the same cell for every lane.
bool pointsToSharedByLanes(const llvm::Value* pointer, const llvm::DenseSet<const llvm::AllocaInst*>& promoted,
                           bool isKernel);

}  // namespace lanescope::simt
