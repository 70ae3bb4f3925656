// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs one block: gives its warps turns, releases barriers, notices that nobody can go on.
#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "core/simt/definedness.h"
#include "core/simt/program.h"
#include "core/simt/scheduler.h"

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
    return releaseBarriers(block) || progressed;
}

bool releaseAny(Block& block)
{
    return std::any_of(block.warps.begin(), block.warps.end(), [](Warp& warp) { return releaseWaiting(warp); }) ||
           std::any_of(block.warps.begin(), block.warps.end(), [](Warp& warp) { return forceWarpCall(warp); });
}

/// The line of the program that \p at belongs to; 0 when it is of none.
uint32_t lineOf(const Program& program, const Instr* at)
{
    for (size_t i = 0; i < program.code.size(); ++i) {
        const std::vector<Instr>& code = program.code[i];
        if (at < code.data() || at >= code.data() + code.size())
            continue;
        // What stands before it is of the same line, or near.
        for (auto instr = static_cast<size_t>(at - code.data()) + 1; instr-- > 0;)
            for (const uint32_t flow : {program.flowSlots[i][instr].inner, program.flowSlots[i][instr].outer})
                if (flow != 0 && program.flows[flow - 1].where.line != 0)
                    return program.flows[flow - 1].where.line;
    }
    return 0;
}

/// "64 threads at line 12, 1 thread at line 30": where the most are, at most three lines.
std::string whereThreadsAre(const Block& block)
{
    std::map<uint32_t, int> threads;
    for (const Warp& warp : block.warps)
        for (const Split& split : warp.splits)
            if (const uint32_t line = lineOf(*block.program, split.ip))
                threads[line] += laneCount(split.mask);
    std::vector<std::pair<uint32_t, int>> most(threads.begin(), threads.end());
    std::stable_sort(most.begin(), most.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    most.resize(std::min<size_t>(most.size(), 3));
    std::string text;
    for (const auto& [line, count] : most)
        text += fmt::format("{}{} thread{} at line {}", text.empty() ? "" : ", ", count, count == 1 ? "" : "s", line);
    return text;
}

}  // namespace

uint64_t instructionsOf(const Block& block)
{
    uint64_t sum = 0;
    for (const Warp& warp : block.warps)
        sum += warp.instructions;
    return sum;
}

BlockEnd runBlock(Block& block, int quantum, uint64_t maxInstructions, uint64_t slice)
{
    uint64_t begin = slice ? instructionsOf(block) : 0;
    // Counting takes a look at every warp: now and then is enough.
    const uint64_t often = slice ? 64 : 1024;
    uint64_t untilCounted = often;
    while (block.liveLanes > 0 && !block.stop) {
        if (!runRound(block, quantum) && !releaseAny(block)) {
            if (block.atGridBarrier && block.atGridBarrier == block.liveLanes)
                return BlockEnd::AtGridBarrier;
            reportWaiting(block, BarrierReport::Kind::Deadlock);
            block.stop = true;
            block.stopReason = "barrier-deadlock: no thread of the block can go on";
        }
        const bool counts = --untilCounted == 0;
        if (counts) {
            untilCounted = often;
            // A block that loops without events must not keep those it had to itself.
            if (trace::BlockRecorder* recorder = block.warps.front().recorder)
                recorder->keepFresh();
            if (instructionsOf(block) > maxInstructions) {
                block.stop = true;
                block.stopReason = "step-limit";
                if (const std::string where = whereThreadsAre(block); !where.empty())
                    block.stopReason += ": " + where;
            }
        }
        if (slice && !block.stop && block.liveLanes > 0 &&
            (block.yields || (counts && instructionsOf(block) - begin > slice))) {
            block.yields = false;
            return BlockEnd::MadeWay;
        }
    }
    return block.stop ? BlockEnd::Stopped : BlockEnd::Finished;
}

}  // namespace lanescope::simt
