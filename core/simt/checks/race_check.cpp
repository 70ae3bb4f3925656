// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/checks/race_check.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>

#include "core/simt/checks/lane_access.h"
#include "core/simt/checks/quiet_words.h"
#include "core/simt/memory/address_slots.h"

namespace lanescope::simt {

uint32_t writerInfo(const Warp& warp, const MemoryInfo& info, int lane, bool atomic)
{
    return (uint32_t{warp.id} * kWarpSize + static_cast<uint32_t>(lane)) |
           (std::min(info.raceSite, kTouchMaxSite) << kTouchSiteShift) | (atomic || info.isAtomic ? kTouchAtomic : 0) |
           (info.isVolatile ? kTouchVolatile : 0) |
           (info.blockScope && !isForCluster(warp, info) ? kTouchBlockScope : 0) | (info.forHost ? kTouchForHost : 0);
}

void storedBytes(const Warp& warp, const MemoryInfo& info, int lane, std::byte* out)
{
    bool wide = info.wide || info.bytes == 8;
    for (unsigned c = 0; c < info.components; ++c) {
        const Operand& value = info.values[c];
        uint64_t bits = 0;
        if (value.form == Form::Scalar)
            bits = warp.scalars[value.reg];
        else if (wide)
            std::memcpy(&bits, warp.regs + value.reg + 8u * static_cast<unsigned>(lane), 8);
        else
            std::memcpy(&bits, warp.regs + value.reg + 4u * static_cast<unsigned>(lane), 4);
        std::memcpy(out + c * info.bytes, &bits, info.bytes);
    }
}

namespace {

/// Cells fit an access only when it covers them whole.
const RaceCells* cellsFor(const Block& block, const ObjectEntry& object, uint32_t offset, unsigned bytes)
{
    if (object.races->shift && ((offset | bytes) & 3)) {
        if (!object.raceArena)
            return nullptr;
        object.raceArena->refine(block.checks->epochStart);
    }
    return object.races;
}

}  // namespace

void synchronise(Warp& warp, const MemoryInfo& info, int lane, uint64_t address, FlagUse use)
{
    SyncOrder* order = warp.block->checks->order;
    const SyncScope scope = info.blockScope && !isForCluster(warp, info) ? SyncScope::Block : SyncScope::Device;
    if (!order)
        return;
    if (use != FlagUse::Write && !info.isArrival)
        order->acquire(warp, lane, address, scope);
    if (use != FlagUse::Read)
        order->release(warp, lane, address, scope, use == FlagUse::Update);
}

void noteLock(Warp& warp, int lane, uint64_t address, uint64_t old, uint64_t now, bool takes, bool compares)
{
    SyncOrder* order = warp.block->checks->order;
    if (!order || old == now)
        return;
    order->giveBack(warp, lane, address, now);
    if (takes)
        order->take(warp, lane, address, old, compares);
}

void checkLane(Warp& warp, const MemoryInfo& info, const ObjectEntry& object, int lane, uint64_t address,
               uint32_t offset, unsigned bytes, bool isWrite, bool changes, bool atomic)
{
    if (info.isVolatile && !atomic && warp.block->checks->order) {
        synchronise(warp, info, lane, address, isWrite ? FlagUse::Write : FlagUse::Read);
        if (isWrite)
            warp.block->checks->order->giveBack(warp, lane, address, std::nullopt);
    }
    if (!object.races->isGlobal())
        enterReads(*warp.block);
    const RaceCells* cells = cellsFor(*warp.block, object, offset, bytes);
    if (!cells)
        return;
    LaneAccess<false> access(warp, info, *cells, lane, address, atomic);
    for (uint64_t cell = offset >> cells->shift, last = (offset + bytes - 1) >> cells->shift; cell <= last; ++cell) {
        if (isWrite)
            access.write(cell, LaneMask{changes});
        else
            access.read(cell);
    }
}

namespace {

/// Whether \p self, an atomic of the device, races with none of a cell's last accesses, and may take the last writer's
/// place without covering a plain write (cover). With the cell's lock held.
bool isForAtomics(const RaceCells& cells, uint64_t cell, const Toucher& self, uint32_t since)
{
    const Toucher writer = cells.writerOf(cell, self.block);
    if (writer.time >= since && (writer.info & (kTouchAtomic | kTouchBlockScope)) != kTouchAtomic)
        return false;
    if (cells.unreadSince(since))
        return true;
    const Toucher reader = cells.readerOf(cell, self.block);
    const bool isAlone = !(reader.info & (kTouchManyLanes | kTouchManyWarps | kTouchManyBlocks));
    return reader.time < since || (isAlone && reader.block == self.block && reader.thread() == self.thread());
}

}  // namespace

bool enterAtomic(const Warp& warp, const MemoryInfo& info, const RaceCells& cells, int lane, uint32_t offset)
{
    const BlockChecks& checks = *warp.block->checks;
    const Toucher self{writerInfo(warp, info, lane, true), warp.block->cellIndex, checks.time};
    const uint32_t since = checks.launchStart;
    const uint64_t first = offset >> kWordCells, last = (offset + info.bytes - 1u) >> kWordCells;
    if ((self.info & kTouchBlockScope) || cells.hidden->mayHold(since))
        return false;
    cells.noteWrite(self.time);
    const CellLock lock(cells, first);
    for (uint64_t cell = first; cell <= last; ++cell)
        if (!isForAtomics(cells, cell, self, since))
            return false;
    for (uint64_t cell = first; cell <= last; ++cell)
        cells.setWriter(cell, self, since);
    return true;
}

void checkLane(Warp& warp, const MemoryInfo& info, const ObjectEntry& object, int lane, uint32_t offset, unsigned bytes,
               bool isWrite, bool changes, bool atomic)
{
    const uint64_t slot = static_cast<uint64_t>(&object - warp.objects) + kSlotBase;
    checkLane(warp, info, object, lane, slotAddress(slot) + offset, offset, bytes, isWrite, changes, atomic);
}

namespace {

/// Calls f(access, cell) for the cells of an asynchronous read of shared memory.
template <typename F>
void forCellsOf(Warp& warp, const AsyncRead& read, F f)
{
    const ObjectEntry* object = objectOf(warp, read.address);
    const uint32_t offset = offsetIn(warp, read.address);
    if (!object || !object->races || !object->races->isShared() || uint64_t{offset} + read.bytes > object->bytes)
        return;
    enterReads(*warp.block);
    MemoryInfo info;
    info.staticSite = info.raceSite = read.staticSite;
    const RaceCells* cells = cellsFor(*warp.block, *object, offset, read.bytes);
    if (!cells)
        return;
    LaneAccess<false> access(warp, info, *cells, read.lane, read.address, false);
    for (uint64_t cell = offset >> cells->shift, last = (offset + read.bytes - 1) >> cells->shift; cell <= last; ++cell)
        f(access, cell);
}

}  // namespace

void checkReadEnds(Warp& warp, const AsyncRead& read)
{
    forCellsOf(warp, read, [&](LaneAccess<false>& access, uint64_t cell) { access.endRead(cell, read.since); });
}

void checkProxy(Warp& warp, const AsyncRead& read)
{
    forCellsOf(warp, read, [](LaneAccess<false>& access, uint64_t cell) { access.checkProxy(cell); });
}

Toucher lastWriter(const Warp& warp, const ObjectEntry& object, uint32_t offset)
{
    const RaceCells& cells = *object.races;
    const uint64_t cell = offset >> cells.shift;
    const CellLock lock(cells, cell);
    return cells.writerOf(cell, warp.block->cellIndex);
}

namespace {

/// Cells here and there are mostly not in the nearest cache: all lanes' are asked for before the first is waited for.
void prefetchCells(const RaceCells& cells, const uint32_t* offsets, LaneMask lanes)
{
    if (!cells.isGlobal() || cells.packed)
        return;
    for (LaneMask rest = lanes; rest; rest &= rest - 1) {
        const uint64_t cell = offsets[std::countr_zero(rest)] >> cells.shift;
        cells.prefetchWriter(cell);
        cells.prefetchReader(cell);
    }
}

}  // namespace

void checkReads(Warp& warp, const MemoryInfo& info, const ObjectEntry& object, const uint32_t* offsets, LaneMask lanes)
{
    prefetchCells(*object.races, offsets, lanes);
    unsigned bytes = info.bytes * info.components;
    // Of neighbours that read one cell, two stand for all, unless somebody wrote it in this epoch.
    uint32_t previous = 0;
    unsigned same = 0;
    const QuietWords words(warp, info, object);
    const auto read = [&](uint64_t cell, uint32_t toucher) { return words.read(cell, toucher); };
    for (LaneMask rest = lanes; rest; rest &= rest - 1) {
        int lane = std::countr_zero(rest);
        same = rest != lanes && offsets[lane] == previous && !warp.block->checks->order ? same + 1 : 0;
        previous = offsets[lane];
        if (same >= 2 && !object.races->isWiderThan(bytes) &&
            object.races->areUnwritten(previous, bytes,
                                       object.races->isGlobal() ? warp.block->checks->launchStart
                                                                : warp.block->checks->epochStart))
            continue;
        if (!words.forWords(lane, previous, read))
            checkLane(warp, info, object, lane, previous, bytes, false, false, false);
    }
}

namespace {

/// Lane by lane, each seeing what those before it have written. \p known: how many bytes a lane's are, of one vector
/// register; 0: any, of any.
template <unsigned known>
void checkAndStore(Warp& warp, const MemoryInfo& info, const ObjectEntry& object, const uint32_t* offsets,
                   LaneMask lanes)
{
    const unsigned bytes = known ? known : info.bytes * info.components;
    const QuietWords words(warp, info, object);
    words.beginWrites();
    const auto mayWrite = [&](uint64_t cell, uint32_t toucher) { return words.mayWrite(cell, toucher); };
    const auto write = [&](uint64_t cell, uint32_t toucher) {
        words.write(cell, toucher);
        return true;
    };
    for (LaneMask rest = lanes; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        std::array<std::byte, 128> value;
        if constexpr (known != 0)
            std::memcpy(value.data(), warp.regs + info.values[0].reg + known * static_cast<unsigned>(lane), known);
        else
            storedBytes(warp, info, lane, value.data());
        std::byte* const host = object.host + offsets[lane];
        if (!words.forWords(lane, offsets[lane], mayWrite) || !words.forWords(lane, offsets[lane], write))
            checkLane(warp, info, object, lane, offsets[lane], bytes, true, std::memcmp(host, value.data(), bytes) != 0,
                      false);
        std::memcpy(host, value.data(), bytes);
    }
}

}  // namespace

void checkWrites(Warp& warp, const MemoryInfo& info, const ObjectEntry& object, const uint32_t* offsets, LaneMask lanes)
{
    prefetchCells(*object.races, offsets, lanes);
    for (LaneMask rest = object.races->isGlobal() ? lanes : 0; rest; rest &= rest - 1)
        __builtin_prefetch(object.host + offsets[std::countr_zero(rest)], 1);
    if (info.components == 1 && info.bytes == sizeof(uint32_t) && !info.wide && info.values[0].form != Form::Scalar)
        checkAndStore<sizeof(uint32_t)>(warp, info, object, offsets, lanes);
    else
        checkAndStore<0>(warp, info, object, offsets, lanes);
}

void waitForEarlierLaunch(Warp& warp, LaneMask lanes)
{
    BlockChecks& checks = *warp.block->checks;
    if (checks.overlap.end == 0)
        return;
    enterReads(*warp.block);
    checks.gridWaits.resize(warp.block->warps.size() * kWarpSize);
    ++checks.time;
    for (LaneMask rest = lanes; rest; rest &= rest - 1) {
        uint32_t& first = checks.gridWaits[size_t{warp.id} * kWarpSize + static_cast<size_t>(std::countr_zero(rest))];
        first = first ? first : checks.time;
    }
    const auto waited = checks.gridWaits.size() - static_cast<size_t>(std::ranges::count(checks.gridWaits, 0u));
    if (waited == warp.block->size.count())
        checks.overlap = {};
}

void meetBlock(Block& block)
{
    if (!block.checks->gridWaits.empty())
        block.checks->overlap = {};
    block.checks->quietReads.forget();
    block.checks->epochStart = ++block.checks->time;
    for (Warp& warp : block.warps)
        warp.syncTime = block.checks->time;
    if (block.checks->order)
        block.checks->order->meetBlock(block);
}

void meetWarps(Block& block, const std::array<LaneMask, WarpOrder::kMostWarps>& waiting,
               const std::vector<BarrierArrival>& arrivals)
{
    enterReads(block);
    const uint32_t now = ++block.checks->time;
    if (!block.checks->warpOrder)
        block.checks->warpOrder = std::make_unique<WarpOrder>();
    auto& met = block.checks->warpOrder->met;
    // Each warp that waited learns what any that came knew of the others.
    std::array<uint32_t, WarpOrder::kMostWarps> known{};
    const auto learn = [&](size_t warp) {
        for (size_t other = 0; other < known.size(); ++other)
            known[other] = std::max(known[other], met[warp][other]);
    };
    for (const BarrierArrival& arrival : arrivals) {
        learn(arrival.warp);
        known[arrival.warp] = std::max(known[arrival.warp], arrival.time);
    }
    for (size_t warp = 0; warp < waiting.size(); ++warp)
        if (waiting[warp])
            learn(warp);
    for (size_t warp = 0; warp < waiting.size(); ++warp)
        for (size_t other = 0; waiting[warp] && other < known.size(); ++other)
            met[warp][other] = waiting[other] ? now : std::max(known[other], met[warp][other]);
    for (Warp& warp : block.warps)
        if (waiting[warp.id])
            meetLanes(warp, waiting[warp.id]);
    if (!block.checks->order)
        return;
    std::vector<uint32_t> cameOnly, waited;
    for (const BarrierArrival& arrival : arrivals)
        cameOnly.push_back(arrival.warp);
    for (uint32_t warp = 0; warp < waiting.size(); ++warp)
        if (waiting[warp])
            waited.push_back(warp);
    block.checks->order->meetWarps(block, cameOnly, waited);
}

void meetLanes(Warp& warp, LaneMask lanes)
{
    enterReads(*warp.block);
    uint32_t now = ++warp.block->checks->time;
    if (SyncOrder* order = warp.block->checks->order)
        order->meetLanes(warp, lanes);
    if ((lanes & warp.live) == warp.live) {
        warp.syncTime = now;
        return;
    }
    if (!warp.laneOrder)
        warp.laneOrder = std::make_unique<LaneOrder>();
    auto& met = warp.laneOrder->met;
    // Each lane of the group learns what any of them knew of lanes outside it.
    std::array<uint32_t, kWarpSize> known{};
    for (LaneMask rest = lanes; rest; rest &= rest - 1)
        for (size_t other = 0; other < kWarpSize; ++other)
            known[other] = std::max(known[other], met[std::countr_zero(rest)][other]);
    for (LaneMask rest = lanes; rest; rest &= rest - 1) {
        int lane = std::countr_zero(rest);
        for (size_t other = 0; other < kWarpSize; ++other)
            met[lane][other] = lanes >> other & 1u ? now : known[other];
    }
}

}  // namespace lanescope::simt
