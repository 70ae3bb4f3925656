// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the code around an access tells about it.
#pragma once

#include <map>
#include <set>

#include <llvm/IR/Instructions.h>

#include "core/simt/code/program.h"

namespace lanescope::simt {

/// The space that \p pointer surely points to, or Global.
trace::Space spaceOf(const llvm::Value* pointer);

/// Whether \p access, at \p pointer, may be of memory that blocks of other clusters see. Objects of mbarrier are in
/// shared memory whatever their addresses look like: those made of 32-bit ones are generic.
bool mayReachOtherBlocks(const llvm::Instruction& access, const llvm::Value* pointer);

/// Whether a load or atomic asks for a flag: its result decides a branch. What only goes into other values is data,
/// which a flag should have told to be there.
bool testsFlag(const llvm::Instruction& access);

/// Tells which loads are strong. A function must not change once one of its loads has been asked about.
class StrongLoads {
public:
    /// Whether a race with other strong accesses is what the program wants.
    bool isStrong(const llvm::LoadInst& load);

private:
    /// The first guess of a compare-and-swap loop is read plainly by the CUDA guide's own examples: when it is stale,
    /// the swap fails and the loop goes on.
    bool feedsCompareExchange(const llvm::LoadInst& load);
    /// What the pointers of its compare-and-swaps are computed from: found once, as functions may have thousands of
    /// loads.
    const std::set<const llvm::Value*>& swappedIn(const llvm::Function& function);

    std::map<const llvm::Function*, std::set<const llvm::Value*>> m_swapped;
};

/// The alignment that an access of \p bytes demands, of its own size at most; where the compiler has split a larger one
/// into neighbours, what the whole demands, up to \p most.
uint64_t demandedAlignment(const llvm::Instruction& access, uint64_t bytes, uint64_t most,
                           const llvm::DataLayout& layout);

/// Whether nobody sees \p value: at most, variables that are not read hold it.
bool isUnused(const llvm::Value& value);

}  // namespace lanescope::simt
