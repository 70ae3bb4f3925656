// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which instructions handlers of several (ops_fused.inl) run.
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "core/simt/machine/handlers.h"

namespace llvm {
class Instruction;
}

namespace lanescope::simt {

/// Whether nobody but one multiply-add of the same block reads what \p instr makes: fused with that, it need not be
/// kept.
bool onlyMultiplyAddReads(const llvm::Instruction& instr);

/// Puts fused handlers in place of others, in the code of a function that is complete. \p rows gets what they go by.
void fuse(std::vector<Instr>& code, const FusedHandlers& handlers, std::deque<ProductRow>& rows);

/// Has the first of two instructions run both, where \p pairs has a handler for them.
void fusePairs(std::vector<Instr>& code, std::span<const FusedPair> pairs);

}  // namespace lanescope::simt
