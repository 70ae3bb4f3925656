// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/checks/livelock.h"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/simt/checks/access_check.h"
#include "core/simt/checks/phase_barriers.h"
#include "core/simt/code/program.h"

namespace lanescope::simt {
namespace {

uint32_t lineOf(const Program& program, const Instr* at)
{
    const CodeSpan span = program.spanOf(at);
    // What stands before it is of the same line, or near.
    for (const Instr* instr = at; span.holds(instr); --instr)
        for (const uint32_t flow : {span.slotsOf(instr).inner, span.slotsOf(instr).outer})
            if (flow != 0 && program.flows[flow - 1].where.line != 0)
                return program.flows[flow - 1].where.line;
    return 0;
}

/// The line at which the threads of \p split wait; of those that do not, where they happen to be.
uint32_t lineOf(const Program& program, const Split& split)
{
    if (split.state == Split::State::AtWarpCall)
        return program.sites[reinterpret_cast<const WarpCall*>(split.ip->imm)->staticSite].where.line;
    // Who waits at a barrier goes on behind it.
    if (split.state == Split::State::AtBarrier || split.state == Split::State::AtGridBarrier ||
        split.state == Split::State::AtClusterBarrier)
        if (const auto site = std::ranges::find(program.sites, split.barrierSite, &trace::Site::id);
            site != program.sites.end())
            return site->where.line;
    return lineOf(program, split.ip);
}

using ThreadsAtLines = std::map<uint32_t, unsigned>;

/// "64 threads WORDS line 12, 1 thread WORD line 30"
std::string textOf(const ThreadsAtLines& lines, const char* word, const char* words)
{
    constexpr size_t kShown = 3;
    std::vector<std::pair<uint32_t, unsigned>> most(lines.begin(), lines.end());
    std::stable_sort(most.begin(), most.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    most.resize(std::min(most.size(), kShown));
    std::string text;
    for (const auto& [line, count] : most)
        text += fmt::format("{}{} {} line {}", text.empty() ? "" : ", ", count, count == 1 ? word : words, line);
    return text;
}

}  // namespace

StopReason reportLivelock(Block& block)
{
    if (StopReason reason = reportPhaseDeadlock(block); !reason.empty())
        return reason;
    ThreadsAtLines round, waiting;
    for (Warp& warp : block.warps) {
        for (const Split& split : warp.splits) {
            const bool waits = split.state != Split::State::Ready;
            uint32_t line = lineOf(*block.program, split);
            if (!waits && split.lastRead != UINT32_MAX) {
                // What they read says more than where in the loop they happen to be.
                line = block.program->sites[split.lastRead].where.line;
                for (LaneMask rest = split.mask; rest; rest &= rest - 1)
                    reportProgramFault(warp, FindingKind::Livelock, split.lastRead, std::countr_zero(rest),
                                       "threads go round for ever: no thread that runs changes what they read here");
            }
            (waits ? waiting : round)[line] += laneCount(split.mask);
        }
        for (const Join& join : warp.joins)
            if (join.used && join.arrived)
                waiting[lineOf(*block.program, join.at)] += laneCount(join.arrived);
    }
    std::string text = "no thread changes anything any more";
    for (const std::string& part : {textOf(round, "thread goes round at", "threads go round at"),
                                    textOf(waiting, "thread waits at", "threads wait at")})
        if (!part.empty())
            text += "; " + part;
    return {FindingKind::Livelock, text};
}

std::string placeOfThread(const Block& block, uint32_t thread)
{
    if (thread / kWarpSize >= block.warps.size())
        return "";
    const Program& program = *block.program;
    const Warp& warp = block.warps[thread / kWarpSize];
    const LaneMask lane = LaneMask{1} << thread % kWarpSize;
    for (const Split& split : warp.splits) {
        if (!(split.mask & lane))
            continue;
        const bool goesRound = split.state == Split::State::Ready && split.lastRead != UINT32_MAX;
        const uint32_t line = goesRound ? program.sites[split.lastRead].where.line : lineOf(program, split);
        const uint32_t caller = split.calls.empty() ? 0 : lineOf(program, split.calls.back().returnTo - 1);
        return fmt::format("line {}{}", line, caller ? fmt::format(", called from line {}", caller) : "");
    }
    for (const Join& join : warp.joins)
        if (join.used && (join.arrived & lane))
            return fmt::format("line {}", lineOf(program, join.at));
    return "";
}

std::string whereThreadsAre(const Block& block)
{
    ThreadsAtLines threads;
    for (const Warp& warp : block.warps)
        for (const Split& split : warp.splits)
            if (const uint32_t line = lineOf(*block.program, split))
                threads[line] += laneCount(split.mask);
    return textOf(threads, "thread at", "threads at");
}

}  // namespace lanescope::simt
