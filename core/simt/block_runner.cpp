// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs one block: gives its warps turns, releases barriers, notices that nobody can go on.
#include <algorithm>
#include <bit>
#include <utility>

#include "core/simt/definedness.h"
#include "core/simt/race_check.h"
#include "core/simt/scheduler.h"

namespace lanescope::simt {
namespace {

/// Turns a split may take while others of its warp are ready (a lane spinning on a lock its neighbour holds must
/// make way), and before lanes waiting to reconverge with it are let go.
constexpr uint64_t kFairTurns = 4096;
constexpr uint64_t kReleaseTurns = 400'000;

uint32_t threadOf(const Warp& warp, LaneMask lanes)
{
    return uint32_t{warp.id} * kWarpSize + static_cast<uint32_t>(std::countr_zero(lanes));
}

void report(Block& block, BarrierReport found)
{
    auto known = std::find_if(block.barriers.begin(), block.barriers.end(), [&](const BarrierReport& other) {
        return other.kind == found.kind && other.sites[0] == found.sites[0] && other.sites[1] == found.sites[1];
    });
    if (known != block.barriers.end()) {
        ++known->count;
        return;
    }
    found.epoch = block.epoch;
    const trace::BlockRecorder* recorder = block.warps.front().recorder;
    found.step = recorder ? recorder->steps() : 0;
    block.barriers.push_back(found);
}

/// Lanes of a warp that have exited: those that ran past the barrier that others wait at, before the others.
void reportExited(Block& block, const Warp& warp, const Split& waiting, uint32_t waitingThread)
{
    LaneMask exited = warp.launched & ~warp.live;
    LaneMask past = 0;
    for (LaneMask rest = exited; rest; rest &= rest - 1) {
        auto lane = static_cast<size_t>(std::countr_zero(rest));
        if (waiting.passedMark && warp.passedMark[lane] == waiting.passedMark && warp.passedEpoch[lane] == block.epoch)
            past |= LaneMask{1} << lane;
    }
    if (past)
        report(block,
               {BarrierReport::Kind::RanPast, {waiting.barrierSite, kNoSite}, {waitingThread, threadOf(warp, past)}});
    else if (exited)
        report(block,
               {BarrierReport::Kind::Exited, {waiting.barrierSite, kNoSite}, {waitingThread, threadOf(warp, exited)}});
}

/// All living threads wait: at one barrier?
void checkMeeting(Block& block)
{
    const Split* first = nullptr;
    uint32_t firstThread = 0;
    uint32_t launched = 0;
    for (const Warp& warp : block.warps) {
        launched += static_cast<uint32_t>(std::popcount(warp.launched));
        for (const Split& split : warp.splits) {
            if (!first) {
                first = &split;
                firstThread = threadOf(warp, split.mask);
            } else if (split.barrierSite != first->barrierSite) {
                report(block, {BarrierReport::Kind::WaitsElsewhere,
                               {first->barrierSite, split.barrierSite},
                               {firstThread, threadOf(warp, split.mask)}});
            }
        }
    }
    if (launched != block.liveLanes)
        for (const Warp& warp : block.warps)
            reportExited(block, warp, *first, firstThread);
}

void releaseBarrier(Block& block)
{
    if (block.waitingLanes == 0 || block.waitingLanes != block.liveLanes)
        return;
    if (block.checks)
        checkMeeting(block);
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
    if (!warp.tracked) {
        while (instr)
            instr = instr->run(instr, warp);
        instr = std::exchange(warp.resumeAt, nullptr);
    }
    while (instr)
        instr = warp.tracker->step(instr, warp);
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
        // A long turn is many instructions by itself.
        if (round % 1024 == 1023 || quantum > 1)
            if (trace::BlockRecorder* recorder = block.warps.front().recorder)
                recorder->keepFresh();
        if (round % 1024 == 1023 && instructionsOf(block) > maxInstructions) {
            block.stop = true;
            block.stopReason = "step-limit";
        }
    }
    return !block.stop;
}

}  // namespace lanescope::simt
