// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The race check of lanes whose words do not lie side by side: down the columns of a matrix, or here and there.

/// Words that the active lanes touch, each its own: a matrix whose rows lie side by side in a warp, say.
struct Apart {
    static constexpr unsigned kMost = kWarpSize * 4;
    unsigned count = 0;  ///< 0: not so
    /// Where lanes side by side touch a word each: how many cells on the next lane's is, the same for all. 0: not so.
    uint32_t step = 0;
    uint32_t cell[kMost];
    uint32_t info[kMost];  ///< toucher
};

/// Whether no two of the first \p count cells are the same, whatever their order.
[[gnu::noinline]] bool areDistinct(const uint32_t* cells, unsigned count)
{
    constexpr unsigned kBits = 9;  // four places for each cell, at least
    static_assert(1u << kBits == Apart::kMost * 4);
    constexpr uint8_t kFree = UINT8_MAX;
    static_assert(Apart::kMost < kFree);
    std::array<uint8_t, 1u << kBits> places;
    places.fill(kFree);
    for (unsigned i = 0; i < count; ++i) {
        unsigned at = cells[i] * 0x9e3779b9u >> (32 - kBits);
        for (; places[at] != kFree; at = (at + 1) % places.size())
            if (cells[places[at]] == cells[i])
                return false;
        places[at] = static_cast<uint8_t>(i);
    }
    return true;
}

[[gnu::always_inline]] inline void findApart(const Warp& warp, const MemoryInfo& info, const ObjectEntry& object,
                                             const uint32_t* offsets, LaneMask lanes, Apart& apart)
{
    const unsigned bytes = info.bytes * info.components;
    if (object.races->shift != kWordCells || (bytes & 3) || bytes > 16 || info.raceSite > kTouchMaxSite)
        return;
    // Where all are neighbours, a run has been tried, by which the same has been asked.
    const auto first = static_cast<unsigned>(__builtin_ctz(lanes));
    const LaneMask low = lanes >> first;
    if (object.races->stepNow() == 1 && (low & (low + 1)) == 0 &&
        isConsecutive(offsets + first, static_cast<unsigned>(__builtin_popcount(lanes)), bytes))
        return;
    uint64_t before = 0, end = 0;  // of what the lane before touches
    unsigned count = 0;
    bool isInOrder = true, isInReverse = true;
    for (LaneMask rest = lanes; rest; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
        if (offsets[lane] & 3)
            return;
        isInOrder &= offsets[lane] >= end;
        isInReverse &= count == 0 || uint64_t{offsets[lane]} + bytes <= before;
        before = offsets[lane];
        end = before + bytes;
        const uint32_t toucher = toucherOf(warp, info, lane);
        for (unsigned i = 0; i < bytes / 4; ++i, ++count) {
            apart.cell[count] = offsets[lane] / 4 + i;
            apart.info[count] = toucher;
        }
    }
    if (!isInOrder && !isInReverse && !areDistinct(apart.cell, count))
        return;
    apart.count = count;
    if (bytes != 4 || !isInOrder || count < 2 || (low & (low + 1)) != 0)
        return;
    const uint32_t step = apart.cell[1] - apart.cell[0];
    uint32_t bends = 0;
    for (unsigned i = 1; i < count; ++i)
        bends |= (apart.cell[i] - apart.cell[i - 1]) ^ step;
    apart.step = bends == 0 ? step : 0;
}

/// Holds the locks of cells that lie apart.
class ApartLock {
public:
    ApartLock(const RaceCells& cells, const Apart& apart) : m_cells(cells)
    {
        if (!cells.locks)
            return;
        for (;;) {
            const uint32_t step = cells.stepNow();
            find(apart, step);
            if (!tryAll())
                waitForAll();
            if (cells.stepNow() == step) [[likely]]
                return;
            leave();  // they have become other cells'
        }
    }
    ~ApartLock() { leave(); }
    ApartLock(const ApartLock&) = delete;
    ApartLock& operator=(const ApartLock&) = delete;

    /// That all of them had; 0: none.
    [[nodiscard]] uint32_t mark() const { return m_mark; }
    /// All get this one.
    void leave(uint32_t mark) { m_left = mark; }

private:
    /// Each once.
    void find(const Apart& apart, uint32_t step)
    {
        m_count = 0;
        std::array<uint64_t, 4> seen{};  // by the lowest bits
        for (unsigned i = 0; i < apart.count; ++i) {
            const uint64_t lock = m_cells.lockIndexOf(apart.cell[i], step), bit = uint64_t{1} << lock % 64;
            uint64_t& word = seen[lock / 64 % seen.size()];
            if ((word & bit) && isFound(lock))
                continue;
            word |= bit;
            m_indexes[m_count++] = lock;
        }
    }
    /// Neighbours mostly have the same.
    [[nodiscard]] bool isFound(uint64_t lock) const
    {
        unsigned at = m_count;
        while (at != 0 && m_indexes[at - 1] != lock)
            --at;
        return at != 0;
    }
    /// Mostly nobody else has any. Who waits for none need not take them in order.
    bool tryAll()
    {
        uint32_t marks[Apart::kMost];
        for (unsigned i = 0; i < m_count; ++i) {
            marks[i] = m_cells.tryLock(m_indexes[i]);
            if (marks[i] == kTakenLock) [[unlikely]] {
                while (i-- != 0)
                    m_cells.leaveLock(m_indexes[i], marks[i]);
                return false;
            }
            noteMark(i, marks[i]);
        }
        return true;
    }
    /// In ascending order, as all do who wait for one while they have others.
    [[gnu::noinline, gnu::cold]] void waitForAll()
    {
        // By hand: what the library has would be compiled for this instruction set, and be everybody's.
        for (unsigned i = 1; i < m_count; ++i)
            for (unsigned k = i; k != 0 && m_indexes[k] < m_indexes[k - 1]; --k)
                exchange(m_indexes[k], m_indexes[k - 1]);
        for (unsigned i = 0; i < m_count; ++i)
            noteMark(i, m_cells.takeLock(m_indexes[i]));
    }
    static void exchange(uint64_t& a, uint64_t& b)
    {
        const uint64_t was = a;
        a = b;
        b = was;
    }
    void noteMark(unsigned index, uint32_t mark) { m_mark = mark == m_mark || index == 0 ? mark : 0; }
    void leave()
    {
        for (unsigned i = 0; i < m_count; ++i)
            m_cells.leaveLock(m_indexes[i], m_left);
    }

    const RaceCells& m_cells;
    unsigned m_count = 0;
    uint32_t m_mark = 0;
    uint32_t m_left = 0;
    uint64_t m_indexes[Apart::kMost];
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
    if (global && cells.planesAreOlder(CellRuns::Writers, since))
        return false;
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
    if (global && cells.planesAreOlder(CellRuns::Readers, since))
        return false;
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
    if (global && cells.planesAreOlder(CellRuns::Readers, since))
        return false;
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
    if (kept.cells != &cells || kept.block != warp.block->cellIndex || kept.lanes != lanes ||
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
    const uint32_t step = cells.stepNow();
    const auto areMarked = [&](uint32_t byte) {
        bool all = true;
        for (LaneMask rest = warp.mask; rest; rest &= rest - 1)
            all &=
                hasMark(cells.locks + cells.lockIndexOf((offsets[__builtin_ctz(rest)] + byte) >> 2, step), kept.mark);
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
                .block = warp.block->cellIndex,
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
    const uint32_t blockIndex = block.cellIndex;
    if (!cells.unwrittenSince(since) && writtenByOthers<global>(cells, apart, since, blockIndex))
        return false;
    if (isKnownToMany<global>(cells, apart, since))
        return !checks.order && !checks.warpOrder;
    if (readByOthers<global>(cells, apart, since, blockIndex))
        return false;
    if constexpr (global)
        cells.notePlanes(CellRuns::Readers, checks.time);
    setApart<global>(apart, cells.readTime, cells.reader, cells.readerBlock, checks.time, blockIndex);
    return true;
}

/// As writeRun, with the cells' locks held.
template <bool global>
[[gnu::always_inline]] inline bool writeApart(const Block& block, const RaceCells& cells, const Apart& apart,
                                              uint32_t since)
{
    const uint32_t blockIndex = block.cellIndex;
    if (writtenByOthers<global>(cells, apart, since, blockIndex) ||
        (!(global && cells.unreadSince(since)) && readByOthers<global>(cells, apart, since, blockIndex)))
        return false;
    if constexpr (global)
        cells.notePlanes(CellRuns::Writers, block.checks->time);
    setApart<global>(apart, cells.writeTime, cells.writer, cells.writerBlock, block.checks->time, blockIndex);
    return true;
}

/// Whether the object's runs are not in the way of what the lanes touch: along a row, down a column as runs go, or
/// while there are none in this launch, which began at \p since.
[[gnu::always_inline]] inline bool isInLine(const RaceCells& cells, const Apart& apart, uint32_t since)
{
    return apart.step == 1 || (apart.step != 0 && (apart.step == cells.stepNow() || cells.isUnusedSince(since)));
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
    const uint32_t since = global ? checks.launchStart : checks.epochStart;
    if (global && !isInLine(cells, apart, since)) {
        cells.beginApart(checks.time);
        // What comes from far away does so while locks are taken.
        for (unsigned i = 0; writes && i < apart.count; ++i)
            cells.prefetchWriter(apart.cell[i]);
    }
    ApartLock lock(cells, apart);
    settle<global>(cells, apart);
    if (!(writes ? writeApart<global>(block, cells, apart, since) : readApart<global>(block, cells, apart, since)))
        return false;
    keepRepeated<writes>(warp, info, cells, offsets, lanes, lock);
    return true;
}

/// Words that lanes side by side touch, one each, all as far from the one before: down a column of a matrix.
struct Column {
    uint64_t firstCell = 0;
    unsigned cells = 0;      ///< 0: not so
    uint32_t step = 0;       ///< cells from one to the next, 2 or more
    uint32_t firstInfo = 0;  ///< toucher of the first lane
};

/// Of \p lanes lanes from \p first on, from \p offset on, \p step bytes apart; none where runs cannot keep them.
[[gnu::always_inline]] inline Column columnFrom(const Warp& warp, const MemoryInfo& info, const ObjectEntry& object,
                                                uint32_t offset, uint32_t step, unsigned first, unsigned lanes)
{
    constexpr unsigned kWord = 4;
    if (!object.races->runs || info.bytes * info.components != kWord || ((offset | step) % kWord) != 0 ||
        step < 2 * kWord || step > INT32_MAX || lanes < kFewestInRun || info.raceSite > kTouchMaxSite)
        return {};
    return {offset / kWord, lanes, step / kWord, toucherOf(warp, info, first)};
}

/// Of the \p active lanes.
[[gnu::always_inline]] inline Column columnOf(const Warp& warp, const MemoryInfo& info, const ObjectEntry& object,
                                              const uint32_t* offsets, LaneMask active)
{
    const auto first = static_cast<unsigned>(__builtin_ctz(active));
    const auto lanes = static_cast<unsigned>(__builtin_popcount(active));
    const LaneMask low = active >> first;
    if (lanes < kFewestInRun || (low & (low + 1)) != 0)
        return {};
    const uint32_t step = offsets[first + 1] - offsets[first];
    return isConsecutive(offsets + first, lanes, step)
               ? columnFrom(warp, info, object, offsets[first], step, first, lanes)
               : Column{};
}

/// As writtenByOthers or readByOthers of cells apart.
template <CellRuns::Side side>
[[gnu::always_inline]] inline bool touchedByOthers(const RaceCells& cells, const Column& column, uint32_t since,
                                                   uint32_t block)
{
    constexpr bool isWriters = side == CellRuns::Writers;
    if (cells.planesAreOlder(side, since))
        return false;
    constexpr uint32_t kFlags =
        isWriters ? kTouchAsync | kTouchSameValue : kTouchManyLanes | kTouchManyWarps | kTouchManyBlocks;
    const uint32_t* const times = isWriters ? cells.writeTime : cells.readTime;
    const uint32_t* const touchers = isWriters ? cells.writer : cells.reader;
    const uint32_t* const blocks = isWriters ? cells.writerBlock : cells.readerBlock;
    uint32_t found = 0;
    for (uint32_t i = 0; i < column.cells; ++i) {
        const uint64_t cell = column.firstCell + uint64_t{i} * column.step;
        const uint32_t self = (column.firstInfo + i) & kTouchThread;
        found |= allOnes(times[cell] >= since) &
                 (((touchers[cell] ^ self) & (kTouchThread | kFlags)) | (blocks[cell] ^ block));
    }
    return found != 0;
}

/// Enters a column as a run, where all of it has one place. False where more is to be looked at.
template <bool writes>
[[gnu::noinline]] bool enterColumn(const Warp& warp, const RaceCells& cells, const Column& column)
{
    constexpr CellRuns::Side kSide = writes ? CellRuns::Writers : CellRuns::Readers;
    const BlockChecks& checks = *warp.block->checks;
    const uint32_t since = checks.launchStart, now = checks.time;
    const uint32_t block = warp.block->cellIndex;
    const auto [index, first] = cells.placeOf(column.firstCell, column.step);
    if (checks.overlap.end != 0 || index >= cells.runCount || first + column.cells > kRunCells ||
        !cells.hasStep(column.step, since, now))
        return false;
    if constexpr (writes)
        cells.noteWrite(now);
    else
        cells.noteRead(now);
    const CellLock lock(cells, column.firstCell);
    if (cells.stepNow() != column.step)
        return false;
    CellRuns& place = cells.runs[index];
    const CellRun whole{now, column.firstInfo, block, static_cast<uint8_t>(first), static_cast<uint8_t>(column.cells)};
    if (isKeptBeside(&place, kSide, whole))
        return true;
    const auto isByOther = [&]<CellRuns::Side side>() {
        if (place.isOf(side, first, column.cells)) {
            const CellRun kept = place.get(side);
            return kept.time >= since && (((kept.info ^ whole.info) & kTouchThread) | (kept.block ^ block)) != 0;
        }
        if (place.meets(side, first, column.cells))
            cells.settle(place, side);
        return touchedByOthers<side>(cells, column, since, block);
    };
    return (cells.unwrittenSince(since) || !isByOther.template operator()<CellRuns::Writers>()) &&
           (cells.unreadSince(since) || !isByOther.template operator()<CellRuns::Readers>()) &&
           cells.keep(place, kSide, whole, since);
}

/// The lanes of a mask, from \p first on: all bits where it is set.
[[gnu::always_inline]] inline LaneVector chosenLanes(LaneMask lanes, int first)
{
    return maskOf((loadVector(kLaneBits.data() + first) & lanes) != 0);
}

/// Lanes that each touch their word of one row of shared memory, s[t] where lanes are missing: entered as apart, a
/// vector of them at a time. False where more is to be looked at.
template <bool writes>
[[gnu::always_inline]] inline bool enterPartOfRow(const Warp& warp, const MemoryInfo& info, const RaceCells& cells,
                                                  const uint32_t* offsets, LaneMask lanes)
{
    const BlockChecks& checks = *warp.block->checks;
    const auto first = static_cast<unsigned>(__builtin_ctz(lanes));
    const uint32_t start = offsets[first] - first * 4;
    if (cells.isGlobal() || cells.shift != kWordCells || info.bytes * info.components != 4 || (start & 3) != 0 ||
        offsets[first] < first * 4 || info.raceSite > kTouchMaxSite)
        return false;
    // The vectors may reach past the last cell, into the next plane; what is there stays as it is.
    uint32_t* const times = (writes ? cells.writeTime : cells.readTime) + start / 4;
    uint32_t* const touchers = (writes ? cells.writer : cells.reader) + start / 4;
    const uint32_t *const writeTime = cells.writeTime + start / 4, *const writer = cells.writer + start / 4;
    const uint32_t *const readTime = cells.readTime + start / 4, *const reader = cells.reader + start / 4;
    const uint32_t since = checks.epochStart, self = toucherOf(warp, info, 0);
    const bool mayBeWritten = writes || !cells.unwrittenSince(since);
    LaneVector strays{}, byOthers{};
    for (int i = 0; i < kWarpSize; i += kVectorLanes) {
        const LaneVector chosen = chosenLanes(lanes, i), lane = countingVector() + static_cast<uint32_t>(i);
        strays |= (loadVector(offsets + i) ^ (lane * 4 + start)) & chosen;
        const LaneVector thread = (lane + self) & kTouchThread;
        if (mayBeWritten)
            byOthers |= maskOf(loadVector(writeTime + i) >= since) & chosen & (loadVector(writer + i) ^ thread) &
                        (kTouchThread | kTouchAsync | kTouchSameValue);
        const LaneVector known = loadVector(reader + i), isRead = maskOf(loadVector(readTime + i) >= since) & chosen;
        constexpr uint32_t kFlags = kTouchManyLanes | kTouchManyWarps | kTouchManyBlocks;
        const LaneVector readByOthers = ((known ^ thread) & (kTouchThread | kFlags)) & isRead;
        if constexpr (writes)
            byOthers |= readByOthers;
        else
            strays |= readByOthers;
    }
    if (anySet(strays | byOthers))
        return false;
    if constexpr (writes)
        cells.noteWrite(checks.time);
    const LaneVector none{};
    for (int i = 0; i < kWarpSize; i += kVectorLanes) {
        const LaneVector chosen = chosenLanes(lanes, i), lane = countingVector() + static_cast<uint32_t>(i);
        blend(times + i, chosen, none + checks.time, kVectorLanes);
        blend(touchers + i, chosen, lane + self, kVectorLanes);
    }
    return true;
}

template <bool writes>
[[gnu::noinline]] bool enterLanesApart(const Warp& warp, const MemoryInfo& info, const ObjectEntry& object,
                                       const uint32_t* offsets, LaneMask lanes)
{
    if (enterPartOfRow<writes>(warp, info, *object.races, offsets, lanes))
        return true;
    if (const Column column = columnOf(warp, info, object, offsets, lanes); column.cells)
        if (enterColumn<writes>(warp, *object.races, column))
            return true;
    Apart apart;
    findApart(warp, info, object, offsets, lanes, apart);
    return object.races->isGlobal() ? enterApart<true, writes>(warp, info, *object.races, offsets, lanes, apart)
                                    : enterApart<false, writes>(warp, info, *object.races, offsets, lanes, apart);
}
