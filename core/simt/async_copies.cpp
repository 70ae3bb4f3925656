// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/async_copies.h"

#include <algorithm>
#include <bit>

#include "core/simt/handlers.h"
#include "core/simt/program.h"

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

template <typename F>
void forCells(const AsyncCopy& copy, F f)
{
    for (uint64_t cell = copy.offset >> copy.cells->shift, last = (copy.offset + copy.bytes - 1) >> copy.cells->shift;
         cell <= last; ++cell)
        f(cell);
}

/// From now on the copy is a write of its thread at \p time; \p since: times before it do not matter.
void settle(const AsyncCopy& copy, uint32_t thread, uint32_t time, uint32_t since)
{
    forCells(copy, [&](uint64_t cell) {
        Toucher writer = copy.cells->writerOf(cell, 0);
        // Somebody else may have written there in the meantime.
        if (!(writer.info & kTouchAsync) || writer.thread() != thread)
            return;
        writer.info &= ~kTouchAsync;
        writer.time = time;
        copy.cells->setWriter(cell, writer, since);
    });
}

/// Once no copy is under way, what was written is told by the time again.
void forgetPending(const Block& block)
{
    const auto waits = [](const Warp& warp) { return warp.asyncCopies && !warp.asyncCopies->pending.empty(); };
    if (std::any_of(block.warps.begin(), block.warps.end(), waits))
        return;
    for (const MemoryObject& array : block.program->shared) {
        const RaceCells* cells = block.warps.front().objects[array.slot - kSlotBase].races;
        if (cells && !cells->unwrittenSince(kTimeOfPendingCopy))
            *cells->lastWrite = block.time;
    }
}

}  // namespace

/// __ls_async_copied(to, bytes): the store has just been made.
const Instr* runAsyncCopied(const Instr* instr, Warp& warp)
{
    const SystemCall& call = callOf(instr);
    for (LaneMask rest = warp.mask; rest; rest &= rest - 1) {
        auto lane = static_cast<unsigned>(std::countr_zero(rest));
        uint64_t address = warp.vector<uint64_t>(call.in[0])[lane];
        uint64_t slot = address >> 32;
        if (slot - kSlotBase >= kEndSlot - kSlotBase)
            continue;
        const ObjectEntry& object = warp.objects[slot - kSlotBase];
        auto offset = static_cast<uint32_t>(address);
        uint32_t bytes = warp.vector<uint32_t>(call.in[1])[lane];
        if (!object.races || object.races->isGlobal() || uint64_t{offset} + bytes > object.bytes)
            continue;
        AsyncCopies& copies = copiesOf(warp);
        object.races->noteWrite(kTimeOfPendingCopy);
        copies.pending.push_back({static_cast<uint8_t>(lane), copies.committed[lane], offset, bytes, object.races});
        forCells(copies.pending.back(), [&](uint64_t cell) {
            Toucher writer = object.races->writerOf(cell, 0);
            writer.info |= kTouchAsync;
            writer.time = kTimeOfPendingCopy;
            object.races->setWriter(cell, writer, warp.block->epochStart);
        });
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
    std::erase_if(copies.pending, [&](const AsyncCopy& copy) {
        bool waits = warp.mask >> copy.lane & 1u;
        bool awaited =
            allowed[copy.lane] == UINT32_MAX || uint64_t{copy.group} + allowed[copy.lane] < copies.committed[copy.lane];
        if (waits && awaited)
            settle(copy, uint32_t{warp.id} * kWarpSize + copy.lane, warp.block->time, warp.block->epochStart);
        return waits && awaited;
    });
    forgetPending(*warp.block);
    return instr + 1;
}

void abandonAsyncCopies(Block& block)
{
    for (Warp& warp : block.warps) {
        if (!warp.asyncCopies)
            continue;
        for (const AsyncCopy& copy : warp.asyncCopies->pending)
            settle(copy, uint32_t{warp.id} * kWarpSize + copy.lane, 0, block.epochStart);
        warp.asyncCopies.reset();
    }
    forgetPending(block);
}

}  // namespace lanescope::simt
