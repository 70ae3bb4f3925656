// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which warp and which split of a warp runs next.
#pragma once

#include "core/device/reports.h"
#include "core/simt/state/block.h"

namespace lanescope::simt {

/// What is left of a turn that __nanosleep ended.
inline constexpr int kQuantumOfSleep = -1;

/// Takes a split out; no split is current afterwards.
void removeSplit(Warp& warp, size_t index);
/// Makes the newest ready split current and returns its next instruction; null when none is ready.
const Instr* continueWarp(Warp& warp);
/// Whether the values of \p warp are followed, instruction by instruction.
inline bool isWatched(const Warp& warp)
{
    return warp.tracked || warp.products;
}
/// Runs one instruction and follows the values of a warp that is watched; returns the next one.
const Instr* stepWatched(Warp& warp, const Instr* instr);
/// \p next, or, when the warp has become tracked since, null, to go on there under the tracker.
const Instr* resumeTracked(Warp& warp, bool wasTracked, const Instr* next);
/// Lets the lanes of one join go on although others have not arrived (forward progress); false when none waits.
bool releaseWaiting(Warp& warp);

/// Reports who waits where, at barriers of the block or the grid.
void reportWaiting(Block& block, device::BarrierReport::Kind kind);
/// Lets lanes go that wait at barriers whose threads have all come; true when any did.
bool releaseBarriers(Block& block);
/// Lets the block's lanes go on from the grid's barrier.
void releaseGridBarrier(Block& block);
/// Ends the phase of the cluster's barrier when all threads that live have arrived, and lets those go on that wait for
/// it. True when it did.
bool settleClusterBarrier(Cluster& cluster);
/// Warp-wide operations that were waiting for lanes that have exited are done now.
void serveAfterExit(Warp& warp);
/// Lanes \p gone go on past a join that \p expected were to meet at: operations of these that name them are told.
void noteSkippedCalls(Warp& warp, LaneMask gone, LaneMask expected);
/// Does a warp-wide operation without the lanes that never come, and reports it; false when none waits.
bool forceWarpCall(Warp& warp);
enum class BlockEnd : uint8_t {
    Finished,
    Stopped,           ///< block.stopReason says why
    AtGridBarrier,     ///< all its threads wait for the other blocks
    AtClusterBarrier,  ///< threads of it wait for other blocks of its cluster, and no other can go on
    MadeWay            ///< its slice is over
};

/// Runs the block on from where it is. \p maxInstructions: warp instructions it may use in all. \p slice: warp
/// instructions after which it makes way for others; 0: never.
BlockEnd runBlock(Block& block, int quantum, uint64_t maxInstructions, uint64_t slice);
/// Runs a warp until it ends, waits or has used up a turn. Of a program whose warps have nothing to do with each other.
void runWarp(Warp& warp, int quantum);
/// Warp instructions that a block has run.
uint64_t instructionsOf(const Block& block);

}  // namespace lanescope::simt
