// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/checks/async_reads.h"

#include <algorithm>
#include <bit>

#include "core/simt/checks/access_check.h"
#include "core/simt/checks/async_copy_check.h"
#include "core/simt/checks/block_checks.h"
#include "core/simt/checks/product_registers.h"
#include "core/simt/checks/race_check.h"

namespace lanescope::simt {
namespace {

constexpr unsigned kWarpsPerGroup = 4;

AsyncReads& readsOf(Warp& warp, AsyncStream stream)
{
    auto& reads = warp.asyncReads[static_cast<size_t>(stream)];
    if (!reads)
        reads = std::make_unique<AsyncReads>();
    return *reads;
}

/// Ends the reads of \p lanes that belong to groups before \p end.
void endBefore(Warp& warp, AsyncStream stream, LaneMask lanes, uint32_t end)
{
    auto& reads = warp.asyncReads[static_cast<size_t>(stream)];
    if (!reads)
        return;
    std::erase_if(reads->pending, [&](const AsyncRead& read) {
        if (!(lanes >> read.lane & 1) || read.group >= end)
            return false;
        checkReadEnds(warp, read);
        return true;
    });
}

template <typename F>
void forWarpgroup(const Warp& warp, F f)
{
    for (Warp& other : warp.block->warps)
        if (other.id / kWarpsPerGroup == warp.id / kWarpsPerGroup)
            f(other);
}

int firstLane(const Warp& warp)
{
    return std::countr_zero(warp.mask);
}

}  // namespace

uint32_t endOfGroups(const Warp& warp, AsyncStream stream, int lane, uint32_t allowed)
{
    const auto& reads = warp.asyncReads[static_cast<size_t>(stream)];
    const uint32_t committed = reads ? reads->committed[static_cast<size_t>(lane)] : 0;
    return committed - std::min(committed, allowed);
}

void beginAsyncRead(Warp& warp, AsyncStream stream, int lane, uint64_t address, uint32_t bytes, uint32_t staticSite)
{
    AsyncReads& reads = readsOf(warp, stream);
    reads.pending.push_back({static_cast<uint8_t>(lane), reads.committed[static_cast<size_t>(lane)], bytes,
                             warp.block->checks->time, staticSite, address});
    checkProxy(warp, reads.pending.back());
}

void commitAsyncReads(Warp& warp, AsyncStream stream, LaneMask lanes)
{
    AsyncReads& reads = readsOf(warp, stream);
    for (LaneMask rest = lanes; rest; rest &= rest - 1)
        ++reads.committed[static_cast<size_t>(std::countr_zero(rest))];
}

void endAsyncReads(Warp& warp, AsyncStream stream, int lane, uint32_t allowed)
{
    endBefore(warp, stream, LaneMask{1} << lane, endOfGroups(warp, stream, lane, allowed));
}

bool haveCommitted(const Warp& warp, uint32_t allowed)
{
    const uint32_t end = endOfGroups(warp, AsyncStream::Products, firstLane(warp), allowed);
    bool all = true;
    forWarpgroup(warp, [&](const Warp& other) {
        const int lane = other.live ? std::countr_zero(other.live) : 0;
        all &= !other.live || endOfGroups(other, AsyncStream::Products, lane, 0) >= end;
    });
    return all;
}

void endProducts(Warp& warp, uint32_t allowed)
{
    Block& block = *warp.block;
    const uint32_t end = endOfGroups(warp, AsyncStream::Products, firstLane(warp), allowed);
    if (!block.checks->warpOrder)
        block.checks->warpOrder = std::make_unique<WarpOrder>();
    forWarpgroup(warp, [&](Warp& other) { endBefore(other, AsyncStream::Products, ~LaneMask{0}, end); });
    if (warp.products)
        warp.products->endBefore(end);
    const uint32_t now = ++block.checks->time;
    forWarpgroup(warp, [&](const Warp& other) {
        if (other.id != warp.id)
            block.checks->warpOrder->met[warp.id][other.id] = now;
    });
    meetLanes(warp, warp.mask);
}

void fenceProxy(Warp& warp, LaneMask lanes)
{
    BlockChecks& checks = *warp.block->checks;
    enterReads(*warp.block);
    checks.proxyFences.resize(warp.block->warps.size() * kWarpSize);
    ++checks.time;
    for (LaneMask rest = lanes; rest; rest &= rest - 1)
        checks.proxyFences[size_t{warp.id} * kWarpSize + static_cast<size_t>(std::countr_zero(rest))].add(checks.time);
}

void reportNotAwaited(Block& block)
{
    constexpr const char* kHelp = "wait before the block ends: for the phase of the mbarrier that counts the bytes, by "
                                  "cp.async.bulk.wait_group, or by wgmma.wait_group";
    for (const BulkCopy& copy : block.checks->bulkCopies)
        if (copy.told == BulkCopy::Told::Nothing)
            reportProgramFault(
                block.warps.front(), FindingKind::AsyncCopyNotAwaited, copy.staticSite,
                static_cast<int>(copy.thread % kWarpSize),
                "the block ends while this copy may still be writing its shared memory: nobody has waited "
                "for the phase that it completes",
                kHelp);
    for (Warp& warp : block.warps)
        for (const auto& reads : warp.asyncReads) {
            // Of products whose sums were used too early that has been said.
            const bool isTold = warp.products && warp.products->hasTold() &&
                                &reads == &warp.asyncReads[static_cast<size_t>(AsyncStream::Products)];
            for (const AsyncRead& read : reads && !isTold ? reads->pending : std::vector<AsyncRead>())
                reportProgramFault(warp, FindingKind::AsyncCopyNotAwaited, read.staticSite, read.lane,
                                   "the block ends while this operation may still be reading its shared memory: "
                                   "nobody has waited for it",
                                   kHelp);
        }
}

}  // namespace lanescope::simt
