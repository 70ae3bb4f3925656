// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is said of threads that go round without end: each comes back to where and what it was, and memory stays as it
// is. outlook.h finds out that they do.
#pragma once

#include <string>

#include "core/simt/state/block.h"

namespace lanescope::simt {

/// Says in the findings where the threads of a block that goes round do so, as kind "livelock"; returns why the block
/// is stopped, with the lines.
StopReason reportLivelock(Block& block);

/// "64 threads at line 12, 1 thread at line 30": where the most are, at most three lines; empty when no line is known.
std::string whereThreadsAre(const Block& block);

/// "line 12", or "line 12, called from line 88" in a function that is called; empty for a thread that has ended.
std::string placeOfThread(const Block& block, uint32_t thread);

}  // namespace lanescope::simt
