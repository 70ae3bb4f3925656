// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The race check's quick ways for what is no load or store of registers.

/// Before anything is stored. Of \p lanes, whose accesses are sound, those that are to be looked at one by one.
template <bool writes>
LaneMask enterLanes(Warp& warp, const MemoryInfo& info, const ObjectEntry& object, const uint32_t* offsets,
                    LaneMask lanes)
{
    enterReads(warp, object);
    const RaceCells& cells = *object.races;
    if ((info.isVolatile && warp.block->checks->order) || (!writes && mayBeStale(warp, info, cells)))
        return lanes;
    if (cells.packed)
        return enterPacked<writes>(warp, info, object, offsets, lanes);
    if (const uint32_t offset = offsets[__builtin_ctz(lanes)];
        !writes && (lanesEqual(offsets, offset) & lanes) == lanes && twoStandForAll(warp, info, object, offset))
        return firstTwo(lanes);
    const Run run = runOf(warp, info, object, offsets, lanes);
    const auto enterRun = [&] {
        if constexpr (writes)
            return cells.isGlobal() ? writeRun<true>(warp, cells, run) : writeRun<false>(warp, cells, run);
        else
            return cells.isGlobal() ? readRun<true>(warp, cells, run) : readRun<false>(warp, cells, run);
    };
    const bool isEntered = (run.cells && enterRun()) || enterLanesApart<writes>(warp, info, object, offsets, lanes);
    return isEntered ? 0 : lanes;
}
