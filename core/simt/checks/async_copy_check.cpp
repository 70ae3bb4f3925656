// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/checks/async_copy_check.h"

#include <algorithm>

#include "core/simt/checks/block_checks.h"
#include "core/simt/code/program.h"
#include "core/simt/memory/address_slots.h"

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
        if (!(writer.info & kTouchAsync) || writer.thread() != thread)
            return;
        writer.info &= ~kTouchAsync;
        writer.time = time;
        copy.cells->setWriter(cell, writer, since);
    });
}

void forgetAsyncCopies(const Block& block)
{
    const auto waits = [](const Warp& warp) { return warp.asyncCopies && !warp.asyncCopies->pending.empty(); };
    if (std::any_of(block.warps.begin(), block.warps.end(), waits))
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
    forgetAsyncCopies(block);
}

}  // namespace lanescope::simt
