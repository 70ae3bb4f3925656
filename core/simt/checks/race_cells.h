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

/// What neighbouring lanes of a warp wrote to neighbouring cells, or read there: as much of it as lies in one row of
/// kRunCells cells.
struct CellRun {
    enum Side : uint8_t { Writers, Readers };

    uint32_t time = 0;
    uint32_t info = 0;  ///< toucher of the warp's lane 0
    uint32_t block = 0;
    Side side = Writers;
    uint8_t perLane = 0;          ///< log2 of the cells a lane touches
    uint8_t base = 0;             ///< lane of the row's first cell, if it went on to there; modulo kWarpSize
    uint8_t first = 0, last = 0;  ///< cells of the row

    [[nodiscard]] uint32_t toucher(unsigned cell) const { return info + (((cell >> perLane) + base) & 31); }
};
inline constexpr unsigned kRunShift = 5;
inline constexpr unsigned kRunCells = 1u << kRunShift;

/// Two runs of the cells of one row, in as little room as is left for them, of plain accesses, at sites and of blocks
/// that are not too many. Of their cells they stand for what the planes say of writers, or of readers. Of time 0: there
/// is none.
class CellRuns {
public:
    static constexpr unsigned kSlots = 2;

    /// A run in 64 bits, but for its time.
    using Packed = uint64_t;
    static Packed pack(const CellRun& run)
    {
        return (run.block & kMostBlocks) | Packed{run.info >> kLaneBits & 31} << kWarpAt |
               Packed{run.base | uint32_t{run.perLane} << kLaneBits} << kPlaceAt |
               Packed{run.info >> kTouchSiteShift & kMostSites} << kSiteAt | Packed{run.side} << kSideAt |
               Packed{run.first} << kFirstAt | Packed{run.last} << kLastAt;
    }
    [[nodiscard]] static bool canHold(const CellRun& run)
    {
        return run.info >> kTouchSiteShift <= kMostSites && run.block <= kMostBlocks;
    }

    [[nodiscard]] uint32_t time(unsigned slot) const { return read<uint32_t>(slot * kSlotBytes); }
    [[nodiscard]] CellRun get(unsigned slot) const
    {
        const Packed run = packed(slot);
        const auto bits = [run](unsigned at, uint32_t mask) { return static_cast<uint32_t>(run >> at) & mask; };
        return {time(slot),
                bits(kWarpAt, 31) << kLaneBits | bits(kSiteAt, kMostSites) << kTouchSiteShift,
                bits(0, kMostBlocks),
                static_cast<CellRun::Side>(bits(kSideAt, 1)),
                static_cast<uint8_t>(bits(kPlaceAt + kLaneBits, 3)),
                static_cast<uint8_t>(bits(kPlaceAt, 31)),
                static_cast<uint8_t>(bits(kFirstAt, 31)),
                static_cast<uint8_t>(bits(kLastAt, 31))};
    }
    /// Whether other threads than those of \p run touched one of its cells on \p side, at \p since or later.
    [[nodiscard]] bool isByOthers(CellRun::Side side, Packed run, uint32_t since) const
    {
        bool found = false;
        for (unsigned slot = 0; slot < kSlots; ++slot) {
            const Packed kept = packed(slot);
            found |= time(slot) >= since && sideOf(kept) == side && overlap(kept, run) && !isOfSame(kept, run);
        }
        return found;
    }
    /// Whether the same threads touched all of them on \p side, at \p since or later.
    [[nodiscard]] bool covers(CellRun::Side side, Packed run, uint32_t since) const
    {
        bool found = false;
        for (unsigned slot = 0; slot < kSlots; ++slot) {
            const Packed kept = packed(slot);
            found |= time(slot) >= since && sideOf(kept) == side && holds(kept, run) && isOfSame(kept, run);
        }
        return found;
    }
    /// Whether what is kept in \p slot says something of a cell from \p first to \p last on \p side.
    [[nodiscard]] bool tellsOf(unsigned slot, CellRun::Side side, unsigned first, unsigned last) const
    {
        const Packed kept = packed(slot);
        return time(slot) != 0 && sideOf(kept) == side && firstOf(kept) <= last && first <= lastOf(kept);
    }
    /// Keeps \p run, of whose cells nobody else's is kept; what is older than \p since may be lost. False: there is no
    /// room for it.
    bool keep(uint32_t time, Packed run, uint32_t since)
    {
        unsigned into = kSlots;
        for (unsigned slot = 0; slot < kSlots; ++slot) {
            const Packed kept = packed(slot);
            const bool tellsOfSame = this->time(slot) != 0 && sideOf(kept) == sideOf(run) && overlap(kept, run);
            const bool isOld = this->time(slot) < since;
            if (tellsOfSame && !isOld && !holds(run, kept))
                return false;
            if (tellsOfSame && into != kSlots)
                clear(slot);
            else if (tellsOfSame || (isOld && into == kSlots))
                into = slot;
        }
        if (into != kSlots)
            set(into, time, run);
        return into != kSlots;
    }
    void set(unsigned slot, uint32_t time, Packed run)
    {
        write(slot * kSlotBytes, time);
        write(slot * kSlotBytes + sizeof time, run);
    }
    void clear(unsigned slot) { write(slot * kSlotBytes, uint32_t{0}); }

    /// Time of the newest access that the planes were told of these cells, or a little before.
    [[nodiscard]] uint32_t planesTime() const { return read<uint32_t>(kSlots * kSlotBytes); }
    void notePlanes(uint32_t time)
    {
        if (planesTime() < time)
            write(kSlots * kSlotBytes, time);
    }

private:
    static constexpr unsigned kLaneBits = 5;
    static constexpr unsigned kWarpAt = 24, kPlaceAt = 29, kSiteAt = 36, kSideAt = 49, kFirstAt = 50, kLastAt = 55;
    static constexpr uint32_t kMostBlocks = (1u << kWarpAt) - 1, kMostSites = (1u << (kSideAt - kSiteAt)) - 1;
    static constexpr size_t kSlotBytes = sizeof(uint32_t) + sizeof(Packed);

    static CellRun::Side sideOf(Packed run) { return static_cast<CellRun::Side>(run >> kSideAt & 1); }
    static unsigned firstOf(Packed run) { return run >> kFirstAt & 31; }
    static unsigned lastOf(Packed run) { return run >> kLastAt & 31; }
    static bool overlap(Packed a, Packed b) { return firstOf(a) <= lastOf(b) && firstOf(b) <= lastOf(a); }
    static bool holds(Packed outer, Packed inner)
    {
        return firstOf(outer) <= firstOf(inner) && lastOf(inner) <= lastOf(outer);
    }
    /// Whether each cell is of the same thread in both.
    static bool isOfSame(Packed a, Packed b) { return ((a ^ b) & ((Packed{1} << kSiteAt) - 1)) == 0; }

    [[nodiscard]] Packed packed(unsigned slot) const { return read<Packed>(slot * kSlotBytes + sizeof(uint32_t)); }
    template <typename T>
    [[nodiscard]] T read(size_t at) const
    {
        T value;
        __builtin_memcpy(&value, m_bytes + at, sizeof value);
        return value;
    }
    template <typename T>
    void write(size_t at, T value)
    {
        __builtin_memcpy(m_bytes + at, &value, sizeof value);
    }

    std::byte m_bytes[kSlots * kSlotBytes + sizeof(uint32_t)] = {};
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

/// Rows of cells that more runs were of than have room, in a launch.
struct CrowdedRows {
    uint32_t since = 0;  ///< its beginning
    uint32_t count = 0;
};

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
    bool* hasRuns = nullptr;  ///< that are not settled
    CrowdedRows* crowded = nullptr;
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
    /// Whether lanes have touched cells far apart at \p since or later.
    [[nodiscard]] bool hasApartSince(uint32_t since) const
    {
        return __atomic_load_n(lastApart, __ATOMIC_RELAXED) >= since;
    }
    /// Keeps a run of this launch, which began at \p since, with its cells' lock held; nobody else's is kept of them.
    /// False: there is no room.
    bool keep(CellRuns& place, uint32_t time, CellRuns::Packed run, uint32_t since) const
    {
        if (hasApartSince(since))
            return false;
        if (!mayHaveRuns())
            __atomic_store_n(hasRuns, true, __ATOMIC_RELAXED);
        return place.keep(time, run, since);
    }
    /// There was no room for a run of this launch, which began at \p since. Where that is often so, none are made any
    /// more. Several host threads may lose count.
    void noteCrowded(uint32_t time, uint32_t since) const
    {
        constexpr uint32_t kFewRows = 16;  // one in so many may be crowded
        if (crowded->since != since)
            *crowded = {since, 0};
        if (++crowded->count * kFewRows > runCount)
            __atomic_store_n(lastApart, time, __ATOMIC_SEQ_CST);
    }
    void settleAll() const;

    /// Before planes of cells of a row are looked at or changed, with their lock held: what runs say goes into them.
    void settleRow(uint64_t row, CellRun::Side side, unsigned first, unsigned last) const
    {
        for (unsigned slot = 0; slot < CellRuns::kSlots; ++slot)
            if (runs[row].tellsOf(slot, side, first, last))
                settle(row, slot);
    }
    void settleWriters(uint64_t cell) const { settleCell(cell, CellRun::Writers); }
    void settleReaders(uint64_t cell) const { settleCell(cell, CellRun::Readers); }
    /// When the cell was written last. Without its lock it may be out of date.
    [[nodiscard]] uint32_t writtenAt(uint64_t cell) const
    {
        const auto inRow = static_cast<unsigned>(cell % kRunCells);
        for (unsigned slot = 0; runs && slot < CellRuns::kSlots; ++slot)
            if (const CellRuns& place = runs[cell >> kRunShift]; place.tellsOf(slot, CellRun::Writers, inRow, inRow))
                return place.time(slot);
        return writeTime[cell];
    }
    /// Of the planes of one cell.
    void notePlanes(uint64_t cell, uint32_t time) const
    {
        if (runs)
            runs[cell >> kRunShift].notePlanes(time);
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
        notePlanes(cell, toucher.time);
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
    void settleCell(uint64_t cell, CellRun::Side side) const
    {
        const auto inRow = static_cast<unsigned>(cell % kRunCells);
        if (runs)
            settleRow(cell >> kRunShift, side, inRow, inRow);
    }
    void settle(uint64_t row, unsigned slot) const;

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
    CrowdedRows m_crowded;
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
