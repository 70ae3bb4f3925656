// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What asynchronous operations read of shared memory: copies in bulk to global memory, products of a warpgroup. They
// read at any time from when they are issued to when their group is waited for; here at once, so what is checked is
// that nobody writes in between, and that what they read was made visible to them (fence.proxy.async).
#pragma once

#include <cstdint>

#include "core/simt/state/block.h"

namespace lanescope::simt {

/// \p lane has issued an operation that reads \p bytes at \p address; \p staticSite: where.
void beginAsyncRead(Warp& warp, AsyncStream stream, int lane, uint64_t address, uint32_t bytes, uint32_t staticSite);
/// Closes the lanes' group of what they have issued since the last one.
void commitAsyncReads(Warp& warp, AsyncStream stream, LaneMask lanes);
/// The groups of \p lane but for the latest \p allowed are over, and so is what they read.
void endAsyncReads(Warp& warp, AsyncStream stream, int lane, uint32_t allowed);
/// How many groups of \p lane are closed, but for the latest \p allowed.
uint32_t endOfGroups(const Warp& warp, AsyncStream stream, int lane, uint32_t allowed);
/// Whether all warps of the warpgroup that live have committed as many groups as \p warp has to see the end of, all
/// but the latest \p allowed: the products are made by all four together.
bool haveCommitted(const Warp& warp, uint32_t allowed);
/// As endAsyncReads, of products: they are over for the whole warpgroup, whichever warp waits first, and what its
/// warps read comes before what \p warp does next.
void endProducts(Warp& warp, uint32_t allowed);
/// \p lanes execute fence.proxy.async: what they have written can be read asynchronously.
void fenceProxy(Warp& warp, LaneMask lanes);
/// Reports what the ended block has issued and nobody has waited for.
void reportNotAwaited(Block& block);

}  // namespace lanescope::simt
