// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asynchronous copies (cp.async): issued, put into groups, waited for. What is done to mbarrier objects.
#include <algorithm>
#include <bit>
#include <utility>

#include "core/simt/checks/async_copy_check.h"
#include "core/simt/checks/async_reads.h"
#include "core/simt/checks/block_checks.h"
#include "core/simt/checks/phase_barriers.h"
#include "core/simt/checks/product_registers.h"
#include "core/simt/checks/sync_order.h"
#include "core/simt/machine/handlers.h"
#include "core/simt/machine/late_copies.h"
#include "core/simt/machine/scheduler.h"
#include "core/simt/memory/address_slots.h"
#include "core/simt/state/lane_memory.h"

namespace lanescope::simt {
namespace {

const SystemCall& callOf(const Instr* instr)
{
    return *reinterpret_cast<const SystemCall*>(instr->imm);
}

AsyncCopies& copiesOf(Warp& warp)
{
    if (!warp.asyncCopies)
        warp.asyncCopies = std::make_unique<AsyncCopies>();
    return *warp.asyncCopies;
}

}  // namespace

/// __ls_async_begin(to, bytes): a copy comes next.
const Instr* runAsyncBegin(const Instr* instr, Warp& warp)
{
    if (!warp.block->late)
        return instr + 1;
    const SystemCall& call = callOf(instr);
    for (LaneMask rest = warp.mask; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        warp.block->late->begin(warp, lane, warp.vector<uint64_t>(call.in[0])[lane],
                                warp.vector<uint32_t>(call.in[1])[lane]);
    }
    return instr + 1;
}

/// __ls_async_write(to, from, bytes): a copy in bulk to global memory comes next.
const Instr* runAsyncWrite(const Instr* instr, Warp& warp)
{
    if (!warp.block->late)
        return instr + 1;
    const SystemCall& call = callOf(instr);
    for (LaneMask rest = warp.mask; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        warp.block->late->beginWrite(warp, lane, warp.vector<uint64_t>(call.in[0])[lane],
                                     warp.vector<uint64_t>(call.in[1])[lane], warp.vector<uint32_t>(call.in[2])[lane]);
    }
    return instr + 1;
}

/// __ls_async_update(update, to, from, bytes): a reduction in bulk of global memory comes next, element by element.
/// What is done to each says \p update: AtomicOp, then from bit 8 on whether of floats, then from bit 16 on how many
/// bytes.
const Instr* runAsyncUpdate(const Instr* instr, Warp& warp)
{
    const SystemCall& call = callOf(instr);
    LateCopies* const late = warp.block->late;
    for (LaneMask rest = warp.mask; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const bool isLate = late && late->isNextLate();
        if (isLate) {
            const uint32_t code = warp.vector<uint32_t>(call.in[0])[lane];
            AtomicInfo update;
            update.op = static_cast<AtomicOp>(code & 0xff);
            update.isFloat = (code >> 8 & 1) != 0;
            update.memory.bytes = static_cast<uint8_t>(code >> 16);
            late->postponeUpdate(warp, lane, endOfGroups(warp, AsyncStream::Bulk, lane, 0),
                                 warp.vector<uint64_t>(call.in[1])[lane], warp.vector<uint64_t>(call.in[2])[lane],
                                 warp.vector<uint32_t>(call.in[3])[lane], update);
        }
        warp.vector<uint32_t>(call.out)[lane] = isLate ? 1 : 0;
    }
    return instr + 1;
}

/// __ls_async_copied(to, bytes): the store has just been made.
const Instr* runAsyncCopied(const Instr* instr, Warp& warp)
{
    const SystemCall& call = callOf(instr);
    for (LaneMask rest = warp.mask; rest; rest &= rest - 1) {
        auto lane = static_cast<unsigned>(std::countr_zero(rest));
        if (warp.block->late)
            warp.block->late->finishGrouped(warp, static_cast<int>(lane), copiesOf(warp).committed[lane]);
        uint64_t address = warp.vector<uint64_t>(call.in[0])[lane];
        uint64_t slot = address >> 32;
        if (slot - kSlotBase >= kEndSlot - kSlotBase)
            continue;
        const ObjectEntry& object = warp.objects[slot - kSlotBase];
        auto offset = static_cast<uint32_t>(address);
        uint32_t bytes = warp.vector<uint32_t>(call.in[1])[lane];
        if (!object.races || !object.races->isShared() || uint64_t{offset} + bytes > object.bytes)
            continue;
        AsyncCopies& copies = copiesOf(warp);
        copies.pending.push_back(
            {static_cast<uint8_t>(lane), copies.committed[lane], offset, bytes, object.races, warp.block->cellIndex});
        beginAsyncCopy(copies.pending.back(), *warp.block);
    }
    return instr + 1;
}

/// __ls_async_commit(): closes the group of what was issued since the last one.
const Instr* runAsyncCommit(const Instr* instr, Warp& warp)
{
    AsyncCopies& copies = copiesOf(warp);
    for (LaneMask rest = warp.mask; rest; rest &= rest - 1)
        ++copies.committed[static_cast<size_t>(std::countr_zero(rest))];
    return instr + 1;
}

/// __ls_async_wait(groups): for all but the latest so many groups; all ones: for everything, committed or not.
const Instr* runAsyncWait(const Instr* instr, Warp& warp)
{
    if (!warp.asyncCopies)
        return instr + 1;
    AsyncCopies& copies = *warp.asyncCopies;
    const uint32_t* allowed = warp.vector<uint32_t>(callOf(instr).in[0]);
    for (LaneMask rest = warp.block->late ? warp.mask : 0; rest; rest &= rest - 1) {
        const auto lane = static_cast<size_t>(std::countr_zero(rest));
        const uint32_t committed = copies.committed[lane];
        warp.block->late->arriveGrouped(warp, static_cast<int>(lane),
                                        allowed[lane] == UINT32_MAX ? UINT32_MAX
                                                                    : committed - std::min(committed, allowed[lane]));
    }
    std::erase_if(copies.pending, [&](const AsyncCopy& copy) {
        bool waits = warp.mask >> copy.lane & 1u;
        bool awaited =
            allowed[copy.lane] == UINT32_MAX || uint64_t{copy.group} + allowed[copy.lane] < copies.committed[copy.lane];
        if (waits && awaited)
            settleAsyncCopy(copy, uint32_t{warp.id} * kWarpSize + copy.lane, warp.block->checks->time,
                            warp.block->checks->epochStart);
        return waits && awaited;
    });
    forgetAsyncCopies(*warp.block);
    return instr + 1;
}

/// __ls_async_bulk(to, bytes, barrier): a copy in bulk has just been made, and the barrier not yet been told.
const Instr* runAsyncBulk(const Instr* instr, Warp& warp)
{
    const SystemCall& call = callOf(instr);
    for (LaneMask rest = warp.mask; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        if (warp.block->late)
            warp.block->late->finishBulk(warp, lane, warp.vector<uint64_t>(call.in[2])[lane]);
        beginBulkCopy(warp, lane, warp.vector<uint64_t>(call.in[0])[lane], warp.vector<uint32_t>(call.in[1])[lane],
                      warp.vector<uint64_t>(call.in[2])[lane], call.staticSite);
    }
    return instr + 1;
}

namespace {

AsyncStream streamOf(const Warp& warp, const SystemCall& call)
{
    const auto* numbers = reinterpret_cast<const uint32_t*>(warp.regs + call.in[0]);
    return static_cast<AsyncStream>(numbers[std::countr_zero(warp.mask)]);
}

}  // namespace

/// __ls_async_read(stream, address, bytes): the read has just been made.
const Instr* runAsyncRead(const Instr* instr, Warp& warp)
{
    const SystemCall& call = callOf(instr);
    for (LaneMask rest = warp.mask; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        if (warp.block->late && streamOf(warp, call) == AsyncStream::Bulk)
            warp.block->late->finishWrites(warp, lane, endOfGroups(warp, AsyncStream::Bulk, lane, 0));
        beginAsyncRead(warp, streamOf(warp, call), lane, warp.vector<uint64_t>(call.in[1])[lane],
                       warp.vector<uint32_t>(call.in[2])[lane], call.staticSite);
    }
    // What comes later is told from it.
    enterReads(*warp.block);
    ++warp.block->checks->time;
    const bool isNew = streamOf(warp, call) == AsyncStream::Products && beginProducts(warp, instr + 1);
    return isNew ? nullptr : instr + 1;
}

/// __ls_products_fence(): wgmma.fence
const Instr* runProductsFence(const Instr* instr, Warp& warp)
{
    const bool isNew = beginProducts(warp, instr + 1);
    warp.products->fence();
    return isNew ? nullptr : instr + 1;
}

/// __ls_async_read_commit(stream)
const Instr* runAsyncReadCommit(const Instr* instr, Warp& warp)
{
    commitAsyncReads(warp, streamOf(warp, callOf(instr)), warp.mask);
    return instr + 1;
}

/// __ls_async_read_wait(stream, groups): for all but the latest so many groups. Products wait for the other warps of
/// the warpgroup to have issued theirs.
const Instr* runAsyncReadWait(const Instr* instr, Warp& warp)
{
    const SystemCall& call = callOf(instr);
    const uint32_t* allowed = warp.vector<uint32_t>(call.in[1]);
    if (streamOf(warp, call) == AsyncStream::Products) {
        const uint32_t groups = allowed[std::countr_zero(warp.mask)];
        if (!haveCommitted(warp, groups)) {
            warp.splits[warp.current].ip = instr;
            warp.quantum = kQuantumOfSleep;
            return nullptr;
        }
        endProducts(warp, groups);
        return instr + 1;
    }
    for (LaneMask rest = warp.mask; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        if (warp.block->late)
            warp.block->late->arriveWrites(warp, lane, endOfGroups(warp, AsyncStream::Bulk, lane, allowed[lane]));
        endAsyncReads(warp, AsyncStream::Bulk, lane, allowed[lane]);
    }
    return instr + 1;
}

/// __ls_async_proxy_fence()
const Instr* runProxyFence(const Instr* instr, Warp& warp)
{
    fenceProxy(warp, warp.mask);
    return instr + 1;
}

/// __ls_phase_barrier(operation, address, amount): the operation comes next, or, of waits, has just been done. A wait
/// that is over acquires what the arrivals released; lanes of one that is not sleep a while, as hardware has them do,
/// for others to come.
const Instr* runPhaseBarrier(const Instr* instr, Warp& warp)
{
    const SystemCall& call = callOf(instr);
    bool goesOnWaiting = false;
    uint64_t checked = 0;
    for (LaneMask rest = warp.mask; rest; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(rest));
        // Of a barrier in another block: the arrivals count there, but are none of that block's threads'.
        const auto operation = static_cast<PhaseOperation>(warp.vector<uint32_t>(call.in[0])[lane]);
        const uint64_t address = warp.vector<uint64_t>(call.in[1])[lane];
        const uint32_t amount = warp.vector<uint32_t>(call.in[2])[lane];
        const Block& owner = ownerOf(warp, address);
        BlockChecks& checks = *owner.checks;
        if (!checks.phaseBarriers)
            checks.phaseBarriers = std::make_unique<PhaseBarriers>();
        const uint64_t within = addressInBlock(warp, address);
        const uint32_t thread = &owner == warp.block ? uint32_t{warp.id} * kWarpSize + lane : kOtherBlocksThread;
        // Of lanes that use one object, the first stands for all.
        const bool isFirst = address != std::exchange(checked, address);
        if (isFirst)
            checks.phaseBarriers->checkState(warp, static_cast<int>(lane), operation, address, call.staticSite);
        checks.phaseBarriers->note(operation, within, amount, thread, call.staticSite);
        if (isFirst)
            checks.phaseBarriers->checkObject(warp, static_cast<int>(lane), operation, address, call.staticSite);
        if (operation == PhaseOperation::Wait && amount == 0) {
            settleBulkCopies(warp, address);
            LateCopies::arriveBulk(warp, address);
        }
        SyncOrder* order = warp.block->checks->order;
        const bool isAlone = warp.block->cluster->blocks.size() == 1;
        if (order && operation == PhaseOperation::Wait && amount == 0)
            order->acquire(warp, static_cast<int>(lane), address, isAlone ? SyncScope::Block : SyncScope::Device);
        goesOnWaiting |= operation == PhaseOperation::Wait && amount != 0;
    }
    if (!goesOnWaiting)
        return instr + 1;
    warp.splits[warp.current].ip = instr + 1;
    warp.quantum = kQuantumOfSleep;
    return nullptr;
}

}  // namespace lanescope::simt
