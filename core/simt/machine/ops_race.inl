// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The race check's quick ways: a warp that touches neighbouring cells which nobody else touched in this epoch, or
// that reads what many warps have read, is dealt with in a few vector instructions. Everything else goes lane by lane
// (race_check.cpp).

/// Active lanes that follow each other and touch neighbouring words.
struct Run {
    uint64_t firstCell = 0;
    unsigned cells = 0;      ///< 0: not such a run
    unsigned perLane = 1;    ///< log2 of the cells a lane touches
    uint32_t firstInfo = 0;  ///< toucher of the first lane
};

/// Before cells are looked at, or more is entered in them.
[[gnu::always_inline]] inline void enterReads(Warp& warp, const ObjectEntry& object)
{
    if (!object.races->isGlobal())
        enterReads(*warp.block);
}

/// What a cell remembers of \p lane.
[[gnu::always_inline]] inline uint32_t toucherOf(const Warp& warp, const MemoryInfo& info, unsigned lane)
{
    return (uint32_t{warp.id} * kWarpSize + lane) | info.raceSite << kTouchSiteShift |
           (info.isVolatile ? kTouchVolatile : 0) | (info.isAtomic ? kTouchAtomic : 0) |
           (info.forHost ? kTouchForHost : 0);
}

/// Of \p lanes lanes from \p first on, which touch neighbours from \p offset on; none where these are not whole words.
[[gnu::always_inline]] inline Run runFrom(const Warp& warp, const MemoryInfo& info, const ObjectEntry& object,
                                          uint32_t offset, unsigned first, unsigned lanes)
{
    Run run;
    const unsigned bytes = info.bytes * info.components;
    if (object.races->shift != kWordCells || ((bytes | offset) & 3) || info.raceSite > kTouchMaxSite)
        return run;
    run.perLane = static_cast<unsigned>(__builtin_ctz(bytes)) - 2;
    if (bytes >> run.perLane != 4)
        return run;
    run.firstCell = offset >> 2;
    run.cells = lanes << run.perLane;
    run.firstInfo = toucherOf(warp, info, first);
    return run;
}

/// Of the \p active lanes.
[[gnu::always_inline]] inline Run runOf(Warp& warp, const MemoryInfo& info, const ObjectEntry& object,
                                        const uint32_t* offsets, LaneMask active)
{
    const auto first = static_cast<unsigned>(__builtin_ctz(active));
    const LaneMask low = active >> first;
    if (low & (low + 1))
        return {};
    const auto lanes = static_cast<unsigned>(__builtin_popcount(active));
    const Run run = runFrom(warp, info, object, offsets[first], first, lanes);
    return run.cells && isConsecutive(offsets + first, lanes, info.bytes * info.components) ? run : Run{};
}

/// Holds the locks of a run of cells, in ascending order.
class RunLock {
public:
    [[gnu::always_inline]] RunLock(const RaceCells& cells, const Run& run) : m_locks(cells.locks)
    {
        if (!m_locks)
            return;
        m_first = run.firstCell >> cells.lockShift;
        m_last = (run.firstCell + run.cells - 1) >> cells.lockShift;
        for (uint64_t i = m_first; i <= m_last; ++i)
            takeLock(m_locks + i);
    }
    [[gnu::always_inline]] ~RunLock()
    {
        for (uint64_t i = m_first; m_locks && i <= m_last; ++i)
            leaveLock(m_locks + i);
    }
    RunLock(const RunLock&) = delete;
    RunLock& operator=(const RunLock&) = delete;

private:
    uint32_t* m_locks;
    uint64_t m_first = 0;
    uint64_t m_last = 0;
};

[[gnu::always_inline]] inline uint32_t allOnes(bool condition)
{
    return -static_cast<uint32_t>(condition);
}

/// Whether \p f says so of any of the run's cells, a vector of them at a time; f gets the index of the first and the
/// lane offsets of all. The last vector may reach past the run, where the arena has room; what f says there is left
/// out.
template <typename F>
[[gnu::always_inline]] inline bool anyCell(const Run& run, F f)
{
    LaneVector any{};
    for (unsigned i = 0; i < run.cells; i += kVectorLanes) {
        const LaneVector index = countingVector() + i;
        any |= f(i, index >> run.perLane) & maskOf(index < run.cells);
    }
    return anySet(any);
}

/// Whether anybody else wrote one of the cells since \p since (times of other epochs count as somebody else).
template <bool global>
[[gnu::always_inline]] inline bool writtenByOthers(const RaceCells& cells, const Run& run, uint32_t since,
                                                   uint32_t block)
{
    const uint32_t* time = cells.writeTime + run.firstCell;
    const uint32_t* writer = cells.writer + run.firstCell;
    const uint32_t* writerBlock = global ? cells.writerBlock + run.firstCell : nullptr;
    uint32_t thread = run.firstInfo & kTouchThread;
    return anyCell(run, [&](unsigned i, LaneVector lane) {
        LaneVector other = (loadVector(writer + i) & (kTouchThread | kTouchAsync)) ^ (lane + thread);
        if constexpr (global)
            other |= loadVector(writerBlock + i) ^ block;
        return maskOf(loadVector(time + i) >= since) & other;
    });
}

/// Whether anybody else read one of the cells since \p since.
template <bool global>
[[gnu::always_inline]] inline bool readByOthers(const RaceCells& cells, const Run& run, uint32_t since, uint32_t block)
{
    constexpr uint32_t kAnyFlag = kTouchManyLanes | kTouchManyWarps | kTouchManyBlocks;
    const uint32_t* time = cells.readTime + run.firstCell;
    const uint32_t* reader = cells.reader + run.firstCell;
    const uint32_t* readerBlock = global ? cells.readerBlock + run.firstCell : nullptr;
    uint32_t thread = run.firstInfo & kTouchThread;
    return anyCell(run, [&](unsigned i, LaneVector lane) {
        const LaneVector known = loadVector(reader + i);
        LaneVector other = ((known & kTouchThread) ^ (lane + thread)) | (known & kAnyFlag);
        if constexpr (global)
            other |= loadVector(readerBlock + i) ^ block;
        return maskOf(loadVector(time + i) >= since) & maskOf(other != 0);
    });
}

/// Of the cells from \p to on, which \p left of the run remain from, those in \p chosen become \p value.
[[gnu::always_inline]] inline void blend(uint32_t* to, LaneVector chosen, LaneVector value, unsigned left)
{
    if (left >= kVectorLanes) {
        const LaneVector mixed = (loadVector(to) & ~chosen) | (value & chosen);
        __builtin_memcpy(to, &mixed, sizeof mixed);
        return;
    }
    for (unsigned i = 0; i < left; ++i)
        to[i] = chosen[i] ? value[i] : to[i];
}

/// Enters the lanes of a run in all its cells.
template <bool global>
[[gnu::always_inline]] inline void setRun(const Run& run, uint32_t* times, uint32_t* touchers, uint32_t* blocks,
                                          uint32_t time, uint32_t block)
{
    const LaneVector none{};
    for (unsigned i = 0; i < run.cells; i += kVectorLanes) {
        const unsigned left = run.cells - i;
        blend(times + i, ~none, none + time, left);
        blend(touchers + i, ~none, ((countingVector() + i) >> run.perLane) + run.firstInfo, left);
        if constexpr (global)
            blend(blocks + i, ~none, none + block, left);
    }
}

/// Where a run may be kept as a whole: each lane has its cell, all in one row. Null: nowhere.
template <bool global>
[[gnu::always_inline]] inline CellRuns* rowOf(const RaceCells& cells, const Run& run)
{
    constexpr unsigned kFewest = 8;  // fewer are as quickly entered one by one
    const bool fits = run.cells >= kFewest && run.perLane == 0 && run.firstCell % kRunCells + run.cells <= kRunCells;
    return global && fits && cells.runs ? cells.runs + (run.firstCell >> kRunShift) : nullptr;
}

/// What would be kept of it.
[[gnu::always_inline]] inline CellRun keptOf(const Run& run, uint32_t time, uint32_t block)
{
    return {time, run.firstInfo, block, static_cast<uint8_t>(run.firstCell % kRunCells),
            static_cast<uint8_t>(run.cells)};
}

/// Whether a run of just these cells is kept at \p row.
[[gnu::always_inline]] inline bool isKept(const CellRuns* row, CellRuns::Side side, const Run& run)
{
    return row && row->isOf(side, run.firstCell % kRunCells, run.cells);
}

/// Whether \p run is at \p row already, and the other side's is known there, too: they are of the same lanes.
[[gnu::always_inline]] inline bool isKeptBeside(const CellRuns* row, CellRuns::Side side, const CellRun& run)
{
    return row && row->has(CellRuns::otherOf(side)) && row->holds(side, run);
}

/// Whether \p kept are others than those of \p run, at \p since or later.
[[gnu::always_inline]] inline bool isByOthers(const CellRun& kept, const Run& run, uint32_t since, uint32_t block)
{
    const uint32_t other = ((kept.info ^ run.firstInfo) & kTouchThread) | (kept.info & kTouchAsync);
    return kept.time >= since && (other | (kept.block ^ block)) != 0;
}

/// Calls \p f with the first cell and the number of cells of each part of a run that is in one row.
template <typename F>
[[gnu::always_inline]] inline void forRows(const Run& run, F f)
{
    const uint64_t end = run.firstCell + run.cells;
    for (uint64_t at = run.firstCell; at < end;) {
        const uint64_t next = std::min(end, (at / kRunCells + 1) * kRunCells);
        f(at, static_cast<unsigned>(next - at));
        at = next;
    }
}

/// Before planes of its cells are looked at.
template <bool global>
[[gnu::always_inline]] inline void settleWriters(const RaceCells& cells, const Run& run)
{
    if constexpr (global)
        forRows(run, [&](uint64_t first, unsigned count) { cells.settleWriters(first, count); });
}
template <bool global>
[[gnu::always_inline]] inline void settleReaders(const RaceCells& cells, const Run& run)
{
    if constexpr (global)
        forRows(run, [&](uint64_t first, unsigned count) { cells.settleReaders(first, count); });
}

/// As writtenByOthers, wherever that is kept (\p row: rowOf). Planes of cells that are not kept as one run are settled
/// then.
template <bool global>
[[gnu::always_inline]] inline bool hasOtherWriters(const RaceCells& cells, const CellRuns* row, const Run& run,
                                                   uint32_t since, uint32_t block)
{
    if (isKept(row, CellRuns::Writers, run))
        return isByOthers(row->get(CellRuns::Writers), run, since, block);
    settleWriters<global>(cells, run);
    return writtenByOthers<global>(cells, run, since, block);
}

template <bool global>
[[gnu::always_inline]] inline bool hasOtherReaders(const RaceCells& cells, const CellRuns* row, const Run& run,
                                                   uint32_t since, uint32_t block)
{
    if (global && cells.unreadSince(since))
        return false;
    if (isKept(row, CellRuns::Readers, run))
        return isByOthers(row->get(CellRuns::Readers), run, since, block);
    settleReaders<global>(cells, run);
    return readByOthers<global>(cells, run, since, block);
}

/// Cells of a run that stand differently, as at the edge of a tile that a neighbour has read too: each is brought up to
/// date by itself. False, and nothing changed, when one of them takes more than that.
template <bool global>
bool readMixedRun(Warp& warp, const RaceCells& cells, const Run& run, uint32_t since)
{
    constexpr uint32_t kMany = global ? kTouchManyBlocks : kTouchManyWarps;
    constexpr uint32_t kAnyFlag = kTouchManyLanes | kTouchManyWarps | kTouchManyBlocks;
    constexpr unsigned kMostCells = kWarpSize * 4;
    const Block& block = *warp.block;
    const BlockChecks& checks = *block.checks;
    if (checks.warpOrder)
        return false;
    const uint32_t now = checks.time;
    const auto blockIndex = static_cast<uint32_t>(block.index);
    uint32_t* time = cells.readTime + run.firstCell;
    uint32_t* reader = cells.reader + run.firstCell;
    uint32_t* readerBlock = global ? cells.readerBlock + run.firstCell : nullptr;
    const LaneVector none{};
    const LaneVector mayBeWithin = warp.laneOrder ? none : ~none;
    const LaneVector mayBeKnown = checks.order ? none : ~none;  // whom to remember may have to be seen lane by lane
    struct Change {
        LaneVector fresh;  ///< nobody has read it, or this thread alone
        LaneVector joins;  ///< of the others, those of which this warp is a second reader
        LaneVector flag;   ///< in what it differs from the first
    };
    Change changes[kMostCells / kVectorLanes];
    const bool isPlain = !anyCell(run, [&](unsigned i, LaneVector lane) {
        const LaneVector who = loadVector(reader + i);
        const LaneVector when = loadVector(time + i);
        const LaneVector self = lane + run.firstInfo;
        const LaneVector ownBlock = global ? maskOf(loadVector(readerBlock + i) == blockIndex) : ~none;
        const LaneVector ownWarp = ownBlock & maskOf((who & kTouchThread) / kWarpSize == uint32_t{warp.id});
        const LaneVector otherThread = (who ^ self) & kTouchThread;
        const LaneVector fresh = maskOf(when < since) | (ownBlock & maskOf((otherThread | (who & kAnyFlag)) == 0));
        const LaneVector many = maskOf((who & kMany) != 0);
        const LaneVector foreign = global ? ~ownBlock : ~ownWarp;
        // Other lanes of this warp have read it, and the warp has not met since.
        const LaneVector within = ownWarp & mayBeWithin & maskOf(when >= warp.syncTime) &
                                  maskOf((who & (kTouchManyWarps | kTouchManyBlocks)) == 0);
        const LaneVector second = ~fresh & ~many & foreign;
        const LaneVector secondLane =
            ~fresh & ~many & ~foreign & within & maskOf(otherThread != 0) & maskOf((who & kTouchManyLanes) == 0);
        changes[i / kVectorLanes] = {fresh, second | secondLane, (second & kMany) | (secondLane & kTouchManyLanes)};
        return ~(fresh | (many & mayBeKnown) | (~many & (foreign | within)));
    });
    if (!isPlain)
        return false;
    for (unsigned i = 0; i < run.cells; i += kVectorLanes) {
        const auto& [fresh, joins, flag] = changes[i / kVectorLanes];
        const LaneVector self = ((countingVector() + i) >> run.perLane) + run.firstInfo;
        const unsigned left = run.cells - i;
        blend(time + i, fresh, none + now, left);
        blend(reader + i, fresh | joins, (self & fresh) | ((loadVector(reader + i) | flag) & joins), left);
        if constexpr (global)
            blend(readerBlock + i, fresh, none + blockIndex, left);
        if (!anySet(joins))
            continue;
        if constexpr (global) {
            for (unsigned k = 0; k < kVectorLanes && k < left; ++k)
                if (joins[k])
                    cells.addReaderToPlanes(run.firstCell + i + k, {self[k], blockIndex, now}, flag[k], since);
        } else {
            blend(cells.reader2 + run.firstCell + i, joins, self, left);
        }
    }
    return true;
}

template <bool global>
bool readRun(Warp& warp, const RaceCells& cells, const Run& run)
{
    const Block& block = *warp.block;
    const BlockChecks& checks = *block.checks;
    if (global && checks.overlap.end != 0)
        return false;
    uint32_t since = global ? checks.launchStart : checks.epochStart;
    auto blockIndex = static_cast<uint32_t>(block.index);
    if constexpr (global)
        cells.noteRead(checks.time);
    RunLock lock(cells, run);
    CellRuns* const row = rowOf<global>(cells, run);
    const CellRun whole = keptOf(run, checks.time, blockIndex);
    if (isKeptBeside(row, CellRuns::Readers, whole))
        return true;
    if (!cells.unwrittenSince(since) && hasOtherWriters<global>(cells, row, run, since, blockIndex))
        return false;
    if (isKept(row, CellRuns::Readers, run) && !isByOthers(row->get(CellRuns::Readers), run, since, blockIndex) &&
        cells.keep(*row, CellRuns::Readers, whole, since))
        return true;
    settleReaders<global>(cells, run);
    uint32_t* time = cells.readTime + run.firstCell;
    uint32_t* reader = cells.reader + run.firstCell;
    uint32_t* readerBlock = global ? cells.readerBlock + run.firstCell : nullptr;
    constexpr uint32_t kMany = global ? kTouchManyBlocks : kTouchManyWarps;
    const auto isOld = [&](unsigned i) { return maskOf(loadVector(time + i) < since); };
    const bool known =
        !anyCell(run, [&](unsigned i, LaneVector) { return isOld(i) | maskOf((loadVector(reader + i) & kMany) == 0); });
    if (known)
        return !checks.order && !checks.warpOrder;  // whom of them to remember may have to be seen lane by lane
    if (!readByOthers<global>(cells, run, since, blockIndex)) {
        if (row && cells.keep(*row, CellRuns::Readers, whole, since))
            return true;
        setRun<global>(run, time, reader, readerBlock, checks.time, blockIndex);
        return true;
    }
    return readMixedRun<global>(warp, cells, run, since);
}

template <bool global>
bool writeRun(Warp& warp, const RaceCells& cells, const Run& run)
{
    const Block& block = *warp.block;
    const BlockChecks& checks = *block.checks;
    if (global && checks.overlap.end != 0)
        return false;
    const uint32_t now = checks.time;
    uint32_t since = global ? checks.launchStart : checks.epochStart;
    auto blockIndex = static_cast<uint32_t>(block.index);
    cells.noteWrite(now);
    RunLock lock(cells, run);
    CellRuns* const row = rowOf<global>(cells, run);
    const CellRun whole = keptOf(run, now, blockIndex);
    if (isKeptBeside(row, CellRuns::Writers, whole))
        return true;
    if (hasOtherWriters<global>(cells, row, run, since, blockIndex) ||
        hasOtherReaders<global>(cells, row, run, since, blockIndex))
        return false;
    if (row && cells.keep(*row, CellRuns::Writers, whole, since))
        return true;
    settleWriters<global>(cells, run);
    uint32_t* time = cells.writeTime + run.firstCell;
    uint32_t* writer = cells.writer + run.firstCell;
    uint32_t* writerBlock = global ? cells.writerBlock + run.firstCell : nullptr;
    setRun<global>(run, time, writer, writerBlock, now, blockIndex);
    return true;
}

/// Words that the active lanes touch, each its own and behind those of the lane before: a matrix whose rows lie side by
/// side in a warp, say.
struct Apart {
    static constexpr unsigned kMost = kWarpSize * 4;
    unsigned count = 0;  ///< 0: not so
    uint32_t cell[kMost];
    uint32_t info[kMost];  ///< toucher
};

[[gnu::always_inline]] inline void findApart(const Warp& warp, const MemoryInfo& info, const ObjectEntry& object,
                                             const uint32_t* offsets, LaneMask lanes, Apart& apart)
{
    const unsigned bytes = info.bytes * info.components;
    if (object.races->shift != kWordCells || (bytes & 3) || bytes > 16 || info.raceSite > kTouchMaxSite)
        return;
    // Neighbours are a case for runs; of those the same has been asked.
    const auto first = static_cast<unsigned>(__builtin_ctz(lanes));
    const LaneMask others = lanes & (lanes - 1);
    if (others == 0 || offsets[__builtin_ctz(others)] == offsets[first] + bytes)
        return;
    uint64_t end = 0;  // of what the lane before touches
    unsigned count = 0;
    for (LaneMask rest = lanes; rest; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
        if ((offsets[lane] & 3) || offsets[lane] < end)
            return;
        end = uint64_t{offsets[lane]} + bytes;
        const uint32_t toucher = toucherOf(warp, info, lane);
        for (unsigned i = 0; i < bytes / 4; ++i, ++count) {
            apart.cell[count] = offsets[lane] / 4 + i;
            apart.info[count] = toucher;
        }
    }
    apart.count = count;
}

/// Holds the locks of cells that lie apart, in ascending order.
class ApartLock {
public:
    ApartLock(const RaceCells& cells, const Apart& apart) : m_cells(cells), m_apart(apart)
    {
        forLocks([&](uint32_t* lock) {
            const uint32_t mark = takeLock(lock);
            m_mark = mark == m_mark || m_isFirst ? mark : 0;
            m_isFirst = false;
        });
    }
    ~ApartLock()
    {
        forLocks([&](uint32_t* lock) { leaveLock(lock, m_left); });
    }
    ApartLock(const ApartLock&) = delete;
    ApartLock& operator=(const ApartLock&) = delete;

    /// That all of them had; 0: none.
    [[nodiscard]] uint32_t mark() const { return m_mark; }
    /// All get this one.
    void leave(uint32_t mark) { m_left = mark; }

private:
    template <typename F>
    [[gnu::always_inline]] void forLocks(F f) const
    {
        uint64_t previous = UINT64_MAX;
        for (unsigned i = 0; m_cells.locks && i < m_apart.count; ++i) {
            const uint64_t lock = m_apart.cell[i] >> m_cells.lockShift;
            if (lock != previous)
                f(m_cells.locks + lock);
            previous = lock;
        }
    }

    const RaceCells& m_cells;
    const Apart& m_apart;
    uint32_t m_mark = 0;
    uint32_t m_left = 0;
    bool m_isFirst = true;
};

/// As settleWriters and settleReaders of a run.
template <bool global>
[[gnu::always_inline]] inline void settle(const RaceCells& cells, const Apart& apart)
{
    for (unsigned i = 0; global && cells.mayHaveRuns() && i < apart.count; ++i) {
        cells.settleWriters(apart.cell[i]);
        cells.settleReaders(apart.cell[i]);
    }
}

/// As writtenByOthers of a run; cells in which several threads have written one value are looked at one by one, too.
template <bool global>
[[gnu::always_inline]] inline bool writtenByOthers(const RaceCells& cells, const Apart& apart, uint32_t since,
                                                   uint32_t block)
{
    uint32_t found = 0;
    for (unsigned i = 0; i < apart.count; ++i) {
        const uint32_t cell = apart.cell[i];
        uint32_t other =
            (cells.writer[cell] ^ (apart.info[i] & kTouchThread)) & (kTouchThread | kTouchAsync | kTouchSameValue);
        if constexpr (global)
            other |= cells.writerBlock[cell] ^ block;
        found |= allOnes(cells.writeTime[cell] >= since) & other;
    }
    return found != 0;
}

/// As readByOthers of a run.
template <bool global>
[[gnu::always_inline]] inline bool readByOthers(const RaceCells& cells, const Apart& apart, uint32_t since,
                                                uint32_t block)
{
    uint32_t found = 0;
    for (unsigned i = 0; i < apart.count; ++i) {
        const uint32_t cell = apart.cell[i];
        uint32_t other = (cells.reader[cell] ^ apart.info[i]) & kTouchThread;
        other |= cells.reader[cell] & (kTouchManyLanes | kTouchManyWarps | kTouchManyBlocks);
        if constexpr (global)
            other |= cells.readerBlock[cell] ^ block;
        found |= allOnes(cells.readTime[cell] >= since) & other;
    }
    return found != 0;
}

/// Whether all are known to have been read by many since \p since, so that one more is no news.
template <bool global>
[[gnu::always_inline]] inline bool isKnownToMany(const RaceCells& cells, const Apart& apart, uint32_t since)
{
    constexpr uint32_t kMany = global ? kTouchManyBlocks : kTouchManyWarps;
    uint32_t known = ~uint32_t{0};
    for (unsigned i = 0; i < apart.count; ++i)
        known &= allOnes(cells.readTime[apart.cell[i]] >= since) & allOnes((cells.reader[apart.cell[i]] & kMany) != 0);
    return known != 0;
}

/// Enters the lanes in their cells.
template <bool global>
[[gnu::always_inline]] inline void setApart(const Apart& apart, uint32_t* times, uint32_t* touchers, uint32_t* blocks,
                                            uint32_t time, uint32_t block)
{
    for (unsigned i = 0; i < apart.count; ++i) {
        times[apart.cell[i]] = time;
        touchers[apart.cell[i]] = apart.info[i];
        if constexpr (global)
            blocks[apart.cell[i]] = block;
    }
}

/// Where it is kept what the warp did last to words like these.
[[gnu::always_inline]] inline RepeatedAccess& repeatedAccessOf(BlockChecks& checks, const Warp& warp,
                                                               const RaceCells& cells, uint32_t firstOffset)
{
    const auto mixed = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(&cells) >> 6) ^ firstOffset >> 2;
    return (*checks.repeated)[warp.id][mixed * 0x9e3779b9u >> (32 - RepeatedAccess::kBitsOfWarp)];
}

[[gnu::always_inline]] inline bool isOfSameWords(const RepeatedAccess& kept, const Warp& warp, const MemoryInfo& info,
                                                 const RaceCells& cells, const uint32_t* offsets, LaneMask lanes)
{
    if (kept.cells != &cells || kept.block != static_cast<uint32_t>(warp.block->index) || kept.lanes != lanes ||
        kept.bytes != info.bytes * info.components)
        return false;
    LaneVector other{};
    for (int i = 0; i < kWarpSize; i += kVectorLanes)
        other |= (loadVector(offsets + i) ^ loadVector(kept.offsets + i)) &
                 loadVector(reinterpret_cast<const uint32_t*>(warp.lanes) + i);
    return !anySet(other);
}

/// Whether all that the access would enter has been entered by this warp, and nobody has looked at these cells since.
template <bool writes>
[[gnu::always_inline]] inline bool isRepeated(const Warp& warp, const MemoryInfo& info, const RaceCells& cells,
                                              const uint32_t* offsets)
{
    BlockChecks& checks = *warp.block->checks;
    if (!checks.repeated || !cells.locks)
        return false;
    const auto first = static_cast<unsigned>(__builtin_ctz(warp.mask));
    const RepeatedAccess& kept = repeatedAccessOf(checks, warp, cells, offsets[first]);
    if (kept.times[writes] != checks.time || kept.touchers[writes] != toucherOf(warp, info, first) ||
        !isOfSameWords(kept, warp, info, cells, offsets, warp.mask))
        return false;
    const auto areMarked = [&](uint32_t byte) {
        bool all = true;
        for (LaneMask rest = warp.mask; rest; rest &= rest - 1)
            all &= hasMark(cells.locks + ((offsets[__builtin_ctz(rest)] + byte) >> 2 >> cells.lockShift), kept.mark);
        return all;
    };
    // One cell each, aligned, mostly.
    return areMarked(0) && (kept.bytes <= 4 || areMarked(kept.bytes - 1));
}

/// Keeps what has been entered of words apart, whose lock is held, so that it is known when it comes again.
template <bool writes>
void keepRepeated(const Warp& warp, const MemoryInfo& info, const RaceCells& cells, const uint32_t* offsets,
                  LaneMask lanes, ApartLock& lock)
{
    BlockChecks& checks = *warp.block->checks;
    if (!cells.locks)
        return;
    if (!checks.repeated)
        checks.repeated = std::make_unique<RepeatedAccesses>();
    const auto first = static_cast<unsigned>(__builtin_ctz(lanes));
    RepeatedAccess& kept = repeatedAccessOf(checks, warp, cells, offsets[first]);
    if (lock.mark() == 0 || lock.mark() != kept.mark || !isOfSameWords(kept, warp, info, cells, offsets, lanes)) {
        kept = {.cells = &cells,
                .block = static_cast<uint32_t>(warp.block->index),
                .mark = newMark(),
                .lanes = lanes,
                .bytes = uint32_t{info.bytes} * info.components};
        __builtin_memcpy(kept.offsets, offsets, sizeof kept.offsets);
    }
    kept.times[writes] = checks.time;
    kept.touchers[writes] = toucherOf(warp, info, first);
    lock.leave(kept.mark);
}

/// As readRun, with the cells' locks held.
template <bool global>
[[gnu::always_inline]] inline bool readApart(const Block& block, const RaceCells& cells, const Apart& apart,
                                             uint32_t since)
{
    const BlockChecks& checks = *block.checks;
    const auto blockIndex = static_cast<uint32_t>(block.index);
    if (!cells.unwrittenSince(since) && writtenByOthers<global>(cells, apart, since, blockIndex))
        return false;
    if (isKnownToMany<global>(cells, apart, since))
        return !checks.order && !checks.warpOrder;
    if (readByOthers<global>(cells, apart, since, blockIndex))
        return false;
    setApart<global>(apart, cells.readTime, cells.reader, cells.readerBlock, checks.time, blockIndex);
    return true;
}

/// As writeRun, with the cells' locks held.
template <bool global>
[[gnu::always_inline]] inline bool writeApart(const Block& block, const RaceCells& cells, const Apart& apart,
                                              uint32_t since)
{
    const auto blockIndex = static_cast<uint32_t>(block.index);
    if (writtenByOthers<global>(cells, apart, since, blockIndex) ||
        readByOthers<global>(cells, apart, since, blockIndex))
        return false;
    setApart<global>(apart, cells.writeTime, cells.writer, cells.writerBlock, block.checks->time, blockIndex);
    return true;
}

template <bool global, bool writes>
bool enterApart(const Warp& warp, const MemoryInfo& info, const RaceCells& cells, const uint32_t* offsets,
                LaneMask lanes, const Apart& apart)
{
    const Block& block = *warp.block;
    const BlockChecks& checks = *block.checks;
    if (apart.count == 0 || (global && checks.overlap.end != 0))
        return false;
    if constexpr (writes)
        cells.noteWrite(checks.time);
    else if constexpr (global)
        cells.noteRead(checks.time);
    if constexpr (global)
        cells.beginApart(checks.time);
    ApartLock lock(cells, apart);
    settle<global>(cells, apart);
    const uint32_t since = global ? checks.launchStart : checks.epochStart;
    if (!(writes ? writeApart<global>(block, cells, apart, since) : readApart<global>(block, cells, apart, since)))
        return false;
    keepRepeated<writes>(warp, info, cells, offsets, lanes, lock);
    return true;
}

/// Any cells, none of them written lately, all of them known to be read by many.
[[gnu::always_inline]] inline bool readByMany(Warp& warp, const MemoryInfo& info, const ObjectEntry& object,
                                              const uint32_t* offsets)
{
    const RaceCells& cells = *object.races;
    if (cells.shift != kWordCells || info.bytes * info.components != 4 || cells.isGlobal() ||
        warp.block->checks->warpOrder)
        return false;
    uint32_t since = warp.block->checks->epochStart;
    if (!cells.unwrittenSince(since))
        return false;
    uint32_t fine = 0xffffffffu;
    for (int i = 0; i < kWarpSize; ++i) {
        uint32_t cell = (warp.lanes[i] ? offsets[i] : offsets[__builtin_ctz(warp.mask)]) >> 2;
        fine &= allOnes(cells.readTime[cell] >= since) & allOnes((cells.reader[cell] & kTouchManyWarps) != 0);
    }
    return fine;
}

/// Whether reads of shared memory need not be held against writes: nobody has written in this epoch.
[[gnu::always_inline]] inline bool isQuiet(Warp& warp, const MemoryInfo& info, const RaceCells& cells)
{
    return cells.shift == kWordCells && !cells.isGlobal() && info.bytes * info.components == 4 &&
           info.raceSite <= kTouchMaxSite && cells.unwrittenSince(warp.block->checks->epochStart) &&
           !warp.block->checks->warpOrder;
}

/// \p lanes read one quiet word: two of them stand for all.
[[gnu::always_inline]] inline bool readOne(Warp& warp, const MemoryInfo& info, const RaceCells& cells, uint32_t offset,
                                           LaneMask lanes)
{
    if (offset & 3)
        return false;
    uint64_t cell = offset >> 2;
    const uint32_t first = toucherOf(warp, info, static_cast<unsigned>(__builtin_ctz(lanes)));
    const bool current = cells.readTime[cell] >= warp.block->checks->epochStart;
    if (current && (cells.reader[cell] & kTouchManyWarps))
        return true;
    if (current && (cells.reader[cell] & kTouchThread) / kWarpSize != warp.id) {
        cells.reader[cell] |= kTouchManyWarps;
        cells.reader2[cell] = first;
        return true;
    }
    if (current && cells.readTime[cell] >= warp.syncTime)
        return (cells.reader[cell] & kTouchManyLanes) != 0;
    LaneMask others = lanes & (lanes - 1);
    cells.readTime[cell] = warp.block->checks->time;
    cells.reader[cell] = first | (others ? kTouchManyLanes : 0);
    if (others)
        cells.reader2[cell] = first + static_cast<uint32_t>(__builtin_ctz(others) - __builtin_ctz(lanes));
    return true;
}

/// The lanes read a few quiet words between them: a row of a tile each, say. False: some are not dealt with yet.
[[gnu::always_inline]] inline bool readFew(Warp& warp, const MemoryInfo& info, const RaceCells& cells,
                                           const uint32_t* offsets)
{
    constexpr int kFew = 4;
    // Lanes side by side that read different words are a case for runs.
    LaneMask second = warp.mask & (warp.mask - 1);
    if ((second && offsets[__builtin_ctz(second)] != offsets[__builtin_ctz(warp.mask)]) || !isQuiet(warp, info, cells))
        return false;
    LaneMask rest = warp.mask;
    for (int i = 0; rest && i < kFew; ++i) {
        uint32_t offset = offsets[__builtin_ctz(rest)];
        LaneMask lanes = lanesEqual(offsets, offset) & rest;
        // Small groups are a case for runs, which want their cells untouched.
        if (__builtin_popcount(lanes) * kFew < __builtin_popcount(warp.mask))
            return false;
        if (!readOne(warp, info, cells, offset, lanes))
            return false;
        rest &= ~lanes;
    }
    return rest == 0;
}

/// As trackReads, of one cell by all lanes.
[[gnu::noinline]] void trackReadsOfOne(Warp& warp, const MemoryInfo& info, const ObjectEntry& object, uint32_t offset)
{
    enterReads(warp, object);
    const bool mayBeFlag = info.isVolatile && warp.block->checks->order;
    if (!mayBeFlag && isQuiet(warp, info, *object.races) && readOne(warp, info, *object.races, offset, warp.mask))
        return;
    uint32_t offsets[kWarpSize];
    for (uint32_t& lane : offsets)
        lane = offset;
    checkReads(warp, info, object, offsets, warp.mask);
}

/// Whether the lanes may read by a cache what this launch has written.
[[gnu::always_inline]] inline bool mayBeStale(const Warp& warp, const MemoryInfo& info, const RaceCells& cells)
{
    return info.keptInCache && !cells.unwrittenSince(warp.block->checks->launchStart);
}

[[gnu::always_inline]] inline bool readLanes(Warp& warp, const MemoryInfo& info, const ObjectEntry& object,
                                             const uint32_t* offsets, LaneMask lanes)
{
    Run run = runOf(warp, info, object, offsets, lanes);
    return run.cells && (object.races->isGlobal() ? readRun<true>(warp, *object.races, run)
                                                  : readRun<false>(warp, *object.races, run));
}

template <bool writes>
[[gnu::noinline]] bool enterLanesApart(const Warp& warp, const MemoryInfo& info, const ObjectEntry& object,
                                       const uint32_t* offsets, LaneMask lanes)
{
    Apart apart;
    findApart(warp, info, object, offsets, lanes, apart);
    return object.races->isGlobal() ? enterApart<true, writes>(warp, info, *object.races, offsets, lanes, apart)
                                    : enterApart<false, writes>(warp, info, *object.races, offsets, lanes, apart);
}

[[gnu::noinline]] void trackReads(Warp& warp, const MemoryInfo& info, const ObjectEntry& object,
                                  const uint32_t* offsets)
{
    enterReads(warp, object);
    if ((info.isVolatile && warp.block->checks->order) || mayBeStale(warp, info, *object.races))
        return checkReads(warp, info, object, offsets, warp.mask);
    if (isRepeated<false>(warp, info, *object.races, offsets) || readFew(warp, info, *object.races, offsets) ||
        readLanes(warp, info, object, offsets, warp.mask))
        return;
    // Blocks of 16 in a row are common: two rows to a warp.
    constexpr LaneMask kHalf = 0xffff;
    LaneMask left = 0;
    for (LaneMask half : {warp.mask & kHalf, warp.mask & ~kHalf})
        if (half && !readLanes(warp, info, object, offsets, half))
            left |= half;
    if (left && !readByMany(warp, info, object, offsets) && !enterLanesApart<false>(warp, info, object, offsets, left))
        checkReads(warp, info, object, offsets, left);
}

/// Before the values are stored.
[[gnu::noinline]] void trackWrites(Warp& warp, const MemoryInfo& info, const ObjectEntry& object,
                                   const uint32_t* offsets)
{
    enterReads(warp, object);
    auto written = [&](const Run& run) {
        return run.cells && (object.races->isGlobal() ? writeRun<true>(warp, *object.races, run)
                                                      : writeRun<false>(warp, *object.races, run));
    };
    if (info.isVolatile && warp.block->checks->order)
        return checkWrites(warp, info, object, offsets, warp.mask);
    if (isRepeated<true>(warp, info, *object.races, offsets) || written(runOf(warp, info, object, offsets, warp.mask)))
        return;
    // Lanes of both halves that write one cell have to be seen together.
    LaneMask low = warp.mask & 0xffffu;
    LaneMask high = warp.mask & ~0xffffu;
    if (low && high) {
        Run first = runOf(warp, info, object, offsets, low);
        Run second = runOf(warp, info, object, offsets, high);
        bool apart =
            first.firstCell + first.cells <= second.firstCell || second.firstCell + second.cells <= first.firstCell;
        if (first.cells && second.cells && apart && written(first)) {
            if (!written(second))
                checkWrites(warp, info, object, offsets, high);
            return;
        }
    }
    if (!enterLanesApart<true>(warp, info, object, offsets, warp.mask))
        checkWrites(warp, info, object, offsets, warp.mask);
}
