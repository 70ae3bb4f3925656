// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The race check, lane by lane. The vectorised ways in ops_race.inl come here when something is unusual.
#pragma once

#include <array>
#include <vector>

#include "core/simt/checks/packed_cells.h"
#include "core/simt/state/block.h"

namespace lanescope::simt {

/// What a cell remembers of \p lane when it writes; \p atomic: the access is an update, whatever \p info says.
uint32_t writerInfo(const Warp& warp, const MemoryInfo& info, int lane, bool atomic);

/// \p offsets: per lane, in the object. For the active \p lanes; reports unordered accesses, then registers these.
void checkReads(Warp& warp, const MemoryInfo& info, const ObjectEntry& object, const uint32_t* offsets, LaneMask lanes);
/// As checkReads; to be called before the values are stored. Stores them, lane by lane, to tell same-value writes.
void checkWrites(Warp& warp, const MemoryInfo& info, const ObjectEntry& object, const uint32_t* offsets,
                 LaneMask lanes);
/// One lane's access of \p bytes at \p address, which is \p offset in \p object; \p changes: a write that alters what
/// is there; \p atomic: read, changed, written.
void checkLane(Warp& warp, const MemoryInfo& info, const ObjectEntry& object, int lane, uint64_t address,
               uint32_t offset, unsigned bytes, bool isWrite, bool changes, bool atomic);

/// The same in an object of the block's own.
void checkLane(Warp& warp, const MemoryInfo& info, const ObjectEntry& object, int lane, uint32_t offset, unsigned bytes,
               bool isWrite, bool changes, bool atomic);

/// Enters an update by \p lane of a word, or two, of global memory, at \p offset of what \p cells are of, as checkLane
/// does where nothing but atomics of the device has touched it in this launch, or its own thread. False, and nothing
/// is changed, where somebody else has, or may have.
bool enterAtomic(const Warp& warp, const MemoryInfo& info, const RaceCells& cells, int lane, uint32_t offset);

/// An asynchronous read is over now: nobody may have written since it was issued.
void checkReadEnds(Warp& warp, const AsyncRead& read);
/// An asynchronous read is issued: what ordinary stores have written must have been fenced for it.
void checkProxy(Warp& warp, const AsyncRead& read);

/// \p lanes wait (griddepcontrol.wait) until the launch that this one may overlap has ended.
void waitForEarlierLaunch(Warp& warp, LaneMask lanes);

/// Who wrote the word at \p offset of \p object, which has cells, last; of time 0: nobody.
[[nodiscard]] Toucher lastWriter(const Warp& warp, const ObjectEntry& object, uint32_t offset);

/// The value that a store writes, from \p out on.
void storedBytes(const Warp& warp, const MemoryInfo& info, int lane, std::byte* out);

enum class FlagUse : uint8_t { Read, Write, Update };
/// A strong access (atomic, volatile) of one lane, which may hand on what fences released (sync_order.h).
void synchronise(Warp& warp, const MemoryInfo& info, int lane, uint64_t address, FlagUse use);

/// An atomic of one lane that changed \p old to \p now: it may have taken a lock (\p takes) or given one back.
void noteLock(Warp& warp, int lane, uint64_t address, uint64_t old, uint64_t now, bool takes, bool compares);

/// All threads of the block have met.
void meetBlock(Block& block);
/// Some warps of the block have met at a barrier: \p waiting, by warp, the lanes that waited there.
void meetWarps(Block& block, const std::array<LaneMask, WarpOrder::kMostWarps>& waiting,
               const std::vector<BarrierArrival>& arrivals);
/// The lanes of \p lanes have met (__syncwarp and the like).
void meetLanes(Warp& warp, LaneMask lanes);

}  // namespace lanescope::simt
