// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The race check of lanes that touch neighbouring words.

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

/// Whether all that the access would enter has been entered by this warp, and nobody has looked at these cells since;
/// what it finds is told again then.
template <bool writes>
[[gnu::always_inline]] inline bool isRepeatedRow(const Warp& warp, const RaceCells& cells, const Run& run)
{
    BlockChecks& checks = *warp.block->checks;
    if (!checks.repeatedRows || !cells.locks || run.perLane != 0)
        return false;
    const RepeatedRow& kept = checks.repeatedRows->of(&cells, run.firstCell);
    const RepeatedRow::Side& side = kept.sides[writes];
    if (kept.cells != &cells || kept.firstCell != run.firstCell || kept.count != run.cells ||
        side.time != checks.time || side.toucher != run.firstInfo || kept.block != warp.block->cellIndex ||
        !hasMark(cells.locks + (run.firstCell >> cells.lockShift), kept.mark))
        return false;
    if (side.toldCount)
        tellAgain(*warp.block, side, run.cells);
    return true;
}

constexpr unsigned kFewestInRun = 8;  ///< fewer are as quickly entered one by one

/// Where a run may be kept as a whole: each lane has its cell, all in one row. Null: nowhere.
template <bool global>
[[gnu::always_inline]] inline CellRuns* rowOf(const RaceCells& cells, const Run& run)
{
    const bool fits =
        run.cells >= kFewestInRun && run.perLane == 0 && run.firstCell % kRunCells + run.cells <= kRunCells;
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
    return !(global && cells.planesAreOlder(CellRuns::Writers, since)) &&
           writtenByOthers<global>(cells, run, since, block);
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
    return !(global && cells.planesAreOlder(CellRuns::Readers, since)) &&
           readByOthers<global>(cells, run, since, block);
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
    const uint32_t blockIndex = block.cellIndex;
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
    if constexpr (global)
        cells.notePlanes(CellRuns::Readers, now);
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
    const uint32_t blockIndex = block.cellIndex;
    if constexpr (global)
        cells.noteRead(checks.time);
    if (global && cells.runs && !cells.hasStep(1, since, checks.time))
        return false;
    const RowLock lock(cells, run.firstCell, run.cells);
    if (global && !lock.isRight())
        return false;
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
    const bool isNew = global && cells.planesAreOlder(CellRuns::Readers, since);
    const bool known = !isNew && !anyCell(run, [&](unsigned i, LaneVector) {
        return isOld(i) | maskOf((loadVector(reader + i) & kMany) == 0);
    });
    if (known)
        return !checks.order && !checks.warpOrder;  // whom of them to remember may have to be seen lane by lane
    if (isNew || !readByOthers<global>(cells, run, since, blockIndex)) {
        if (row && cells.keep(*row, CellRuns::Readers, whole, since))
            return true;
        if constexpr (global)
            cells.notePlanes(CellRuns::Readers, checks.time);
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
    const uint32_t blockIndex = block.cellIndex;
    cells.noteWrite(now);
    if (global && cells.runs && !cells.hasStep(1, since, now))
        return false;
    const RowLock lock(cells, run.firstCell, run.cells);
    if (global && !lock.isRight())
        return false;
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
    if constexpr (global)
        cells.notePlanes(CellRuns::Writers, now);
    setRun<global>(run, time, writer, writerBlock, now, blockIndex);
    return true;
}

/// Enters \p lanes that touch neighbouring bytes, whose cells are packed; false: more is to be looked at.
template <bool writes>
bool enterPackedRow(const Warp& warp, const MemoryInfo& info, const RaceCells& cells, const uint32_t* offsets,
                    LaneMask lanes)
{
    const BlockChecks& checks = *warp.block->checks;
    const unsigned bytes = info.bytes * info.components;
    const auto first = static_cast<unsigned>(__builtin_ctz(lanes));
    const auto count = static_cast<unsigned>(__builtin_popcount(lanes));
    const LaneMask low = lanes >> first;
    if ((low & (low + 1)) != 0 || (bytes & (bytes - 1)) != 0 || info.raceSite > kTouchMaxSite ||
        (cells.isGlobal() && checks.overlap.end != 0) || !isConsecutive(offsets + first, count, bytes))
        return false;
    const uint32_t since = cells.isGlobal() ? checks.launchStart : checks.epochStart;
    const uint32_t manyFlag = checks.order || checks.warpOrder ? 0
                              : cells.isGlobal()               ? kTouchManyBlocks
                                                               : kTouchManyWarps;
    const PackedCells::Row row{offsets[first],
                               count * bytes,
                               static_cast<unsigned>(__builtin_ctz(bytes)),
                               {toucherOf(warp, info, first), warp.block->cellIndex, checks.time}};
    if constexpr (writes)
        cells.noteWrite(checks.time);
    else if (cells.isGlobal())
        cells.noteRead(checks.time);
    const CellLock lock(cells, row.first);
    return writes ? cells.packed->writeRow(row, since) : cells.packed->readRow(row, since, manyFlag);
}

/// The same in one row, or in two of half a warp each; of lanes whose cells are packed, those that are left.
template <bool writes>
[[gnu::noinline]] LaneMask enterPacked(const Warp& warp, const MemoryInfo& info, const ObjectEntry& object,
                                       const uint32_t* offsets, LaneMask lanes)
{
    const RaceCells& cells = *object.races;
    if (enterPackedRow<writes>(warp, info, cells, offsets, lanes))
        return 0;
    if (writes)  // lanes of both halves that write one cell have to be seen together
        return lanes;
    constexpr LaneMask kLow = 0xffff;
    LaneMask left = 0;
    for (const LaneMask half : {lanes & kLow, lanes & ~kLow})
        if (half && !enterPackedRow<writes>(warp, info, cells, offsets, half))
            left |= half;
    return left;
}
