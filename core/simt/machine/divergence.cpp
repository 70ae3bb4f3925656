// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Divergence: lanes that disagree at a branch become two splits that meet again at the branch's immediate
// post-dominator. Lanes that arrive there wait in a join until the others arrive, exit, or are given up on.
#include <algorithm>
#include <array>
#include <bit>

#include "core/simt/code/program.h"
#include "core/simt/machine/handlers.h"
#include "core/simt/machine/scheduler.h"
#include "core/trace/writer.h"

namespace lanescope::simt {
namespace {

void countBlock(Warp& warp, uint32_t instructions, uint32_t flops)
{
    warp.instructions += instructions;
    warp.flops += uint64_t{flops} * laneCount(warp.mask);
}

bool headsFor(const Warp& warp, const Split& split, const Instr* at)
{
    if (split.join < 0)
        return false;
    const Join& join = warp.joins[static_cast<size_t>(split.join)];
    return join.at == at && join.depth == split.calls.size();
}

int makeJoin(Warp& warp, const Instr* at, const Split& split)
{
    auto free = std::find_if(warp.joins.begin(), warp.joins.end(), [](const Join& join) { return !join.used; });
    if (free == warp.joins.end())
        free = warp.joins.emplace(warp.joins.end());
    free->at = at;
    free->expected = split.mask;
    free->arrived = 0;
    free->parent = split.join;
    free->depth = static_cast<uint32_t>(split.calls.size());
    free->used = true;
    return static_cast<int>(free - warp.joins.begin());
}

/// The join that lanes diverging at a branch with \p reconverge will meet at.
int joinFor(Warp& warp, const Split& split, const Instr* reconverge)
{
    if (!reconverge)
        return split.join;
    if (headsFor(warp, split, reconverge))
        return split.join;
    return makeJoin(warp, reconverge, split);
}

void forkSplit(Warp& warp, LaneMask mask, const Instr* ip, int join)
{
    Split& child = warp.splits.emplace_back();
    const Split& parent = warp.splits[warp.current];
    child.ip = ip;
    child.mask = mask;
    child.join = join;
    child.calls = parent.calls;
    child.scalars = warp.takeScalars();
    child.scalars = parent.scalars;
}

/// Lanes of the running split that diverge to where the others will meet them wait there at once.
void waitAt(Warp& warp, int index, LaneMask lanes)
{
    Join& join = warp.joins[static_cast<size_t>(index)];
    const Split& split = warp.splits[warp.current];
    join.arrived |= lanes;
    join.calls = split.calls;
    join.scalars = split.scalars;
}

/// Turns the lanes waiting at a join into a running split.
void resumeJoin(Warp& warp, int index)
{
    Join& join = warp.joins[static_cast<size_t>(index)];
    Split split;
    split.ip = join.at;
    split.mask = join.arrived;
    split.join = join.parent;
    split.calls = std::move(join.calls);
    split.scalars = std::move(join.scalars);
    join.used = false;
    warp.splits.push_back(std::move(split));
}

/// Takes lanes that will not arrive out of a join and all those around it.
void leaveJoins(Warp& warp, int index, LaneMask lanes)
{
    while (index >= 0) {
        Join& join = warp.joins[static_cast<size_t>(index)];
        int parent = join.parent;
        join.expected &= ~lanes;
        if (join.expected == 0)
            join.used = false;
        else if (join.arrived == join.expected)
            resumeJoin(warp, index);
        index = parent;
    }
}

}  // namespace

void removeSplit(Warp& warp, size_t index)
{
    warp.spareScalars.push_back(std::move(warp.splits[index].scalars));
    if (index + 1 != warp.splits.size())
        warp.splits[index] = std::move(warp.splits.back());
    warp.splits.pop_back();
    warp.current = Warp::kNoSplit;
}

const Instr* continueWarp(Warp& warp)
{
    for (size_t i = warp.splits.size(); i-- > 0;)
        if (warp.splits[i].state == Split::State::Ready) {
            warp.activate(i);
            return warp.splits[i].ip;
        }
    warp.current = Warp::kNoSplit;
    return nullptr;
}

bool releaseWaiting(Warp& warp)
{
    for (size_t i = 0; i < warp.joins.size(); ++i) {
        Join& join = warp.joins[i];
        if (!join.used || !join.arrived)
            continue;
        if (!join.at->a)  // else they only exit
            noteSkippedCalls(warp, join.arrived, join.expected & ~join.arrived);
        // Lanes let go early never meet the others again: values that are uniform per split stay so.
        LaneMask released = join.arrived;
        int parent = join.parent;
        join.expected &= ~released;
        Split split;
        split.ip = join.at + 1;
        split.mask = released;
        split.calls = join.calls;
        split.scalars = join.scalars;
        join.arrived = 0;
        if (join.expected == 0)
            join.used = false;
        leaveJoins(warp, parent, released);
        warp.splits.push_back(std::move(split));
        return true;
    }
    return false;
}

const Instr* runCountRun(const Instr* instr, Warp& warp)
{
    if (RunCount* const runs = warp.block->runs) {
        ++runs[instr->a].warps;
        runs[instr->a].lanes += laneCount(warp.mask);
    }
    return instr + 1;
}

const Instr* runDiverge(const Instr* instr, Warp& warp, LaneMask taken)
{
    const auto& info = *reinterpret_cast<const BranchInfo*>(instr->imm);
    const int join = joinFor(warp, warp.splits[warp.current], info.reconverge);
    const LaneMask others = warp.mask & ~taken;
    countBlock(warp, info.instructions, info.flops);
    LaneMask goesOn = taken;
    const Instr* next = info.ifTrue;
    if (info.ifFalse == info.reconverge) {
        waitAt(warp, join, others);
    } else if (info.ifTrue == info.reconverge) {
        waitAt(warp, join, taken);
        goesOn = others;
        next = info.ifFalse;
    } else {
        forkSplit(warp, others, info.ifFalse, join);
    }
    Split& split = warp.splits[warp.current];
    split.join = join;
    split.mask = goesOn;
    warp.activate(warp.current);
    if (--warp.quantum > 0)
        return next;
    split.ip = next;
    return nullptr;
}

namespace {

const Instr* switchTarget(const SwitchInfo& info, uint64_t value)
{
    for (const auto& [constant, target] : info.cases)
        if (constant == value)
            return target;
    return info.fallback;
}

}  // namespace

const Instr* runSwitchScalar(const Instr* instr, Warp& warp)
{
    const auto& info = *reinterpret_cast<const SwitchInfo*>(instr->imm);
    uint64_t value = info.wide ? warp.scalar<uint64_t>(instr->a) : warp.scalar<uint32_t>(instr->a);
    countBlock(warp, info.instructions, info.flops);
    if (warp.recorder)
        warp.recorder->branch(info.site, warp.id, warp.mask, warp.mask);
    warp.splits[warp.current].ip = switchTarget(info, value);
    return --warp.quantum > 0 ? warp.splits[warp.current].ip : nullptr;
}

const Instr* runSwitch(const Instr* instr, Warp& warp)
{
    const auto& info = *reinterpret_cast<const SwitchInfo*>(instr->imm);
    SwitchGroups groups;
    for (LaneMask rest = warp.mask; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const uint64_t value =
            info.wide ? warp.vector<uint64_t>(instr->a)[lane] : warp.vector<uint32_t>(instr->a)[lane];
        groups.add(switchTarget(info, value), LaneMask{1} << lane);
    }
    return runSwitchGroups(instr, warp, groups);
}

const Instr* runSwitchGroups(const Instr* instr, Warp& warp, SwitchGroups& groups)
{
    const auto& info = *reinterpret_cast<const SwitchInfo*>(instr->imm);
    // In the order of their first lanes, so that the schedule does not depend on how cases are numbered.
    std::sort(groups.groups, groups.groups + groups.count,
              [](const auto& a, const auto& b) { return std::countr_zero(a.lanes) < std::countr_zero(b.lanes); });
    const auto* first = groups.groups;
    countBlock(warp, info.instructions, info.flops);
    if (warp.recorder)
        warp.recorder->branch(info.site, warp.id, warp.mask, first->lanes);
    if (groups.count > 1) {
        const int join = joinFor(warp, warp.splits[warp.current], info.reconverge);
        const auto* const end = groups.groups + groups.count;
        const auto waits = [&](const auto& group) { return group.target == info.reconverge; };
        first = std::find_if_not(first, end, waits);  // there is one: groups have different targets
        for (const auto* group = end; group-- != groups.groups;) {
            if (waits(*group))
                waitAt(warp, join, group->lanes);
            else if (group != first)
                forkSplit(warp, group->lanes, group->target, join);
        }
        warp.splits[warp.current].join = join;
        warp.splits[warp.current].mask = first->lanes;
        warp.activate(warp.current);
    }
    warp.splits[warp.current].ip = first->target;
    return --warp.quantum > 0 ? first->target : nullptr;
}

const Instr* runJoinPoint(const Instr* instr, Warp& warp)
{
    Split& split = warp.splits[warp.current];
    if (!headsFor(warp, split, instr))
        return instr + 1;
    Join& join = warp.joins[static_cast<size_t>(split.join)];
    join.arrived |= split.mask;
    if (join.arrived == join.expected) {
        split.mask = join.arrived;
        split.join = join.parent;
        join.used = false;
        warp.activate(warp.current);
        return instr;  // it may be where outer joins meet as well
    }
    join.calls = std::move(split.calls);
    join.scalars.swap(split.scalars);
    removeSplit(warp, warp.current);
    return continueWarp(warp);
}

const Instr* runCall(const Instr* instr, Warp& warp)
{
    warp.splits[warp.current].calls.push_back({instr + 1});
    return *reinterpret_cast<const Instr* const*>(instr->imm);
}

const Instr* runReturn(const Instr*, Warp& warp)
{
    auto& calls = warp.splits[warp.current].calls;
    const Instr* returnTo = calls.back().returnTo;
    calls.pop_back();
    return returnTo;
}

const Instr* runExit(const Instr* instr, Warp& warp)
{
    LaneMask lanes = warp.mask;
    countBlock(warp, instr->a, static_cast<uint32_t>(instr->imm));
    if (warp.recorder && instr->b)
        warp.recorder->mark(SiteId{instr->c}, warp.id, lanes);
    int join = warp.splits[warp.current].join;
    warp.live &= ~lanes;
    warp.block->liveLanes -= laneCount(lanes);
    if (warp.live == 0 && warp.block->isApart && warp.splits.size() == 1)
        return nullptr;
    removeSplit(warp, warp.current);
    leaveJoins(warp, join, lanes);
    const bool wasTracked = warp.tracked;
    serveAfterExit(warp);
    return resumeTracked(warp, wasTracked, continueWarp(warp));
}

}  // namespace lanescope::simt
