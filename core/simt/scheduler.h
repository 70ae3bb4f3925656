// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which warp and which split of a warp runs next.
#pragma once

#include "core/simt/bytecode.h"

namespace lanescope::simt {

/// Takes a split out; no split is current afterwards.
void removeSplit(Warp& warp, size_t index);
/// Makes the newest ready split current and returns its next instruction; null when none is ready.
const Instr* continueWarp(Warp& warp);
/// Lets the lanes of one join go on although others have not arrived (forward progress); false when none waits.
bool releaseWaiting(Warp& warp);

/// Runs the block to its end; false when it was stopped (block.stopReason says why).
/// \p maxInstructions: warp instructions this block may still use.
bool runBlock(Block& block, int quantum, uint64_t maxInstructions);

}  // namespace lanescope::simt
