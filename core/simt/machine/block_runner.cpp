// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs one block: gives its warps turns, releases barriers, notices that nobody can go on.
#include <algorithm>
#include <utility>

#include "core/device/reports.h"
#include "core/simt/checks/async_reads.h"
#include "core/simt/checks/definedness.h"
#include "core/simt/checks/livelock.h"
#include "core/simt/checks/product_registers.h"
#include "core/simt/machine/late_copies.h"
#include "core/simt/machine/outlook.h"
#include "core/simt/machine/scheduler.h"
#include "core/simt/state/cluster.h"
#include "core/trace/writer.h"

namespace lanescope::simt {
namespace {

/// Turns a split may take while others of its warp are ready (a lane spinning on a lock its neighbour holds must
/// make way), and before lanes waiting to reconverge with it are let go.
constexpr uint64_t kFairTurns = 4096;
constexpr uint64_t kReleaseTurns = 30'000;
/// A split that ended its turn with __nanosleep polls for what others do: it counts for so many turns.
constexpr uint64_t kTurnsOfSleep = 1024;

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
    const uint64_t before = split.quanta;
    split.quanta += warp.quantum == kQuantumOfSleep ? kTurnsOfSleep : 1;
    const auto reached = [&](uint64_t turns) { return split.quanta / turns != before / turns; };
    if (warp.splits.size() > 1 && reached(kFairTurns))
        return rotate(warp);
    if (!warp.joins.empty() && reached(kReleaseTurns) && releaseWaiting(warp))
        return rotate(warp);
    return warp.splits[warp.current].ip;
}

/// How much of its turn a warp used.
enum class Turn : uint8_t { None, Part, Whole };

Turn runTurn(Warp& warp, int quantum)
{
    const Instr* instr = beginTurn(warp);
    if (!instr)
        return Turn::None;
    warp.quantum = quantum;
    rest(warp);
    if (!isWatched(warp)) {
        while (instr)
            instr = instr->run(instr, warp);
        instr = std::exchange(warp.resumeAt, nullptr);
    }
    while (instr)
        instr = stepWatched(warp, instr);
    return warp.quantum == 0 ? Turn::Whole : Turn::Part;
}

struct Round {
    bool progressed = false;
    bool hasWholeTurns = false;
};

Round runRound(Block& block, int quantum)
{
    Round round;
    for (Warp& warp : block.warps) {
        const Turn turn = runTurn(warp, quantum);
        round.progressed |= turn != Turn::None;
        round.hasWholeTurns |= turn == Turn::Whole;
        if (block.stop)
            return round;
    }
    round.progressed |= releaseBarriers(block);
    round.progressed |= block.atClusterBarrier != 0 && settleClusterBarrier(*block.cluster);
    return round;
}

bool releaseAny(Block& block)
{
    return std::any_of(block.warps.begin(), block.warps.end(), [](Warp& warp) { return releaseWaiting(warp); }) ||
           std::any_of(block.warps.begin(), block.warps.end(), [](Warp& warp) { return forceWarpCall(warp); });
}

}  // namespace

const Instr* stepWatched(Warp& warp, const Instr* instr)
{
    const Instr* next = warp.products  ? warp.products->step(instr, warp)
                        : warp.tracked ? warp.tracker->step(instr, warp)
                                       : instr->run(instr, warp);
    // A warp that has just become watched goes on there.
    return next ? next : std::exchange(warp.resumeAt, nullptr);
}

uint64_t instructionsOf(const Block& block)
{
    uint64_t sum = block.endedWarps.instructions;
    for (const Warp& warp : block.warps)
        sum += warp.instructions;
    return sum;
}

void runWarp(Warp& warp, int quantum)
{
    while (warp.live && !warp.block->stop && runTurn(warp, quantum) == Turn::Part) {
    }
}

BlockEnd runBlock(Block& block, int quantum, uint64_t maxInstructions, uint64_t slice)
{
    uint64_t begin = slice ? instructionsOf(block) : 0;
    // Counting takes a look at every warp: now and then is enough, or when turns are long.
    const uint64_t often = slice ? 64 : 1024;
    const bool hasLongTurns = quantum >= 64;
    uint64_t untilCounted = often;
    uint64_t nextLook = nextOutlook(0);
    while (block.liveLanes > 0 && !block.stop) {
        const Round round = runRound(block, quantum);
        if (!round.progressed && !block.stop && !releaseAny(block)) {
            if (block.atGridBarrier && block.atGridBarrier == block.liveLanes)
                return BlockEnd::AtGridBarrier;
            if (block.atClusterBarrier && block.cluster->blocks.size() > 1)
                return BlockEnd::AtClusterBarrier;
            reportWaiting(block, device::BarrierReport::Kind::Deadlock);
            block.stop = true;
            block.stopReason = {FindingKind::BarrierDeadlock, "no thread of the block can go on"};
        }
        const bool counts = --untilCounted == 0 || (hasLongTurns && round.hasWholeTurns);
        if (counts) {
            untilCounted = often;
            // A block that loops without events must not keep those it had to itself.
            if (trace::BlockRecorder* recorder = block.warps.front().recorder)
                recorder->keepFresh();
            if (block.watch && !block.watch->look(block)) {
                block.stop = true;
                block.stopReason = {std::nullopt, "interrupted"};
            }
            if (instructionsOf(block) > maxInstructions) {
                block.stop = true;
                block.stopReason = {FindingKind::StepLimit, whereThreadsAre(block)};
            }
            // Of blocks that take turns, who gives them their turns looks at all together.
            if (!slice && !block.stop && instructionsOf(block) > nextLook) {
                nextLook = nextOutlook(instructionsOf(block));
                if (outlookOf(block, kLongLook, /*letsLanesGo=*/true) == Outlook::GoesRound) {
                    block.stop = true;
                    block.stopReason = reportLivelock(block);
                }
            }
        }
        if (slice && !block.stop && block.liveLanes > 0 &&
            (block.yields || (counts && instructionsOf(block) - begin > slice))) {
            block.yields = false;
            return BlockEnd::MadeWay;
        }
    }
    if (block.stop)
        return BlockEnd::Stopped;
    if (block.late)
        block.late->arriveAllWrites();
    reportNotAwaited(block);
    return BlockEnd::Finished;
}

}  // namespace lanescope::simt
