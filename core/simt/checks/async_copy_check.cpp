// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/checks/async_copy_check.h"

#include <algorithm>

#include "core/simt/checks/block_checks.h"
#include "core/simt/checks/sync_order.h"
#include "core/simt/code/program.h"
#include "core/simt/memory/address_slots.h"
#include "core/simt/state/lane_memory.h"

namespace lanescope::simt {
namespace {

template <typename F>
void forCells(const AsyncCopy& copy, F f)
{
    for (uint64_t cell = copy.offset >> copy.cells->shift, last = (copy.offset + copy.bytes - 1) >> copy.cells->shift;
         cell <= last; ++cell)
        f(cell);
}

}  // namespace

void beginAsyncCopy(const AsyncCopy& copy, const Block& block)
{
    copy.cells->noteWrite(kTimeOfPendingCopy);
    forCells(copy, [&](uint64_t cell) {
        Toucher writer = copy.cells->writerOf(cell, copy.block);
        writer.info |= kTouchAsync;
        writer.time = kTimeOfPendingCopy;
        copy.cells->setWriter(cell, writer, block.checks->epochStart);
    });
}

void settleAsyncCopy(const AsyncCopy& copy, uint32_t thread, uint32_t time, uint32_t since)
{
    forCells(copy, [&](uint64_t cell) {
        Toucher writer = copy.cells->writerOf(cell, copy.block);
        // Somebody else may have written there in the meantime.
        if (!(writer.info & kTouchAsync) || writer.time != kTimeOfPendingCopy || writer.thread() != thread)
            return;
        writer.time = time;
        copy.cells->setWriter(cell, writer, since);
    });
}

void beginBulkCopy(Warp& warp, int lane, uint64_t address, uint32_t bytes, uint64_t barrier, uint32_t staticSite)
{
    const ObjectEntry* object = objectOf(warp, address);
    const uint32_t offset = offsetIn(warp, address);
    if (!object || !object->races || !object->races->isShared() || bytes == 0 ||
        uint64_t{offset} + bytes > object->bytes)
        return;
    Block& owner = ownerOf(warp, barrier);
    const uint64_t within = addressInBlock(warp, barrier);
    const auto* barriers = owner.checks->phaseBarriers.get();
    const auto known = barriers ? barriers->all().find(within) : std::map<uint64_t, PhaseBarrier>::const_iterator();
    if (!barriers || known == barriers->all().end())
        return;
    enterReads(*warp.block);
    const uint32_t now = warp.block->checks->time, thread = uint32_t{warp.id} * kWarpSize + static_cast<uint32_t>(lane);
    const AsyncCopy copy{static_cast<uint8_t>(lane), 0, offset, bytes, object->races, warp.block->cellIndex};
    owner.checks->bulkCopies.push_back({copy, warp.block, thread, now, within, known->second.phase, staticSite});
    copy.cells->noteWrite(kTimeOfPendingCopy);
    forCells(copy, [&](uint64_t cell) {
        Toucher writer = copy.cells->writerOf(cell, copy.block);
        // A swizzled box leaves bytes between its rows alone, which somebody else may have written.
        if (writer.thread() != thread || writer.block != copy.block || writer.time < warp.block->checks->blockStart)
            return;
        writer.info |= kTouchAsync;
        writer.time = kTimeOfPendingCopy;
        copy.cells->setWriter(cell, writer, warp.block->checks->epochStart);
    });
    ++warp.block->checks->time;
}

void settleBulkCopies(const Warp& warp, uint64_t barrier)
{
    Block& owner = ownerOf(warp, barrier);
    BlockChecks& checks = *owner.checks;
    const uint64_t within = addressInBlock(warp, barrier);
    if (checks.bulkCopies.empty() || !checks.phaseBarriers)
        return;
    const auto known = checks.phaseBarriers->all().find(within);
    const uint32_t phase = known == checks.phaseBarriers->all().end() ? 0 : known->second.phase;
    const size_t settled = std::erase_if(checks.bulkCopies, [&](const BulkCopy& bulk) {
        if (bulk.barrier != within || bulk.phase >= phase)
            return false;
        const uint32_t now = ++bulk.issuer->checks->time;
        settleAsyncCopy(bulk.copy, bulk.thread, now, owner.checks->epochStart);
        if (checks.order)
            checks.order->handOn(warp, barrier, bulk.issuer->cellIndex, bulk.thread, now);
        return true;
    });
    if (settled)
        forgetAsyncCopies(owner);
}

void forgetAsyncCopies(const Block& block)
{
    const auto waits = [](const Warp& warp) { return warp.asyncCopies && !warp.asyncCopies->pending.empty(); };
    if (!block.checks->bulkCopies.empty() || std::any_of(block.warps.begin(), block.warps.end(), waits))
        return;
    for (const MemoryObject& array : block.program->shared) {
        const RaceCells* cells = block.warps.front().objects[array.slot - kSlotBase].races;
        if (cells && !cells->unwrittenSince(kTimeOfPendingCopy))
            *cells->lastWrite = block.checks->time;
    }
}

void abandonAsyncCopies(Block& block)
{
    for (Warp& warp : block.warps) {
        if (!warp.asyncCopies)
            continue;
        for (const AsyncCopy& copy : warp.asyncCopies->pending)
            settleAsyncCopy(copy, uint32_t{warp.id} * kWarpSize + copy.lane, 0, block.checks->epochStart);
        warp.asyncCopies.reset();
    }
    for (const BulkCopy& bulk : block.checks->bulkCopies)
        settleAsyncCopy(bulk.copy, bulk.thread, 0, block.checks->epochStart);
    block.checks->bulkCopies.clear();
    for (Warp& warp : block.warps)
        for (auto& reads : warp.asyncReads)
            reads.reset();
    forgetAsyncCopies(block);
}

}  // namespace lanescope::simt
