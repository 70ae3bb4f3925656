// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The race check's quick ways: a warp that touches neighbouring cells which nobody else touched in this epoch, or
// that reads what many warps have read, is dealt with in a few vector instructions. Everything else goes lane by lane
// (race_check.cpp).

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

/// Whether of lanes that read one place two stand for all, since nobody has written it in this epoch.
[[gnu::always_inline]] inline bool twoStandForAll(const Warp& warp, const MemoryInfo& info, const ObjectEntry& object,
                                                  uint32_t offset)
{
    const RaceCells& cells = *object.races;
    const BlockChecks& checks = *warp.block->checks;
    const unsigned bytes = info.bytes * info.components;
    return !checks.order && !cells.isWiderThan(bytes) &&
           cells.areUnwritten(offset, bytes, cells.isGlobal() ? checks.launchStart : checks.epochStart);
}

[[gnu::always_inline]] inline LaneMask firstTwo(LaneMask lanes)
{
    const LaneMask first = lanes & -lanes, others = lanes & ~first;
    return first | (others & -others);
}

void enterQuietReads(Block& block);

/// Whether reads only have to be listed.
[[gnu::always_inline]] inline bool mayList(const Block& block, const RaceCells& cells)
{
    return !cells.isGlobal() && !block.checks->order && !block.checks->warpOrder &&
           cells.unwrittenSince(block.checks->epochStart);
}

[[gnu::always_inline]] inline void list(Block& block, const QuietRead& read)
{
    QuietReads& list = block.checks->quietReads;
    if (list.count == QuietReads::kMost)
        enterQuietReads(block);
    list.enter = enterQuietReads;
    list.reads[list.count++] = read;
}

/// Lists what lanes read here and there, where that is enough.
[[gnu::always_inline]] inline bool listReads(Warp& warp, const MemoryInfo& info, const ObjectEntry& object,
                                             const uint32_t* offsets)
{
    if (!warp.block->checks->quietReads.isForLanes() || !mayList(*warp.block, *object.races))
        return false;
    list(*warp.block, {&object, &info, &warp, {}, {}, nullptr, 0, warp.mask});
    __builtin_memcpy(warp.block->checks->quietReads.offsets.emplace_back().data(), offsets, sizeof(LaneOffsets));
    return true;
}

/// As trackReads, of one cell by all lanes.
[[gnu::noinline]] void trackReadsOfOne(Warp& warp, const MemoryInfo& info, const ObjectEntry& object, uint32_t offset)
{
    if (warp.mask == ~LaneMask{0} && mayList(*warp.block, *object.races))
        return list(*warp.block, {&object, &info, &warp, {offset, offset}, {}, nullptr, 0, 0});
    uint32_t offsets[kWarpSize];
    for (uint32_t& lane : offsets)
        lane = offset;
    if (listReads(warp, info, object, offsets))
        return;
    enterReads(warp, object);
    const bool mayBeFlag = info.isVolatile && warp.block->checks->order;
    if (!mayBeFlag && isQuiet(warp, info, *object.races) && readOne(warp, info, *object.races, offset, warp.mask))
        return;
    checkReads(warp, info, object, offsets,
               twoStandForAll(warp, info, object, offset) ? firstTwo(warp.mask) : warp.mask);
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

/// Whether so few lanes access a block's own memory that to look at one after the other is the quickest.
[[gnu::always_inline]] inline bool isForFewLanes(const Warp& warp, const RaceCells& cells)
{
    constexpr int kFew = 4;
    const BlockChecks& checks = *warp.block->checks;
    return __builtin_popcount(warp.mask) <= kFew && !cells.isGlobal() && !checks.order && !checks.warpOrder;
}

[[gnu::noinline]] void trackReads(Warp& warp, const MemoryInfo& info, const ObjectEntry& object,
                                  const uint32_t* offsets)
{
    enterReads(warp, object);
    if ((info.isVolatile && warp.block->checks->order) || mayBeStale(warp, info, *object.races))
        return checkReads(warp, info, object, offsets, warp.mask);
    if (object.races->packed) {
        if (const LaneMask left = enterPacked<false>(warp, info, object, offsets, warp.mask))
            checkReads(warp, info, object, offsets, left);
        return;
    }
    if (isForFewLanes(warp, *object.races))
        return checkReads(warp, info, object, offsets, warp.mask);
    if (isRepeated<false>(warp, info, *object.races, offsets) || readFew(warp, info, *object.races, offsets) ||
        readLanes(warp, info, object, offsets, warp.mask) || checkRowOfReads(warp, info, object, offsets, warp.mask))
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

/// As trackReads; nothing is entered yet that does not have to be.
[[gnu::noinline]] void trackOrListReads(Warp& warp, const MemoryInfo& info, const ObjectEntry& object,
                                        const uint32_t* offsets)
{
    if (!listReads(warp, info, object, offsets))
        trackReads(warp, info, object, offsets);
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
    if (object.races->packed && enterPacked<true>(warp, info, object, offsets, warp.mask) == 0)
        return;
    if (isForFewLanes(warp, *object.races))
        return checkWrites(warp, info, object, offsets, warp.mask);
    if (isRepeated<true>(warp, info, *object.races, offsets) ||
        written(runOf(warp, info, object, offsets, warp.mask)) ||
        checkRowOfWrites(warp, info, object, offsets, warp.mask))
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
