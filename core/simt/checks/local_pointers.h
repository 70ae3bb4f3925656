// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pointers to local variables that come out of memory. Local memory is each thread's own, and all threads' lies at the
// same addresses: who follows another thread's pointer finds a variable of its own there.
#pragma once

#include "core/simt/code/instruction.h"
#include "core/simt/state/warp.h"

namespace lanescope::simt {

/// Before the active lanes load pointers: reports those that another thread has left there and that lead to its local
/// memory.
void checkLoadedPointers(Warp& warp, const MemoryInfo& info);

}  // namespace lanescope::simt
