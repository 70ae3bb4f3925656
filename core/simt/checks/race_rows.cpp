// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/checks/race_rows.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>

#include "core/simt/checks/lane_access.h"

namespace lanescope::simt {
namespace {

/// Lanes side by side, each at a word of global or shared memory of its own, side by side.
struct Row {
    int firstLane = 0;
    unsigned count = 0;  ///< 0: not so, or too few
    uint64_t firstCell = 0;
    uint32_t offset = 0;
};

/// Of accesses that are looked at without others' fences in mind.
Row rowOf(const Warp& warp, const MemoryInfo& info, const ObjectEntry& object, const uint32_t* offsets, LaneMask lanes)
{
    constexpr unsigned kWord = 4, kFewest = 8;
    const BlockChecks& checks = *warp.block->checks;
    const RaceCells& cells = *object.races;
    const auto first = static_cast<unsigned>(std::countr_zero(lanes));
    const auto count = static_cast<unsigned>(std::popcount(lanes));
    const LaneMask low = lanes >> first;
    if (count < kFewest || (low & (low + 1)) != 0 || cells.shift != kWordCells ||
        info.bytes * info.components != kWord || offsets[first] % kWord != 0 || info.isVolatile || info.isAtomic ||
        checks.order || warp.laneOrder || (cells.isGlobal() && checks.overlap.end != 0))
        return {};
    for (unsigned i = 1; i < count; ++i)
        if (offsets[first + i] != offsets[first] + i * kWord)
            return {};
    return {static_cast<int>(first), count, offsets[first] / kWord, offsets[first]};
}

/// Whether \p count touchers from \p touchers on are of lanes side by side of one warp, and differ in nothing else but
/// \p ignored flags.
bool areSideBySide(const uint32_t* touchers, unsigned count, uint32_t ignored)
{
    const uint32_t first = touchers[0] & ~ignored;
    uint32_t strays = 0;
    for (unsigned i = 1; i < count; ++i)
        strays |= (touchers[i] & ~ignored) ^ (first + i);
    return strays == 0 && (first & kTouchThread) % kWarpSize + count <= kWarpSize;
}
template <typename T>
bool areEqual(const T* values, unsigned count)
{
    T strays = 0;
    for (unsigned i = 1; i < count; ++i)
        strays |= values[i] ^ values[0];
    return strays == 0;
}
/// Whether all are before \p since.
bool areOlder(const uint32_t* times, unsigned count, uint32_t since)
{
    uint32_t newest = 0;
    for (unsigned i = 0; i < count; ++i)
        newest = std::max(newest, times[i]);
    return newest < since;
}

/// Whether all cells of a row remember the same writer and readers, but for the lane, of what is not before \p since.
/// With their locks held; \p cells have their planes up to date there. Of asynchronous copies and atomics it matters
/// what is at each address: they are looked at lane by lane.
bool rememberLanesSideBySide(const RaceCells& cells, const Row& row, uint32_t since)
{
    const uint64_t at = row.firstCell;
    if (!areEqual(cells.writeTime + at, row.count)) {
        if (!areOlder(cells.writeTime + at, row.count, since))
            return false;
    } else if (cells.writeTime[at] >= since && ((cells.writer[at] & (kTouchAsync | kTouchAtomic)) ||
                                                !areSideBySide(cells.writer + at, row.count, kTouchSameValue) ||
                                                (cells.writerBlock && !areEqual(cells.writerBlock + at, row.count)))) {
        return false;
    }
    if (!areEqual(cells.readTime + at, row.count))
        return areOlder(cells.readTime + at, row.count, since);
    if (cells.readTime[at] < since)
        return true;
    if (!areSideBySide(cells.reader + at, row.count, 0) ||
        (cells.readerBlock && !areEqual(cells.readerBlock + at, row.count)))
        return false;
    return !(cells.reader[at] & (kTouchManyLanes | kTouchManyWarps | kTouchManyBlocks)) ||
           (areSideBySide(cells.reader2 + at, row.count, 0) &&
            (!cells.reader2Block ||
             (areEqual(cells.reader2Block + at, row.count) && areEqual(cells.reader2Time + at, row.count))));
}

/// By which of a row's cells several threads have written one value.
LaneMask sharedOf(const RaceCells& cells, const Row& row)
{
    uint32_t any = 0;
    for (unsigned i = 0; i < row.count; ++i)
        any |= cells.writer[row.firstCell + i];
    LaneMask shared = 0;
    for (unsigned i = 0; (any & kTouchSameValue) && i < row.count; ++i)
        shared |= LaneMask{(cells.writer[row.firstCell + i] & kTouchSameValue) != 0} << i;
    return shared;
}

/// Keeps what the row's access came to, whose lock is held, so that it is known when it comes again. Not in a cluster,
/// where to have waited for the others orders accesses though the block's time does not move on.
template <bool writes>
void keep(Block& block, const RaceCells& cells, const Row& row, const RepeatedRow::Side& side, RowLock& lock)
{
    if (!lock.isOne() || (block.cluster && block.cluster->blocks.size() > 1))
        return;
    std::unique_ptr<RepeatedRows>& all = block.checks->repeatedRows;
    if (!all)
        all = std::make_unique<RepeatedRows>();
    RepeatedRow& kept = all->of(&cells, row.firstCell);
    if (lock.mark() == 0 || lock.mark() != kept.mark || kept.cells != &cells || kept.firstCell != row.firstCell ||
        kept.count != row.count || kept.block != block.cellIndex)
        kept = {.cells = &cells,
                .firstCell = row.firstCell,
                .count = row.count,
                .block = block.cellIndex,
                .mark = newMark(),
                .sides = {}};
    kept.sides[writes] = side;
    lock.leave(kept.mark);
}

/// Holds the row's access against what its cells remember, all at once. \p changes: of a write, as of
/// LaneAccess::write. False, and nothing is done, where cells differ.
template <bool writes>
bool checkRow(Warp& warp, const MemoryInfo& info, const ObjectEntry& object, const Row& row, LaneMask changes)
{
    const RaceCells& cells = *object.races;
    const BlockChecks& checks = *warp.block->checks;
    const uint32_t since = cells.isGlobal() ? checks.launchStart : checks.epochStart;
    // Who takes the locks later sees the write.
    if constexpr (writes)
        cells.noteWrite(checks.time);
    else if (cells.isGlobal())
        cells.noteRead(checks.time);
    RowLock lock(cells, row.firstCell, row.count);
    if (!lock.isRight())
        return false;
    cells.settleRow(row.firstCell, row.count);
    if (!rememberLanesSideBySide(cells, row, since))
        return false;
    const uint64_t slot = static_cast<uint64_t>(&object - warp.objects) + kSlotBase;
    LaneAccess<true> access(warp, info, cells, row.firstLane, slotAddress(slot) + row.offset, false, row.count);
    if constexpr (writes)
        access.write(row.firstCell, changes, sharedOf(cells, row));
    else
        access.read(row.firstCell, sharedOf(cells, row));
    if (const RepeatedRow::Side* const kept = access.kept())
        keep<writes>(*warp.block, cells, row, *kept, lock);
    return true;
}

/// The words that a row of lanes stores.
void storedWords(const Warp& warp, const MemoryInfo& info, const Row& row, uint32_t* out)
{
    constexpr unsigned kWord = 4;
    if (info.components == 1 && info.bytes == kWord && !info.wide && info.values[0].form != Form::Scalar) {
        std::memcpy(out, warp.regs + info.values[0].reg + kWord * static_cast<unsigned>(row.firstLane),
                    kWord * row.count);
        return;
    }
    for (unsigned i = 0; i < row.count; ++i)
        storedBytes(warp, info, row.firstLane + static_cast<int>(i), reinterpret_cast<std::byte*>(out + i));
}

/// In which of \p count words \p a and \p b differ.
LaneMask differences(const uint32_t* a, const uint32_t* b, unsigned count)
{
    unsigned equal = 0;
    for (unsigned i = 0; i < count; ++i)
        equal += a[i] == b[i];
    if (equal == 0)
        return ~LaneMask{0} >> (kWarpSize - count);
    LaneMask different = 0;
    for (unsigned i = 0; i < count; ++i)
        different |= LaneMask{a[i] != b[i]} << i;
    return different;
}

}  // namespace

bool checkRowOfReads(Warp& warp, const MemoryInfo& info, const ObjectEntry& object, const uint32_t* offsets,
                     LaneMask lanes)
{
    const Row row = rowOf(warp, info, object, offsets, lanes);
    return row.count != 0 && checkRow<false>(warp, info, object, row, 0);
}

bool checkRowOfWrites(Warp& warp, const MemoryInfo& info, const ObjectEntry& object, const uint32_t* offsets,
                      LaneMask lanes)
{
    const Row row = rowOf(warp, info, object, offsets, lanes);
    if (row.count == 0)
        return false;
    std::array<uint32_t, kWarpSize> values, before;
    storedWords(warp, info, row, values.data());
    std::memcpy(before.data(), object.host + row.offset, row.count * sizeof(uint32_t));
    return checkRow<true>(warp, info, object, row, differences(values.data(), before.data(), row.count));
}

void tellAgain(Block& block, const RepeatedRow::Side& kept, unsigned lanes)
{
    for (unsigned i = 0; i < kept.toldCount; ++i) {
        device::RaceReport& race = block.checks->races[kept.told[i].race];
        race.count += lanes;
        race.harmful += lanes;
        race.instances.addAgain(kept.told[i].kind, lanes);
    }
}

}  // namespace lanescope::simt
