// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers of a block (all sixteen, with votes) and of the grid; fences.
#include <algorithm>
#include <array>
#include <bit>

#include "core/simt/checks/block_checks.h"
#include "core/simt/checks/race_check.h"
#include "core/simt/checks/sync_order.h"
#include "core/simt/machine/handlers.h"
#include "core/simt/machine/scheduler.h"
#include "core/simt/state/cluster.h"
#include "core/trace/writer.h"

namespace lanescope::simt {
namespace {

/// Of the first active lane; \p reg == UINT32_MAX: 0.
uint32_t uniformOperand(Warp& warp, uint32_t reg)
{
    return reg == UINT32_MAX ? 0 : warp.vector<uint32_t>(reg)[std::countr_zero(warp.mask)];
}

/// A barrier with a count is for whole warps: the last warp of a block counts as 32 threads.
uint32_t countedLanes(const Warp& warp, uint32_t expected)
{
    bool whole = expected != 0 && warp.mask == warp.live;
    return whole ? kWarpSize : laneCount(warp.mask);
}

NamedBarrier& barrierOf(Warp& warp, const Instr* instr)
{
    return warp.block->namedBarriers[uniformOperand(warp, instr->dst) % Block::kBarriers];
}

uint32_t threadOf(const Warp& warp, LaneMask lanes)
{
    return uint32_t{warp.id} * kWarpSize + static_cast<uint32_t>(std::countr_zero(lanes));
}

void report(Block& block, device::BarrierReport found)
{
    // Once its threads are out of step, what follows is the same mistake.
    bool outOfStep =
        !block.checks->barriers.empty() && block.checks->barriers.front().kind != device::BarrierReport::Kind::Exited;
    auto known = std::find_if(
        block.checks->barriers.begin(), block.checks->barriers.end(), [&](const device::BarrierReport& other) {
            return other.kind == found.kind && other.sites[0] == found.sites[0] && other.sites[1] == found.sites[1];
        });
    if (known != block.checks->barriers.end()) {
        ++known->count;
        return;
    }
    if (outOfStep)
        return;
    found.epoch = block.epoch;
    const trace::BlockRecorder* recorder = block.warps.front().recorder;
    found.step = recorder ? recorder->steps() : 0;
    block.checks->barriers.push_back(found);
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
        report(block, {device::BarrierReport::Kind::RanPast,
                       {waiting.barrierSite, kNoSite},
                       {waitingThread, threadOf(warp, past)}});
    else if (exited)
        report(block, {device::BarrierReport::Kind::Exited,
                       {waiting.barrierSite, kNoSite},
                       {waitingThread, threadOf(warp, exited)}});
}

/// All living threads wait: at one barrier?
void checkMeeting(Block& block)
{
    const Split* first = nullptr;
    uint32_t firstThread = 0;
    uint32_t launched = 0;
    for (const Warp& warp : block.warps) {
        launched += laneCount(warp.launched);
        for (const Split& split : warp.splits) {
            if (!first) {
                first = &split;
                firstThread = threadOf(warp, split.mask);
            } else if (split.barrierSite != first->barrierSite) {
                device::BarrierReport found{device::BarrierReport::Kind::WaitsElsewhere,
                                            {first->barrierSite, split.barrierSite},
                                            {firstThread, threadOf(warp, split.mask)}};
                // The conditional barrier is the one to look at.
                if (split.passedMark && !first->passedMark) {
                    std::swap(found.sites[0], found.sites[1]);
                    std::swap(found.threads[0], found.threads[1]);
                }
                report(block, found);
            }
        }
    }
    if (launched != block.liveLanes)
        for (const Warp& warp : block.warps)
            reportExited(block, warp, *first, firstThread);
}

void release(Block& block, NamedBarrier& barrier, uint8_t id)
{
    std::array<LaneMask, WarpOrder::kMostWarps> waiting{};
    uint32_t released = 0;
    for (const Warp& warp : block.warps)
        for (const Split& split : warp.splits)
            if (split.state == Split::State::AtBarrier && split.barrier == id) {
                waiting[warp.id] |= split.mask;
                released += laneCount(split.mask);
            }
    // Only a barrier of the whole block orders all its threads. One with a count is for whoever comes, from anywhere.
    const bool all = released == block.liveLanes;
    if (all && block.checks->bounds && !barrier.expected)
        checkMeeting(block);
    for (Warp& warp : block.warps)
        for (Split& split : warp.splits)
            if (split.state == Split::State::AtBarrier && split.barrier == id)
                split.state = Split::State::Ready;
    block.waitingLanes -= released;
    barrier.result = barrier.count;
    barrier.allVoted = barrier.votes;
    barrier.waiting = barrier.arrived = barrier.count = barrier.votes = 0;
    barrier.expected = 0;
    if (all)
        ++block.epoch;
    for (SharedDefinedness& shared : block.checks->sharedDefined)
        shared.settle();
    if (all)
        meetBlock(block);
    else
        meetWarps(block, waiting, barrier.arrivals);
    barrier.arrivals.clear();
}

}  // namespace

bool releaseBarriers(Block& block)
{
    if (block.waitingLanes == 0)
        return false;
    bool released = false;
    for (uint32_t rest = block.waitedAt; rest; rest &= rest - 1) {
        const auto id = static_cast<uint8_t>(std::countr_zero(rest));
        NamedBarrier& barrier = block.namedBarriers[id];
        bool complete = barrier.expected ? barrier.waiting + barrier.arrived >= barrier.expected
                                         : barrier.waiting == block.liveLanes;
        if (complete) {
            release(block, barrier, id);
            block.waitedAt &= ~(1u << id);
            released = true;
        }
    }
    return released;
}

const Instr* runBarrier(const Instr* instr, Warp& warp)
{
    Split& split = warp.splits[warp.current];
    if (warp.recorder)
        warp.recorder->barrier(SiteId{instr->c}, warp.id, warp.mask);
    NamedBarrier& barrier = barrierOf(warp, instr);
    barrier.expected = uniformOperand(warp, instr->a);
    barrier.waiting += countedLanes(warp, barrier.expected);
    split.state = Split::State::AtBarrier;
    split.barrier = static_cast<uint8_t>(&barrier - warp.block->namedBarriers);
    warp.block->waitedAt |= 1u << split.barrier;
    split.ip = instr + 1;
    split.barrierSite = SiteId{instr->c};
    split.passedMark = instr->b;
    warp.block->waitingLanes += laneCount(warp.mask);
    warp.current = Warp::kNoSplit;
    return nullptr;
}

const Instr* runPassedMark(const Instr* instr, Warp& warp)
{
    for (LaneMask rest = warp.mask; rest; rest &= rest - 1) {
        auto lane = static_cast<size_t>(std::countr_zero(rest));
        warp.passedMark[lane] = instr->c;
        warp.passedEpoch[lane] = warp.block->epoch;
    }
    return instr + 1;
}

const Instr* runFence(const Instr* instr, Warp& warp)
{
    Block& block = *warp.block;
    auto scope = static_cast<SyncScope>(instr->imm);
    if (scope == SyncScope::Cluster)
        scope = block.cluster->blocks.size() > 1 ? SyncScope::Device : SyncScope::Block;
    if (SyncOrder* order = block.checks->order)
        order->fence(warp, warp.mask, scope);
    if (block.cluster->blocks.size() > 1 && scope == SyncScope::Device)
        warp.fencedAt = block.checks->time;
    return instr + 1;
}

const Instr* runBarrierArrive(const Instr* instr, Warp& warp)
{
    NamedBarrier& barrier = barrierOf(warp, instr);
    barrier.expected = uniformOperand(warp, instr->a);
    barrier.arrived += countedLanes(warp, barrier.expected);
    enterReads(*warp.block);
    barrier.arrivals.push_back({warp.id, ++warp.block->checks->time});
    return instr + 1;
}

const Instr* runBarrierVote(const Instr* instr, Warp& warp)
{
    NamedBarrier& barrier = barrierOf(warp, instr);
    const uint32_t* predicate = warp.vector<uint32_t>(instr->b);
    for (LaneMask rest = warp.mask; rest; rest &= rest - 1)
        barrier.count += predicate[std::countr_zero(rest)] != 0;
    barrier.votes += laneCount(warp.mask);
    return instr + 1;
}

const Instr* runBarrierResult(const Instr* instr, Warp& warp)
{
    const NamedBarrier& barrier = barrierOf(warp, instr);
    uint32_t result = instr->imm == 0   ? barrier.result
                      : instr->imm == 1 ? barrier.result == barrier.allVoted
                                        : barrier.result != 0;
    for (LaneMask rest = warp.mask; rest; rest &= rest - 1)
        warp.vector<uint32_t>(instr->b)[std::countr_zero(rest)] = result;
    return instr + 1;
}

void reportWaiting(Block& block, device::BarrierReport::Kind kind)
{
    device::BarrierReport found;
    found.kind = kind;
    for (const Warp& warp : block.warps)
        for (const Split& split : warp.splits) {
            if (split.state != Split::State::AtBarrier && split.state != Split::State::AtGridBarrier &&
                split.state != Split::State::AtClusterBarrier)
                continue;
            if (found.sites[0] == kNoSite) {
                found.sites[0] = split.barrierSite;
                found.threads[0] = threadOf(warp, split.mask);
            } else if (found.sites[1] == kNoSite && split.barrierSite != found.sites[0]) {
                found.sites[1] = split.barrierSite;
                found.threads[1] = threadOf(warp, split.mask);
            }
        }
    if (found.sites[0] != kNoSite)
        report(block, found);
}

const Instr* runGridBarrier(const Instr* instr, Warp& warp)
{
    Split& split = warp.splits[warp.current];
    if (warp.recorder)
        warp.recorder->barrier(SiteId{instr->c}, warp.id, warp.mask);
    split.state = Split::State::AtGridBarrier;
    split.ip = instr + 1;
    split.barrierSite = SiteId{instr->c};
    warp.block->atGridBarrier += laneCount(warp.mask);
    warp.current = Warp::kNoSplit;
    return nullptr;
}

void releaseGridBarrier(Block& block)
{
    if (block.checks->bounds)
        checkMeeting(block);
    for (Warp& warp : block.warps)
        for (Split& split : warp.splits)
            if (split.state == Split::State::AtGridBarrier)
                split.state = Split::State::Ready;
    block.atGridBarrier = 0;
    ++block.epoch;
}

}  // namespace lanescope::simt
