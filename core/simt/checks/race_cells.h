// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who touched each cell of an object last: the memory of the race check.
//
// Two accesses race when they touch one cell, at least one writes, and nothing orders them: not program order, no
// barrier, no warp synchronisation, no release and acquire. Order is decided by times: a block's time moves on at
// every synchronisation, an access is ordered before all that follow a later barrier. What is found does not depend
// on the order in which this run happened to execute the two sides.
//
// A cell is a 4-byte word, or a byte in an object that is accessed more finely. It remembers the last writer and
// two readers, chosen so that a later write finds a reader it conflicts with whenever there is one: lanes of one
// warp, then warps, then blocks. Cells of bytes are packed (packed_cells.h), so that no cell takes more than 8 times
// what it is of.
#pragma once

#include <sched.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/ids.h"
#include "core/simt/checks/cell_runs.h"
#include "core/simt/checks/hidden_writes.h"
#include "core/simt/checks/key_set.h"
#include "core/simt/checks/packed_cells.h"
#include "core/simt/checks/quiet_reads.h"

namespace lanescope::simt {

/// log2 of the bytes of a cell that is a word.
inline constexpr uint32_t kWordCells = 2;

/// What a lock of cells holds while somebody has it.
inline constexpr uint32_t kTakenLock = 1;
/// Takes a lock of cells, and returns the mark that it was left with; kTakenLock: somebody has it.
inline uint32_t tryLock(uint32_t* lock)
{
    return __atomic_exchange_n(lock, kTakenLock, __ATOMIC_ACQUIRE);
}
/// Waits for a lock of cells, and returns the mark that it was left with.
inline uint32_t takeLock(uint32_t* lock)
{
    // Locks are held for less than a microsecond. Who still waits then waits for a thread without a processor, as there
    // are where the process may use fewer than the host has.
    constexpr unsigned kLooks = 256;
    for (;;) {
        if (const uint32_t mark = tryLock(lock); mark != kTakenLock)
            return mark;
        for (unsigned looks = 0; __atomic_load_n(lock, __ATOMIC_RELAXED) == kTakenLock; ++looks)
            if (looks < kLooks)
                __builtin_ia32_pause();
            else
                sched_yield();
    }
}
/// As long as the lock has its \p mark (newMark), nobody else has held it. 0: nobody's.
inline void leaveLock(uint32_t* lock, uint32_t mark = 0)
{
    __atomic_store_n(lock, mark, __ATOMIC_RELEASE);
}
inline bool hasMark(const uint32_t* lock, uint32_t mark)
{
    return __atomic_load_n(lock, __ATOMIC_RELAXED) == mark;
}
/// One that no lock has. Thread-safe.
uint32_t newMark();

/// The cells of one object. Times of 0 are older than everything. Planes by cell, unless they are packed.
struct RaceCells {
    uint32_t* writeTime = nullptr;
    uint32_t* writer = nullptr;
    uint32_t* readTime = nullptr;  ///< of `reader`
    uint32_t* reader = nullptr;
    uint32_t* reader2 = nullptr;  ///< one that differs from `reader` in what the flags of `reader` say
    // Global memory only.
    uint32_t* writerBlock = nullptr;
    uint32_t* readerBlock = nullptr;
    uint16_t* reader2Block = nullptr;  ///< the lowest bits; more are in `reader2`, where `reader` has its flags
    uint8_t* reader2Time = nullptr;    ///< coarse (coarseTime): blocks' times have nothing to do with each other
    CellRuns* runs = nullptr;          ///< by placeOf; null of others than global words
    uint64_t runCount = 0;
    PackedCells* packed = nullptr;  ///< in place of all planes
    bool global = false;
    bool ofCluster = false;  ///< shared memory that other blocks see: kept as global memory is
    /// Whether one host thread runs all blocks of the launch, so that of locks only the marks matter that are left in
    /// them. To take one waits until all that was written before has come to memory.
    bool isAlone = false;
    /// Times before it are of launches that nothing will be held against any more: who settles runs of theirs drops
    /// them. What planes say of their cells is older still.
    uint32_t liveSince = 0;
    /// One for 1 << lockShift cells, where there are runs for those of so many (lockIndexOf, takeLock); null where
    /// nobody else ever sees them.
    uint32_t* locks = nullptr;
    uint64_t lockCount = 0;
    uint32_t lockShift = 8;
    uint32_t shift = kWordCells;  ///< log2 of a cell's bytes
    /// Time of the newest write of any cell, or a little before; set before the write's cell is locked, so that who
    /// reads it with the lock held either sees it or is seen by the writer.
    uint32_t* lastWrite = nullptr;
    /// Likewise of reads; only of global memory.
    uint32_t* lastRead = nullptr;
    /// Of lanes that touch cells far apart, which runs would only be in the way of: none are made any more in that
    /// launch.
    uint32_t* lastApart = nullptr;
    bool* hasRuns = nullptr;  ///< that are not settled
    /// How many cells on a run's next cell is: 1, or the length of a matrix' rows where warps go down its columns.
    /// Changes while all locks are held (layOut).
    uint32_t* stepOfRuns = nullptr;
    uint32_t* lastOfStep = nullptr;    ///< time of a run of that step, in the newest launch that had some
    uint32_t* refusals = nullptr;      ///< how many accesses have wanted another step since it changed
    uint32_t* lastInPlanes = nullptr;  ///< by CellRuns::Side: times of the newest that planes know of, or later ones
    HiddenWrites* hidden = nullptr;    ///< never null in an arena's cells
    EpochSpans* spans = nullptr;       ///< of memory that one block alone sees; else null

    /// As tryLock and takeLock of one of `locks`.
    [[nodiscard, gnu::always_inline]] uint32_t tryLock(uint64_t index) const
    {
        return isAlone ? locks[index] : simt::tryLock(locks + index);
    }
    [[gnu::always_inline]] uint32_t takeLock(uint64_t index) const
    {
        return isAlone ? locks[index] : simt::takeLock(locks + index);
    }
    [[gnu::always_inline]] void leaveLock(uint64_t index, uint32_t mark = 0) const
    {
        simt::leaveLock(locks + index, mark);
    }

    void noteWrite(uint32_t time) const
    {
        if (spans)
            spans->writtenIn = 0;
        if (__atomic_load_n(lastWrite, __ATOMIC_RELAXED) < time)
            __atomic_store_n(lastWrite, time, __ATOMIC_RELAXED);
    }
    /// Whether no cell was written at \p since or later.
    [[nodiscard]] bool unwrittenSince(uint32_t since) const
    {
        return __atomic_load_n(lastWrite, __ATOMIC_RELAXED) < since;
    }

    void noteRead(uint32_t time) const
    {
        if (__atomic_load_n(lastRead, __ATOMIC_RELAXED) < time)
            __atomic_store_n(lastRead, time, __ATOMIC_RELAXED);
    }
    [[nodiscard]] bool unreadSince(uint32_t since) const { return __atomic_load_n(lastRead, __ATOMIC_RELAXED) < since; }

    /// Lanes are about to touch cells far apart, at \p time.
    void beginApart(uint32_t time) const
    {
        if (__atomic_load_n(lastApart, __ATOMIC_RELAXED) < time)
            __atomic_store_n(lastApart, time, __ATOMIC_SEQ_CST);
        if (stepNow() != 1)
            (void)layOut(1, UINT32_MAX, time);
        else if (mayHaveRuns())
            settleAll();
    }
    [[nodiscard]] bool mayHaveRuns() const { return __atomic_load_n(hasRuns, __ATOMIC_RELAXED); }

    [[nodiscard]] uint32_t stepNow() const { return __atomic_load_n(stepOfRuns, __ATOMIC_RELAXED); }
    /// Where a run is kept that a cell may be of: which of runs, or none at or behind runCount, and which cell of it.
    struct Place {
        uint64_t index;
        unsigned first;
    };
    [[nodiscard, gnu::always_inline]] Place placeOf(uint64_t cell, uint32_t step) const
    {
        if (step == 1) [[likely]]
            return {cell >> kRunShift, static_cast<unsigned>(cell % kRunCells)};
        if (cell > UINT32_MAX)
            return {runCount, 0};
        const uint32_t row = static_cast<uint32_t>(cell) / step, column = static_cast<uint32_t>(cell) % step;
        return {uint64_t{row >> kRunShift} * step + column, row % kRunCells};
    }
    /// As long as runs have that step.
    [[nodiscard]] uint64_t lockIndexOf(uint64_t cell, uint32_t step) const
    {
        if (step == 1) [[likely]]
            return cell >> lockShift;
        const uint64_t place = placeOf(cell, step).index;
        return (place < runCount ? place : runCount) >> (lockShift - kRunShift);
    }
    /// Whether runs have \p wanted for a step in this launch, which began at \p since. Who uses the step that there is
    /// first keeps it for all of the launch.
    [[nodiscard]] bool hasStep(uint32_t wanted, uint32_t since, uint32_t now) const
    {
        if (stepNow() != wanted)
            return isUnusedSince(since) && isWorthLayingOut() && layOut(wanted, since, now);
        if (isUnusedSince(since))
            __atomic_store_n(lastOfStep, now, __ATOMIC_RELAXED);
        return true;
    }
    /// Whether nobody has made runs of the step that there is at \p since or later.
    [[nodiscard]] bool isUnusedSince(uint32_t since) const
    {
        return __atomic_load_n(lastOfStep, __ATOMIC_RELAXED) < since;
    }
    /// Whether planes know nobody of \p side since then.
    [[nodiscard]] bool planesAreOlder(CellRuns::Side side, uint32_t since) const
    {
        return __atomic_load_n(lastInPlanes + side, __ATOMIC_RELAXED) < since;
    }
    /// Before somebody is entered in planes, with the cell's lock held.
    [[gnu::always_inline]] void notePlanes(CellRuns::Side side, uint32_t time) const
    {
        if (planesAreOlder(side, time))
            __atomic_store_n(lastInPlanes + side, time, __ATOMIC_RELAXED);
    }
    /// Keeps a run of this launch, which began at \p since, with its cells' lock held. False: not any more, or one of
    /// other cells, or another block's, has the place: it has to be entered in the planes.
    [[gnu::always_inline]] bool keep(CellRuns& place, CellRuns::Side side, const CellRun& run, uint32_t since) const
    {
        if (!CellRuns::canHold(run) ||
            (place.has(side) && !place.isOf(side, run.first, run.cells) && !isForgotten(place, side)) ||
            __atomic_load_n(lastApart, __ATOMIC_RELAXED) >= since)
            return false;
        const CellRuns::Side other = CellRuns::otherOf(side);
        if (!place.isBesides(other, run)) {
            if (place.isOfOtherBlock(other, run.block) && !place.meets(other, run.first, run.cells) &&
                !isForgotten(place, other))
                return false;
            settle(place, other);
        }
        if (!mayHaveRuns())
            __atomic_store_n(hasRuns, true, __ATOMIC_RELAXED);
        place.set(side, run);
        return true;
    }
    [[nodiscard]] bool isForgotten(const CellRuns& place, CellRuns::Side side) const
    {
        return place.time(side) < liveSince;
    }
    void settleAll() const;
    /// What stands on a side of \p place goes into the planes, unless it is forgotten.
    void settle(CellRuns& place, CellRuns::Side side) const;

    /// Before planes of the cell are looked at or changed, with its lock held: what a run says goes into them.
    void settleWriters(uint64_t cell) const { settleWriters(cell, 1); }
    void settleReaders(uint64_t cell) const { settleReaders(cell, 1); }
    /// The same for \p count cells of one row.
    void settleWriters(uint64_t first, unsigned count) const { settle(first, count, CellRuns::Writers); }
    void settleReaders(uint64_t first, unsigned count) const { settle(first, count, CellRuns::Readers); }
    /// When the cell was written last. Without its lock it may be out of date.
    [[nodiscard]] uint32_t writtenAt(uint64_t cell) const
    {
        if (packed)
            return packed->writer(cell).time;
        const uint32_t ofRun = runTime(cell, CellRuns::Writers);
        return ofRun ? ofRun : writeTime[cell];
    }

    /// Whether a cell is more than an access of \p bytes.
    [[nodiscard]] bool isWiderThan(unsigned bytes) const { return bytes >> shift == 0; }
    /// Whether none of the cells of \p bytes from \p offset on has been written at \p since or later, as writtenAt.
    [[nodiscard]] bool areUnwritten(uint32_t offset, unsigned bytes, uint32_t since) const
    {
        for (uint64_t cell = offset >> shift, last = (uint64_t{offset} + bytes - 1) >> shift; cell <= last; ++cell)
            if (writtenAt(cell) >= since)
                return false;
        return true;
    }

    [[nodiscard]] bool isGlobal() const { return global; }
    [[nodiscard]] bool isShared() const { return !global || ofCluster; }

    /// Of cells that are not packed.
    void prefetchWriter(uint64_t cell) const
    {
        __builtin_prefetch(writeTime + cell, 1);
        __builtin_prefetch(writer + cell, 1);
        if (writerBlock)
            __builtin_prefetch(writerBlock + cell, 1);
    }
    void prefetchReader(uint64_t cell) const
    {
        __builtin_prefetch(readTime + cell, 1);
        __builtin_prefetch(reader + cell, 1);
        if (readerBlock)
            __builtin_prefetch(readerBlock + cell, 1);
    }
    /// What a row of cells remembers goes into the planes.
    void settleRow(uint64_t first, unsigned count) const
    {
        for (uint64_t at = first, end = first + count; runs && at < end;) {
            const uint64_t next = std::min(end, (at / kRunCells + 1) * kRunCells);
            settleWriters(at, static_cast<unsigned>(next - at));
            settleReaders(at, static_cast<unsigned>(next - at));
            at = next;
        }
    }
    /// Enters lanes side by side in a row of cells, which are not packed, and of no run: \p toucher and those after it.
    void setRow(CellRuns::Side side, uint64_t first, unsigned count, const Toucher& toucher) const;
    /// What a cell remembers; \p block: of cells that only one block touches. With the cell's lock held.
    [[nodiscard]] Toucher writerOf(uint64_t cell, uint32_t block) const
    {
        if (packed)
            return packed->writer(cell);
        settleWriters(cell);
        return Toucher{writer[cell], writerBlock ? writerBlock[cell] : block, writeTime[cell]};
    }
    [[nodiscard]] Toucher readerOf(uint64_t cell, uint32_t block) const
    {
        if (packed)
            return packed->reader(cell);
        settleReaders(cell);
        return Toucher{reader[cell], readerBlock ? readerBlock[cell] : block, readTime[cell]};
    }
    /// Of shared memory it read no earlier than the first, in the same epoch. \p since: as of addReader. Its time may
    /// be a few per cent earlier than it was: exact up to 31 after \p since.
    [[nodiscard]] Toucher secondReaderOf(uint64_t cell, uint32_t block, uint32_t since) const;
    /// Whether that time is exact.
    [[nodiscard]] bool knowsSecondTime(uint64_t cell) const
    {
        return !reader2Time || reader2Time[cell] < 2 * kExactTimes;
    }
    /// The first cell from \p cell on, before \p end, that may have been written or read after \p time; else one at or
    /// behind \p end. Cells that nobody has touched cost next to nothing.
    [[nodiscard]] uint64_t nextTouched(uint64_t cell, uint64_t end, uint32_t time) const;
    /// \p since: times before it are of no interest any more.
    void setWriter(uint64_t cell, const Toucher& toucher, uint32_t since) const;
    void setReader(uint64_t cell, const Toucher& toucher, uint32_t since) const;
    /// A second reader; \p flag: in what it differs from the first.
    void addReader(uint64_t cell, const Toucher& toucher, uint32_t flag, uint32_t since) const;
    /// As addReader, of cells that are not packed and of no run.
    void addReaderToPlanes(uint64_t cell, const Toucher& toucher, uint32_t flag, uint32_t since) const
    {
        notePlanes(CellRuns::Readers, toucher.time);
        reader[cell] |= flag;
        reader2[cell] = toucher.info;
        if (!reader2Block)
            return;
        reader2[cell] |= (toucher.block >> kLowBlockBits) << kHighBlockShift & kHighBlockMask;
        reader2Block[cell] = static_cast<uint16_t>(toucher.block);
        reader2Time[cell] = coarseTime(toucher.time - since);
    }

    /// Five significant bits of \p time, cut: a byte instead of four. Half a million and what is later are one.
    static uint8_t coarseTime(uint32_t time)
    {
        constexpr uint32_t kMost = (uint32_t{31} << 14) + ((uint32_t{1} << 14) - 1);
        const uint32_t cut = time < kMost ? time : kMost;
        if (cut < kExactTimes)
            return static_cast<uint8_t>(cut);
        const auto shift = static_cast<uint32_t>(std::bit_width(cut)) - 5;
        return static_cast<uint8_t>((shift + 1) << 4 | (cut >> shift & (kExactTimes - 1)));
    }
    static uint32_t timeOfCoarse(uint8_t coarse)
    {
        return coarse < kExactTimes ? coarse : (kExactTimes | (coarse & (kExactTimes - 1))) << ((coarse >> 4) - 1);
    }

private:
    void settle(uint64_t first, unsigned count, CellRuns::Side side) const
    {
        if (!runs)
            return;
        if (stepNow() != 1)
            settleEach(first, count, side);
        else if (runs[first >> kRunShift].meets(side, first % kRunCells, count))
            settle(runs[first >> kRunShift], side);
    }
    void settleEach(uint64_t first, unsigned count, CellRuns::Side side) const;
    void settleColumns(uint64_t index, unsigned count, CellRuns::Side side) const;
    static constexpr unsigned kColumns = 8;  ///< that are settled together
    void settleOfLock(uint64_t lock) const;
    /// Another step takes all locks: it is worth that once as many accesses have gone without as cost the same.
    [[nodiscard]] bool isWorthLayingOut() const
    {
        constexpr uint64_t kLocksForAnAccess = 32;
        const uint32_t refused = __atomic_load_n(refusals, __ATOMIC_RELAXED) + 1;
        __atomic_store_n(refusals, refused, __ATOMIC_RELAXED);
        return refused * kLocksForAnAccess >= lockCount;
    }
    /// Gives runs another step, unless somebody has used the one that they have since \p since.
    [[nodiscard]] bool layOut(uint32_t wanted, uint32_t since, uint32_t now) const;
    /// Of the run that stands for the cell; 0: none does.
    [[nodiscard]] uint32_t runTime(uint64_t cell, CellRuns::Side side) const
    {
        if (!runs)
            return 0;
        const auto [index, first] = placeOf(cell, stepNow());
        return index < runCount && runs[index].meets(side, first, 1) ? runs[index].time(side) : 0;
    }

    static constexpr uint32_t kExactTimes = 16;  ///< as they are; as many again without a cut
    // Where `reader` has its flags, `reader2` has more of its block.
    static constexpr unsigned kLowBlockBits = 16;
    static constexpr unsigned kHighBlockShift = 27;
    static constexpr uint32_t kHighBlockMask = kTouchManyLanes | kTouchManyWarps | kTouchManyBlocks | 1u << 27;
};

/// Holds the lock of a cell while other host threads may use it.
class CellLock {
public:
    CellLock(const RaceCells& cells, uint64_t cell) : m_cells(cells)
    {
        if (!cells.locks)
            return;
        for (;;) {
            const uint32_t step = cells.stepNow();
            m_index = cells.lockIndexOf(cell, step);
            cells.takeLock(m_index);
            if (cells.stepNow() == step) [[likely]]
                return;
            cells.leaveLock(m_index);  // it has become another cell's
        }
    }
    ~CellLock()
    {
        if (m_cells.locks)
            m_cells.leaveLock(m_index);
    }
    CellLock(const CellLock&) = delete;
    CellLock& operator=(const CellLock&) = delete;

private:
    const RaceCells& m_cells;
    uint64_t m_index = 0;
};

/// Holds the locks of cells side by side, in ascending order.
class RowLock {
public:
    [[gnu::always_inline]] RowLock(const RaceCells& cells, uint64_t first, unsigned count) : m_cells(cells)
    {
        if (!cells.locks)
            return;
        m_first = first >> cells.lockShift;
        m_last = (first + count - 1) >> cells.lockShift;
        for (uint64_t i = m_first; i <= m_last; ++i)
            m_mark = cells.takeLock(i);
    }
    [[gnu::always_inline]] ~RowLock()
    {
        for (uint64_t i = m_first; m_cells.locks && i <= m_last; ++i)
            m_cells.leaveLock(i, m_left);
    }
    RowLock(const RowLock&) = delete;
    RowLock& operator=(const RowLock&) = delete;

    /// Whether these are the cells' locks: not where runs go down columns.
    [[nodiscard, gnu::always_inline]] bool isRight() const { return m_cells.stepNow() == 1; }
    /// Whether there is one, for all of them.
    [[nodiscard]] bool isOne() const { return m_cells.locks && m_first == m_last; }
    /// That it had.
    [[nodiscard]] uint32_t mark() const { return m_mark; }
    /// It gets this one.
    void leave(uint32_t mark) { m_left = mark; }

private:
    const RaceCells& m_cells;
    uint64_t m_first = 0;
    uint64_t m_last = 0;
    uint32_t m_mark = 0;
    uint32_t m_left = 0;
};

/// Owns cells: pages are only paid for when touched. One thread writes it all the time, so no other's data may lie in
/// its cache lines.
class alignas(64) RaceArena {
public:
    /// For an object of \p bytes with cells of 1 << \p shift bytes. \p ofCluster: as of RaceCells.
    RaceArena(uint64_t bytes, uint32_t shift, bool global, bool ofCluster = false);
    ~RaceArena();
    RaceArena(const RaceArena&) = delete;
    RaceArena& operator=(const RaceArena&) = delete;
    [[nodiscard]] RaceCells* cells() { return &m_cells; }
    /// Cells of bytes from now on; what has been known of a shared word \p since is known of its bytes, global memory
    /// starts afresh. Not while others use the cells.
    void refine(uint32_t since);
    /// That are mapped for the cells.
    [[nodiscard]] uint64_t bytes() const { return m_mapped; }

private:
    void watch();
    void map();
    void placePlanes();
    void spread(const RaceCells& words, uint64_t count, uint32_t since);

    uint64_t m_bytes;
    uint64_t m_count = 0;
    uint64_t m_mapped = 0;
    std::byte* m_memory = nullptr;
    bool m_global;
    bool m_ofCluster;
    uint32_t m_lastWrite = 0;
    uint32_t m_lastRead = 0;
    uint32_t m_lastApart = 0;
    bool m_hasRuns = false;
    uint32_t m_step = 1;
    uint32_t m_lastOfStep = 0;
    uint32_t m_refusals = 0;
    std::array<uint32_t, 2> m_lastInPlanes{};
    HiddenWrites m_hidden;
    EpochSpans m_spans;
    RaceCells m_cells;
    PackedCells m_packed;
};

/// Who of a block took part when several threads wrote one value to one place: to them it is no news, whoever came
/// last.
class SameValueWrites {
public:
    void add(uint64_t address, uint32_t thread, uint32_t epochStart);
    /// Whether \p thread wrote it in this epoch, or anybody of the block in an earlier one.
    [[nodiscard]] bool contains(uint64_t address, uint32_t thread, uint32_t epochStart);

private:
    /// Who writes more than this is believed: that so much is kept for one mistake more is not worth the memory.
    static constexpr size_t kMost = size_t{1} << 16;
    [[nodiscard]] bool isFull() const { return m_now.size() + m_before.size() >= kMost; }
    void goOnTo(uint32_t epochStart);

    uint32_t m_epochStart = 0;
    KeySet m_now;     ///< address and thread, in this epoch
    KeySet m_before;  ///< addresses, in earlier ones
};

}  // namespace lanescope::simt
