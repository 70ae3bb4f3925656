// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asynchronous copies in the race check: while one is under way, its cells have a writer that is later than every
// barrier.
#pragma once

#include <cstdint>

#include "core/simt/state/block.h"

namespace lanescope::simt {

/// The thread's copy has been issued: its cells are being written from now on. \p copy: of shared memory.
void beginAsyncCopy(const AsyncCopy& copy, const Block& block);
/// From now on the copy is a write of its thread at \p time; \p since: times before it do not matter.
void settleAsyncCopy(const AsyncCopy& copy, uint32_t thread, uint32_t time, uint32_t since);
/// Once no copy is under way, what was written is told by the time again.
void forgetAsyncCopies(const Block& block);
/// Forgets what is under way: the cells are as if nobody had touched them.
void abandonAsyncCopies(Block& block);

}  // namespace lanescope::simt
