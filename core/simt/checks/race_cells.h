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

/// What the lanes of a whole warp wrote to kRunCells neighbouring cells at once, or read there, one each from lane 0
/// on. Where its time is not 0, it stands for what the planes say of these cells' writers, or of their readers.
struct CellRun {
    uint32_t time = 0;
    uint32_t info = 0;  ///< toucher of lane 0
    uint32_t block = 0;
};
inline constexpr unsigned kRunShift = 5;
inline constexpr unsigned kRunCells = 1u << kRunShift;

/// A run of writers and one of readers of the same cells, in as little room as is left for them: both are of one warp,
/// of plain accesses, at sites and of blocks that are not too many. Of time 0: there is none.
class CellRuns {
public:
    enum Side : uint8_t { Writers, Readers };

    [[nodiscard]] uint32_t time(Side side) const
    {
        uint32_t time;
        __builtin_memcpy(&time, m_bytes + side * sizeof time, sizeof time);
        return time;
    }
    [[nodiscard]] CellRun get(Side side) const
    {
        const uint64_t who = this->who();
        const auto site = static_cast<uint32_t>(who >> kSiteShift[side] & ((1u << kSiteBits) - 1));
        return {time(side), static_cast<uint32_t>(who >> kWarpShift & kWarps) << kLaneBits | site << kTouchSiteShift,
                static_cast<uint32_t>(who & kMostBlocks)};
    }
    [[nodiscard]] static bool canHold(const CellRun& run)
    {
        return run.info >> (kTouchSiteShift + kSiteBits) == 0 && run.block <= kMostBlocks;
    }
    /// Whether \p run may stand on a side, the other being as it is.
    [[nodiscard]] bool isBesides(Side other, const CellRun& run) const
    {
        constexpr uint64_t kWho = (uint64_t{kWarps} << kWarpShift) | kMostBlocks;
        return time(other) == 0 || ((who() ^ whoOf(run)) & kWho) == 0;
    }
    void set(Side side, const CellRun& run)
    {
        const uint64_t sites = uint64_t{(1u << kSiteBits) - 1} << kSiteShift[1 - side];
        const uint64_t now = (who() & sites) | whoOf(run) | uint64_t{run.info >> kTouchSiteShift} << kSiteShift[side];
        const uint32_t top = (side == Readers ? run.time : time(Readers)) >> 24;
        const uint64_t last = now << 8 | top;
        __builtin_memcpy(m_bytes + kLastAt, &last, sizeof last);
        __builtin_memcpy(m_bytes + side * sizeof run.time, &run.time, sizeof run.time);
    }
    void clear(Side side) { __builtin_memset(m_bytes + side * sizeof(uint32_t), 0, sizeof(uint32_t)); }

private:
    static constexpr unsigned kLaneBits = 5, kSiteBits = 13, kWarpShift = 24;
    static constexpr unsigned kLastAt =
        7;  ///< of eight bytes that are read and written at once: a time's last, and who
    static constexpr unsigned kSiteShift[] = {29, 42};
    static constexpr uint32_t kWarps = 31, kMostBlocks = (1u << kWarpShift) - 1;

    [[nodiscard]] uint64_t who() const
    {
        uint64_t last;
        __builtin_memcpy(&last, m_bytes + kLastAt, sizeof last);
        return last >> 8;
    }
    static uint64_t whoOf(const CellRun& run)
    {
        return run.block | uint64_t{run.info >> kLaneBits & kWarps} << kWarpShift;
    }

    std::byte m_bytes[kLastAt + sizeof(uint64_t)] = {};  ///< times; block, warp, sites
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
    CellRuns* runs = nullptr;          ///< by cell >> kRunShift; null of others than global words
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
    /// Keeps a run of this launch, which began at \p since, with its cells' lock held; false: not any more.
    bool keep(CellRuns& place, CellRuns::Side side, const CellRun& run, uint32_t since) const
    {
        if (!CellRuns::canHold(run) || __atomic_load_n(lastApart, __ATOMIC_RELAXED) >= since)
            return false;
        if (!mayHaveRuns())
            __atomic_store_n(hasRuns, true, __ATOMIC_RELAXED);
        const CellRuns::Side other = side == CellRuns::Writers ? CellRuns::Readers : CellRuns::Writers;
        if (!place.isBesides(other, run))
            settle(place, other);
        place.set(side, run);
        return true;
    }
    void settleAll() const;

    /// Before planes of the cell are looked at or changed, with its lock held: what a run says goes into them.
    void settleWriters(uint64_t cell) const
    {
        if (runs && runs[cell >> kRunShift].time(CellRuns::Writers))
            settle(runs[cell >> kRunShift], CellRuns::Writers);
    }
    void settleReaders(uint64_t cell) const
    {
        if (runs && runs[cell >> kRunShift].time(CellRuns::Readers))
            settle(runs[cell >> kRunShift], CellRuns::Readers);
    }
    /// When the cell was written last. Without its lock it may be out of date.
    [[nodiscard]] uint32_t writtenAt(uint64_t cell) const
    {
        const uint32_t ofRun = runs ? runs[cell >> kRunShift].time(CellRuns::Writers) : 0;
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
    void settle(CellRuns& place, CellRuns::Side side) const;

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
