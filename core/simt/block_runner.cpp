// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs one block: gives its warps turns, releases barriers, notices that nobody can go on.
#include <algorithm>

#include "core/simt/race_check.h"
#include "core/simt/scheduler.h"

namespace lanescope::simt {
namespace {

/// Turns a split may take while others of its warp are ready (a lane spinning on a lock its neighbour holds must
/// make way), and before lanes waiting to reconverge with it are let go.
constexpr uint64_t kFairTurns = 4096;
constexpr uint64_t kReleaseTurns = 400'000;

void releaseBarrier(Block& block)
{
    if (block.waitingLanes == 0 || block.waitingLanes != block.liveLanes)
        return;
    for (Warp& warp : block.warps)
        for (Split& split : warp.splits)
            split.state = Split::State::Ready;
    block.waitingLanes = 0;
    ++block.epoch;
    meetBlock(block);
}

const Instr* rotate(Warp& warp)
{
    std::rotate(warp.splits.begin(), warp.splits.end() - 1, warp.splits.end());
    warp.current = Warp::kNoSplit;
    return continueWarp(warp);
}

/// The next instruction of the warp's turn, or null when all its lanes wait.
const Instr* beginTurn(Warp& warp)
{
    if (warp.splits.empty())
        return nullptr;
    if (warp.current == Warp::kNoSplit)
        return continueWarp(warp);
    Split& split = warp.splits[warp.current];
    ++split.quanta;
    if (split.quanta % kFairTurns == 0 && warp.splits.size() > 1)
        return rotate(warp);
    if (split.quanta % kReleaseTurns == 0 && releaseWaiting(warp))
        return rotate(warp);
    return warp.splits[warp.current].ip;
}

bool runTurn(Warp& warp, int quantum)
{
    const Instr* instr = beginTurn(warp);
    if (!instr)
        return false;
    warp.quantum = quantum;
    while (instr)
        instr = instr->run(instr, warp);
    return true;
}

bool runRound(Block& block, int quantum)
{
    bool progressed = false;
    for (Warp& warp : block.warps) {
        progressed |= runTurn(warp, quantum);
        if (block.stop)
            return true;
    }
    releaseBarrier(block);
    return progressed;
}

uint64_t instructionsOf(const Block& block)
{
    uint64_t sum = 0;
    for (const Warp& warp : block.warps)
        sum += warp.instructions;
    return sum;
}

bool releaseAny(Block& block)
{
    return std::any_of(block.warps.begin(), block.warps.end(), [](Warp& warp) { return releaseWaiting(warp); });
}

}  // namespace

bool runBlock(Block& block, int quantum, uint64_t maxInstructions)
{
    for (uint64_t round = 0; block.liveLanes > 0 && !block.stop; ++round) {
        uint32_t waitingBefore = block.waitingLanes;
        bool progressed = runRound(block, quantum);
        progressed |= waitingBefore > 0 && block.waitingLanes == 0;
        if (!progressed && !releaseAny(block)) {
            block.stop = true;
            block.stopReason = "barrier-deadlock: no thread of the block can go on";
        }
        if (round % 1024 == 1023 && instructionsOf(block) > maxInstructions) {
            block.stop = true;
            block.stopReason = "step-limit";
        }
    }
    return !block.stop;
}

}  // namespace lanescope::simt
