// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Encodes consecutive events of one block as a part of a chunk (see predictor.h for the idea, chunk_packer.h for the
// layout).
#pragma once

#include <array>
#include <vector>

#include "core/trace/chunk_packer.h"
#include "core/trace/event_run.h"
#include "core/trace/predictor.h"

namespace lanescope::trace {

/// One lane's values as handed in by a producer: lane i at data + i * stride, `bytes` long; none when null.
struct LaneValues {
    const void* data = nullptr;
    uint8_t bytes = 0;
    uint8_t stride = 0;
};

/// Not thread-safe. Allocation-free once its columns have grown to their size.
class ChunkEncoder {
public:
    ChunkEncoder();

    /// Starts a part with events of a block with \p warps warps.
    void begin(uint32_t warps);
    void access(SiteId site, uint16_t warp, LaneMask mask, BufferId buffer, const uint32_t* offsets, LaneValues values);
    void accessEven(SiteId site, uint16_t warp, BufferId buffer, const EvenOffsets& offsets);
    void accessEven(SiteId site, uint16_t warp, BufferId buffer, const EvenOffsets& offsets, LaneValues values);
    void accessMixed(SiteId site, uint16_t warp, LaneMask mask, const BufferId* buffers, const uint64_t* offsets,
                     LaneValues values);
    void variableWrite(SiteId site, uint16_t warp, LaneMask mask, LaneValues values);
    void variableWriteUniform(SiteId site, uint16_t warp, LaneMask mask, const void* value, uint8_t bytes);
    /// A variable write whose value follows from the site's derivation.
    void variableWriteDerived(SiteId site, uint16_t warp, LaneMask mask)
    {
        beginEvent(site, warp, mask);
        endEvent();
    }
    /// One event of a run.
    void put(const EventRun::Event& event, uint16_t warp, const EventRun::Places& places);
    /// Says whether a run is what it was when the warp ran it last; then its events are in the chunk.
    bool repeat(const EventRun& run, uint16_t warp, const EventRun::Places& places);
    /// After all events of a run: whether the next time, if it is just like this, changes no expectation.
    void noteRun(const EventRun& run, uint16_t warp);
    void branch(SiteId site, uint16_t warp, LaneMask mask, LaneMask taken);
    /// Barrier, Exit, Call, Return.
    void mark(SiteId site, uint16_t warp, LaneMask mask);
    /// Only for cut-out events: the step of the next event, relative to the part's first step.
    void putStep(uint64_t step);

    [[nodiscard]] uint32_t events() const { return m_columns.events; }
    /// True when the next event should be in another chunk.
    [[nodiscard]] bool full() const { return m_columns.events >= kChunkEvents || m_wordBytes >= kChunkWordBytes; }
    /// What came since begin().
    [[nodiscard]] const ChunkColumns& columns() const { return m_columns; }

private:
    struct RawLanes {
        LaneMask mask = 0;
        uint8_t bytes = 0;
        alignas(16) std::array<uint8_t, 16 * kWarpSize> lanes;
    };

    SlotState& beginEvent(SiteId site, uint16_t warp, LaneMask mask);
    void endEvent() { m_columns.small[0].putByte(m_control); }
    void expectAfter(SlotState* previous, SiteId site, uint16_t warp);
    void missNext(SiteId site, uint16_t warp);
    void missMask(SlotState& state, LaneMask mask);
    void putPlace(SlotState& state, BufferId buffer, const uint32_t* offsets);
    void putEvenPlace(SlotState& state, BufferId buffer, const EvenOffsets& offsets);
    void missEvenPlace(SlotState& state, BufferId buffer, const EvenOffsets& offsets);
    void putMixed(const BufferId* buffers, const uint64_t* offsets);
    void putValues(SlotState& state, uint16_t warp, LaneValues values);
    void putNarrow(SlotState& state, uint16_t warp, const uint32_t* lanes, uint8_t bytes);
    void putUniform(SlotState& state, uint16_t warp, const void* value, uint8_t bytes);
    void putWide(SlotState& state, uint16_t warp, const uint64_t* lanes);
    void putShaped(SlotState& state, uint32_t shape, bool isNew, uint64_t base, uint8_t bytes);
    void putRaw(SlotState& state, uint16_t warp, const void* lanes, uint8_t laneBytes, uint8_t bytes);
    void setMode(SlotState& state, ValueMode mode);
    void putNewShape(const Shape& shape);

    ByteColumn& column(SmallColumn c) { return m_columns.small[static_cast<size_t>(c)]; }
    ByteColumn& column(WordColumn c) { return m_columns.words[static_cast<size_t>(c)]; }

    ChunkColumns m_columns;
    SlotTable m_slots;
    ShapeTable m_shapes;
    std::vector<RawLanes> m_lastRaw;  ///< by warp
    SiteId m_previousSite;
    uint64_t m_previousStep = 0;
    size_t m_wordBytes = 0;
    LaneMask m_mask = kAllLanes;  ///< of the event under way, or before
    uint8_t m_control = 0;
};

// What every event runs through is here, to be put together where it is called: an event that comes as expected costs
// a few comparisons.

inline void ChunkEncoder::expectAfter(SlotState* previous, SiteId site, uint16_t warp)
{
    if (previous == nullptr) [[unlikely]] {
        missNext(site, warp);
    } else if (previous->nextSite != site || previous->nextWarp != warp) [[unlikely]] {
        missNext(site, warp);
        previous->nextSite = site;
        previous->nextWarp = warp;
    }
}

inline SlotState& ChunkEncoder::beginEvent(SiteId site, uint16_t warp, LaneMask mask)
{
    ++m_columns.events;
    m_control = 0;
    expectAfter(m_slots.previous(), site, warp);
    SlotState& state = m_slots.at(site, warp, m_mask);
    state.repeated = nullptr;
    m_previousSite = site;
    m_mask = mask;
    if (state.mask != mask) [[unlikely]]
        missMask(state, mask);
    return state;
}

inline void ChunkEncoder::accessEven(SiteId site, uint16_t warp, BufferId buffer, const EvenOffsets& offsets)
{
    putEvenPlace(beginEvent(site, warp, kAllLanes), buffer, offsets);
    endEvent();
}

inline void ChunkEncoder::accessEven(SiteId site, uint16_t warp, BufferId buffer, const EvenOffsets& offsets,
                                     LaneValues values)
{
    SlotState& state = beginEvent(site, warp, kAllLanes);
    putEvenPlace(state, buffer, offsets);
    putValues(state, warp, values);
    endEvent();
}

inline void ChunkEncoder::putEvenPlace(SlotState& state, BufferId buffer, const EvenOffsets& offsets)
{
    if (state.expects(buffer, offsets)) [[likely]]
        state.base.update(offsets.first[0]);
    else
        missEvenPlace(state, buffer, offsets);
}

inline void ChunkEncoder::variableWriteUniform(SiteId site, uint16_t warp, LaneMask mask, const void* value,
                                               uint8_t bytes)
{
    SlotState& state = beginEvent(site, warp, mask);
    if (mask != 0)
        putUniform(state, warp, value, bytes);
    endEvent();
}

}  // namespace lanescope::trace
