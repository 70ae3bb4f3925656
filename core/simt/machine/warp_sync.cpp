// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that the lanes of a member mask do together (shuffles, votes, __syncwarp): lanes that come early wait
// until the others of their mask are there, whatever split they are in. Registers are by lane, so the operation
// then works across splits.
#include <algorithm>
#include <array>
#include <bit>

#include <fmt/format.h>

#include "core/simt/checks/access_check.h"
#include "core/simt/code/program.h"
#include "core/simt/machine/handlers.h"
#include "core/simt/machine/scheduler.h"
#include "core/simt/machine/warp_functions.h"

namespace lanescope::simt {
namespace {

const WarpCall& callAt(const Instr* instr)
{
    return *reinterpret_cast<const WarpCall*>(instr->imm);
}

bool waits(const Split& split)
{
    return split.state == Split::State::AtWarpCall;
}

/// Lanes that wait for each other at an operation, and the mask that each of them names.
struct Waiting {
    LaneMask lanes = 0;
    std::array<LaneMask, kWarpSize> members{};
};

/// Who waits at \p instr. A __syncwarp meets any other one; other operations only their own instruction.
Waiting waitingAt(Warp& warp, const Instr* instr)
{
    const WarpCall& call = callAt(instr);
    Waiting waiting;
    for (const Split& split : warp.splits) {
        if (!waits(split) ||
            !(split.ip == instr || (call.function == syncWarp && callAt(split.ip).function == syncWarp)))
            continue;
        const LaneMask lanes = split.mask & ~split.served;
        waiting.lanes |= lanes;
        const uint32_t* const members = warp.vector<uint32_t>(callAt(split.ip).members);
        for (LaneMask rest = lanes; rest; rest &= rest - 1)
            waiting.members[static_cast<size_t>(std::countr_zero(rest))] = members[std::countr_zero(rest)];
    }
    return waiting;
}

void markServed(Warp& warp, LaneMask lanes)
{
    for (Split& split : warp.splits) {
        if (!waits(split))
            continue;
        split.served |= split.mask & lanes;
        if (split.served == split.mask) {
            split.state = Split::State::Ready;
            split.served = 0;
            ++split.ip;
        }
    }
}

void reportMisuse(Warp& warp, const WarpCall& call, LaneMask members, LaneMask lanes, LaneMask missing)
{
    std::string text =
        missing ? fmt::format("{} names lanes 0x{:08x}, but 0x{:08x} of them never come", call.name, members, missing)
        : lanes & ~members ? fmt::format("{} is called by lanes 0x{:08x} that its mask 0x{:08x} does not name",
                                         call.name, lanes & ~members, members)
                           : fmt::format("{} names lanes 0x{:08x}, but 0x{:08x} of them name others", call.name,
                                         members, members & warp.live & ~lanes);
    reportProgramFault(warp, FindingKind::WarpSyncMisuse, call.staticSite, std::countr_zero(lanes), std::move(text));
}

/// Lanes that name the same members.
struct Group {
    LaneMask wanted = 0;
    LaneMask lanes = 0;
};

std::vector<Group> groupsOf(const Waiting& waiting)
{
    std::vector<Group> groups;
    for (LaneMask rest = waiting.lanes; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const LaneMask wanted = waiting.members[static_cast<size_t>(lane)];
        auto group = std::ranges::find(groups, wanted, &Group::wanted);
        if (group == groups.end())
            group = groups.insert(group, {wanted, 0});
        group->lanes |= LaneMask{1} << lane;
    }
    return groups;
}

/// Whether a lane's mask names lanes that have come with another mask, which the language forbids.
bool masksDisagree(const std::vector<Group>& groups, LaneMask waiting)
{
    return std::ranges::any_of(groups,
                               [&](const Group& group) { return (group.wanted & waiting & ~group.lanes) != 0; });
}

/// What an operation writes, of all lanes.
using Results = std::vector<std::array<uint64_t, kWarpSize>>;

/// Calls \p f(result, lane's value) for each; values of 32 bits come and go as 64.
template <typename F>
void forResults(const WarpCall& call, Warp& warp, LaneMask lanes, F f)
{
    for (unsigned i = 0; i < WarpCall::kMaxOperands && call.out[i] != kThreadIdxReg; ++i)
        for (LaneMask rest = lanes; rest; rest &= rest - 1) {
            const auto lane = static_cast<unsigned>(std::countr_zero(rest));
            if (call.wideOut[i]) {
                f(i, lane, warp.vector<uint64_t>(call.out[i])[lane]);
                continue;
            }
            uint64_t value = warp.vector<uint32_t>(call.out[i])[lane];
            f(i, lane, value);
            warp.vector<uint32_t>(call.out[i])[lane] = static_cast<uint32_t>(value);
        }
}

Results resultsOf(const WarpCall& call, Warp& warp)
{
    Results results(WarpCall::kMaxOperands);
    forResults(call, warp, ~LaneMask{0}, [&](unsigned i, unsigned lane, uint64_t value) { results[i][lane] = value; });
    return results;
}

void putResults(const WarpCall& call, Warp& warp, const Results& results, LaneMask lanes)
{
    forResults(call, warp, lanes, [&](unsigned i, unsigned lane, uint64_t& value) { value = results[i][lane]; });
}

/// As GPUs do: who is at the instruction takes part, and a lane sees those that its own mask names. A lane that its
/// mask does not name gets what the first that is named does, 0 if there is none. No lane's result may show before the
/// last has read its operands.
bool serveDisagreeing(Warp& warp, const WarpCall& call, const std::vector<Group>& groups, LaneMask waiting)
{
    const Results before = resultsOf(call, warp);
    Results after = before;
    LaneMask served = 0;
    for (const Group& group : groups) {
        if (group.wanted & warp.live & ~waiting)
            continue;
        const LaneMask seen = group.wanted & waiting;
        reportMisuse(warp, call, group.wanted, group.lanes, 0);
        if (seen)
            call.function(call, warp, seen);
        const auto first = static_cast<unsigned>(std::countr_zero(seen | 1u << 31));
        const Results result = resultsOf(call, warp);
        for (unsigned i = 0; i < result.size(); ++i)
            for (LaneMask rest = group.lanes; rest; rest &= rest - 1) {
                const auto lane = static_cast<unsigned>(std::countr_zero(rest));
                after[i][lane] = !seen ? 0 : result[i][seen >> lane & 1 ? lane : first];
            }
        putResults(call, warp, before, ~LaneMask{0});
        served |= group.lanes;
    }
    putResults(call, warp, after, served);
    markServed(warp, served);
    return served != 0;
}

/// Does the operation for every group of waiting lanes that is complete; with \p force for the first that is not.
bool serve(Warp& warp, const Instr* instr, bool force)
{
    const WarpCall& call = callAt(instr);
    bool served = false;
    const Waiting waiting = waitingAt(warp, instr);
    const std::vector<Group> groups = groupsOf(waiting);
    if (call.function != syncWarp && masksDisagree(groups, waiting.lanes) &&
        serveDisagreeing(warp, call, groups, waiting.lanes))
        return true;
    for (const auto& [wanted, group] : groups) {
        LaneMask missing = wanted & warp.live & ~group;
        if (missing && !force)
            continue;
        if (missing || (group & ~wanted))
            reportMisuse(warp, call, wanted, group, missing);
        call.function(call, warp, group);
        markServed(warp, group);
        served = true;
        force = false;
    }
    return served;
}

bool serveAll(Warp& warp, bool force)
{
    for (const Split& split : warp.splits)
        if (waits(split) && serve(warp, split.ip, force))
            return true;
    return false;
}

}  // namespace

const Instr* runWarpCall(const Instr* instr, Warp& warp)
{
    const WarpCall& call = callAt(instr);
    const uint32_t* members = warp.vector<uint32_t>(call.members);
    uint32_t first = members[std::countr_zero(warp.mask)];
    uint32_t differs = 0;
    for (LaneMask rest = warp.mask; rest; rest &= rest - 1)
        differs |= members[std::countr_zero(rest)] ^ first;
    const bool wasTracked = warp.tracked;
    if (differs == 0 && (first & warp.live) == warp.mask) {
        call.function(call, warp, warp.mask);
        return resumeTracked(warp, wasTracked, instr + 1);
    }
    Split& split = warp.splits[warp.current];
    split.state = Split::State::AtWarpCall;
    split.served = 0;
    split.ip = instr;
    warp.current = Warp::kNoSplit;
    serve(warp, instr, false);
    return resumeTracked(warp, wasTracked, continueWarp(warp));
}

const Instr* resumeTracked(Warp& warp, bool wasTracked, const Instr* next)
{
    if (warp.tracked == wasTracked)
        return next;
    warp.resumeAt = next;
    return nullptr;
}

void serveAfterExit(Warp& warp)
{
    while (serveAll(warp, false)) {
    }
}

void noteSkippedCalls(Warp& warp, LaneMask gone, LaneMask expected)
{
    for (const Split& split : warp.splits) {
        if (!waits(split) || !(split.mask & expected))
            continue;
        const WarpCall& call = callAt(split.ip);
        const LaneMask wanted = warp.vector<uint32_t>(call.members)[std::countr_zero(split.mask)];
        // A __syncwarp may meet a later one.
        if ((wanted & gone) && call.function != syncWarp)
            reportMisuse(warp, call, wanted, split.mask, wanted & gone);
    }
}

bool forceWarpCall(Warp& warp)
{
    return serveAll(warp, true);
}

}  // namespace lanescope::simt
