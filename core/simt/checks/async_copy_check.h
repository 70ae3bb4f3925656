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
/// Lane \p lane has issued a copy of \p bytes to \p address, which the mbarrier at \p barrier counts.
void beginBulkCopy(Warp& warp, int lane, uint64_t address, uint32_t bytes, uint64_t barrier, uint32_t staticSite);
/// A lane of \p warp has waited for a phase of the mbarrier at \p barrier: copies of phases that are over have arrived,
/// for all who have waited or will wait there.
void settleBulkCopies(const Warp& warp, uint64_t barrier);
/// Once no copy is under way, what was written is told by the time again.
void forgetAsyncCopies(const Block& block);
/// Forgets what is under way: the cells are as if nobody had touched them.
void abandonAsyncCopies(Block& block);

}  // namespace lanescope::simt
