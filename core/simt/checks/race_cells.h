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

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_set>
#include <vector>

#include "core/base/ids.h"
#include "core/simt/checks/hidden_writes.h"
#include "core/simt/checks/packed_cells.h"

namespace lanescope::simt {

/// log2 of the bytes of a cell that is a word.
inline constexpr uint32_t kWordCells = 2;

/// What neighbouring lanes of a warp wrote to neighbouring cells at once, or read there, one each. Where its time is
/// not 0, it stands for what the planes say of these cells' writers, or of their readers. All of them are in one row of
/// kRunCells cells.
struct CellRun {
    uint32_t time = 0;
    uint32_t info = 0;  ///< toucher of the first cell
    uint32_t block = 0;
    uint8_t first = 0;  ///< of the row's cells
    uint8_t cells = 0;
};
inline constexpr unsigned kRunShift = 5;
inline constexpr unsigned kRunCells = 1u << kRunShift;

/// Of one row of cells a run of writers and one of readers, in as little room as is left for them: of the same cells,
/// by the same lanes, of plain accesses, at sites, of blocks and at times that are not too far apart.
class CellRuns {
public:
    enum Side : uint8_t { Writers, Readers };
    static Side otherOf(Side side) { return static_cast<Side>(1 - side); }

    [[nodiscard]] bool has(Side side) const { return (who() >> kHasShift[side] & 1) != 0; }
    /// 0: there is none.
    [[nodiscard]] uint32_t time(Side side) const
    {
        if (!has(side))
            return 0;
        return side == Readers && has(Writers) ? firstTime() + static_cast<uint32_t>(timeBetween()) : firstTime();
    }
    /// Where there is one.
    [[nodiscard]] CellRun get(Side side) const
    {
        const uint64_t who = this->who();
        const auto site = static_cast<uint32_t>(who >> kSiteShift[side] & kSites);
        return {time(side), static_cast<uint32_t>(who >> kThreadShift & kThreads) | site << kTouchSiteShift,
                static_cast<uint32_t>(who & kMostBlocks), static_cast<uint8_t>(first()), static_cast<uint8_t>(cells())};
    }
    [[nodiscard]] bool isOf(Side side, unsigned first, unsigned cells) const
    {
        return has(side) && this->first() == first && this->cells() == cells;
    }
    /// Whether one of the cells from \p first on is in that run.
    [[nodiscard]] bool meets(Side side, unsigned first, unsigned cells) const
    {
        return has(side) && first < this->first() + this->cells() && this->first() < first + cells;
    }
    /// Whether \p run is what stands on a side.
    [[nodiscard]] bool holds(Side side, const CellRun& run) const
    {
        const uint64_t mask =
            kShared | uint64_t{3} << kCellsShift | kSites << kSiteShift[side] | uint64_t{1} << kHasShift[side];
        return ((who() ^ whoOf(side, run)) & mask) == 0 && at<uint8_t>(kSpanAt) == spanOf(run) &&
               time(side) == run.time && canHold(run);
    }
    [[nodiscard]] static bool canHold(const CellRun& run)
    {
        return run.info >> (kTouchSiteShift + kSiteBits) == 0 && run.block <= kMostBlocks;
    }
    /// Whether \p run may stand on a side, the other being as it is.
    [[nodiscard]] bool isBesides(Side other, const CellRun& run) const
    {
        if (!has(other))
            return true;
        const auto between = static_cast<int32_t>(time(other) - run.time);
        return ((who() ^ whoOf(other, run)) & kShared) == 0 && first() == run.first && cells() == run.cells &&
               between > INT16_MIN && between < INT16_MAX;
    }
    /// Other than of \p block.
    [[nodiscard]] bool isOfOtherBlock(Side side, uint32_t block) const
    {
        return has(side) && (who() & kMostBlocks) != block;
    }
    [[gnu::always_inline]] void set(Side side, const CellRun& run)
    {
        const Side other = otherOf(side);
        const uint32_t beside = time(other);
        const uint64_t kept = who() & (kSites << kSiteShift[other] | uint64_t{1} << kHasShift[other]);
        setWho(kept | whoOf(side, run));
        m_bytes[kSpanAt] = std::byte{spanOf(run)};
        const uint32_t first = side == Readers && beside != 0 ? beside : run.time;
        const auto between = static_cast<int16_t>((side == Writers ? beside : run.time) - first);
        __builtin_memcpy(m_bytes, &first, sizeof first);
        __builtin_memcpy(m_bytes + kBetweenAt, &between, sizeof between);
    }
    void clear(Side side)
    {
        const uint32_t left = time(otherOf(side));
        setWho(who() & ~(uint64_t{1} << kHasShift[side]));
        __builtin_memcpy(m_bytes, &left, sizeof left);
    }

private:
    // Bytes: the time of the writers, or of the readers where there are no writers (4), how much later the readers are
    // (2), first cell and the upper bits of how many there are (1), block, threads, sites, what there is (8).
    static constexpr unsigned kBetweenAt = 4, kSpanAt = 6, kWhoAt = 7;
    static constexpr unsigned kSiteBits = 13, kThreadShift = 24, kCellsShift = 62, kFirstBits = 5, kCellsInWho = 2;
    static constexpr unsigned kSiteShift[] = {34, 47}, kHasShift[] = {60, 61};
    static constexpr uint64_t kMostBlocks = (uint64_t{1} << kThreadShift) - 1, kSites = (uint64_t{1} << kSiteBits) - 1,
                              kThreads = kTouchThread;
    static constexpr uint64_t kShared = kThreads << kThreadShift | kMostBlocks;
    static_assert(kTouchThread < 1u << 10);

    template <typename T>
    [[nodiscard]] T at(unsigned index) const
    {
        T value;
        __builtin_memcpy(&value, m_bytes + index, sizeof value);
        return value;
    }
    [[nodiscard]] uint32_t firstTime() const { return at<uint32_t>(0); }
    [[nodiscard]] int32_t timeBetween() const { return at<int16_t>(kBetweenAt); }
    [[nodiscard]] uint64_t who() const { return at<uint64_t>(kWhoAt); }
    [[nodiscard]] unsigned first() const { return at<uint8_t>(kSpanAt) & ((1u << kFirstBits) - 1); }
    [[nodiscard]] unsigned cells() const
    {
        return (unsigned{at<uint8_t>(kSpanAt)} >> kFirstBits << kCellsInWho |
                static_cast<unsigned>(who() >> kCellsShift)) +
               1;
    }
    static uint64_t whoOf(Side side, const CellRun& run)
    {
        return run.block | uint64_t{run.info & kTouchThread} << kThreadShift |
               uint64_t{run.info >> kTouchSiteShift} << kSiteShift[side] | uint64_t{1} << kHasShift[side] |
               uint64_t{run.cells - 1u} << kCellsShift;
    }
    static uint8_t spanOf(const CellRun& run)
    {
        return static_cast<uint8_t>(run.first | (run.cells - 1u) >> kCellsInWho << kFirstBits);
    }
    void setWho(uint64_t who) { __builtin_memcpy(m_bytes + kWhoAt, &who, sizeof who); }

    std::byte m_bytes[kWhoAt + sizeof(uint64_t)] = {};
};

/// Waits for a lock of cells, and returns the mark that it was left with.
inline uint32_t takeLock(uint32_t* lock)
{
    constexpr uint32_t kTaken = 1;
    for (;;) {
        if (const uint32_t mark = __atomic_exchange_n(lock, kTaken, __ATOMIC_ACQUIRE); mark != kTaken)
            return mark;
        while (__atomic_load_n(lock, __ATOMIC_RELAXED) == kTaken)
            __builtin_ia32_pause();
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
    CellRuns* runs = nullptr;          ///< by cell >> kRunShift (a row); null of others than global words
    uint64_t runCount = 0;
    PackedCells* packed = nullptr;  ///< in place of all planes
    bool global = false;
    bool ofCluster = false;     ///< shared memory that other blocks see: kept as global memory is
    uint32_t* locks = nullptr;  ///< one for 1 << lockShift cells (takeLock); null where one host thread runs all
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
    bool* hasRuns = nullptr;         ///< that are not settled
    HiddenWrites* hidden = nullptr;  ///< never null in an arena's cells

    void noteWrite(uint32_t time) const
    {
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
        if (mayHaveRuns())
            settleAll();
    }
    [[nodiscard]] bool mayHaveRuns() const { return __atomic_load_n(hasRuns, __ATOMIC_RELAXED); }
    /// Keeps a run of this launch, which began at \p since, with its cells' lock held. False: not any more, or one of
    /// other cells, or another block's, has the place: it has to be entered in the planes.
    [[gnu::always_inline]] bool keep(CellRuns& place, CellRuns::Side side, const CellRun& run, uint32_t since) const
    {
        if (!CellRuns::canHold(run) || (place.has(side) && !place.isOf(side, run.first, run.cells)) ||
            __atomic_load_n(lastApart, __ATOMIC_RELAXED) >= since)
            return false;
        const CellRuns::Side other = CellRuns::otherOf(side);
        if (!place.isBesides(other, run)) {
            if (place.isOfOtherBlock(other, run.block) && !place.meets(other, run.first, run.cells))
                return false;
            settle(place, other);
        }
        if (!mayHaveRuns())
            __atomic_store_n(hasRuns, true, __ATOMIC_RELAXED);
        place.set(side, run);
        return true;
    }
    void settleAll() const;

    /// Before planes of the cell are looked at or changed, with its lock held: what a run says goes into them.
    void settleWriters(uint64_t cell) const { settleWriters(cell, 1); }
    void settleReaders(uint64_t cell) const { settleReaders(cell, 1); }
    /// The same for \p count cells of one row.
    void settleWriters(uint64_t first, unsigned count) const { settle(first, count, CellRuns::Writers); }
    void settleReaders(uint64_t first, unsigned count) const { settle(first, count, CellRuns::Readers); }
    /// When the cell was written last. Without its lock it may be out of date.
    [[nodiscard]] uint32_t writtenAt(uint64_t cell) const
    {
        const uint32_t ofRun = runTime(cell, CellRuns::Writers);
        return ofRun ? ofRun : writeTime[cell];
    }

    [[nodiscard]] bool isGlobal() const { return global; }
    [[nodiscard]] bool isShared() const { return !global || ofCluster; }

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
        if (runs && runs[first >> kRunShift].meets(side, first % kRunCells, count))
            settle(runs[first >> kRunShift], side);
    }
    void settle(CellRuns& place, CellRuns::Side side) const;
    /// Of the run that stands for the cell; 0: none does.
    [[nodiscard]] uint32_t runTime(uint64_t cell, CellRuns::Side side) const
    {
        if (!runs || !runs[cell >> kRunShift].meets(side, cell % kRunCells, 1))
            return 0;
        return runs[cell >> kRunShift].time(side);
    }

    static constexpr uint32_t kExactTimes = 16;  ///< as they are; as many again without a cut
    // Where `reader` has its flags, `reader2` has more of its block.
    static constexpr unsigned kLowBlockBits = 16;
    static constexpr unsigned kHighBlockShift = 27;
    static constexpr uint32_t kHighBlockMask = kTouchManyLanes | kTouchManyWarps | kTouchManyBlocks | 1u << 27;
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
    HiddenWrites m_hidden;
    RaceCells m_cells;
    PackedCells m_packed;
};

/// Who of a block took part when several threads wrote one value to one place: to them it is no news, whoever came
/// last.
class SameValueWrites {
public:
    void add(uint64_t address, uint32_t thread, uint32_t epochStart);
    /// Whether \p thread wrote it in this epoch, or anybody of the block in an earlier one.
    [[nodiscard]] bool contains(uint64_t address, uint32_t thread, uint32_t epochStart) const;

private:
    /// Who writes more than this is believed: that so much is kept for one mistake more is not worth the memory.
    static constexpr size_t kMost = size_t{1} << 16;
    [[nodiscard]] bool isFull() const { return m_now.size() + m_before.size() >= kMost; }

    uint32_t m_epochStart = 0;
    std::unordered_set<uint64_t> m_now;     ///< address and thread, in this epoch
    std::unordered_set<uint64_t> m_before;  ///< addresses, in earlier ones
};

}  // namespace lanescope::simt
