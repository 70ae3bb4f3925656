// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/trace/predictor.h"

#include <algorithm>

namespace lanescope::trace {

namespace {

uint64_t hashOf(const Shape& shape)
{
    uint64_t hash = 0;
    for (const uint32_t offset : shape)
        hash = (hash ^ offset) * 0x9e3779b97f4a7c15ULL;
    return hash ^ (hash >> 29);
}

}  // namespace

void ShapeTable::reset()
{
    m_shapes.clear();
    m_byHash.clear();
    m_shapes.reserve(kCapacity);
    add(Shape{});
    Shape lanes;
    for (uint32_t i = 0; i < kWarpSize; ++i)
        lanes[i] = i;
    add(lanes);
}

uint32_t ShapeTable::add(const Shape& shape)
{
    const uint32_t id = size();
    m_shapes.push_back(shape);
    m_byHash.emplace(hashOf(shape), id);
    return id;
}

uint32_t ShapeTable::find(const Shape& shape) const
{
    const auto [from, to] = m_byHash.equal_range(hashOf(shape));
    for (auto it = from; it != to; ++it)
        if (m_shapes[it->second] == shape)
            return it->second;
    return size();
}

void SlotTable::reset(uint32_t warps, uint8_t format)
{
    m_inherits = format >= 2;
    m_previous = nullptr;
    if (warps != m_warps) {
        m_states.assign(m_capacity * warps, SlotState{});
        m_newest.assign(m_slots, {});
        m_warps = warps;
        m_generation = 0;
    }
    ++m_generation;
}

void SlotTable::begin(SlotState& state, size_t slot, SiteId site, uint16_t warp, LaneMask maskBefore)
{
    Newcomer& newest = m_newest[slot];
    const SlotState& known = m_states[newest.warp * m_capacity + slot];
    if (m_inherits && known.generation == m_generation) {
        const uint64_t base = known.base.last;
        state = known;
        // From warp to warp bases go on as they did.
        state.base.expect(newest.isSecond ? 2 * base - newest.baseBefore : base);
        state.value.expect(known.value.last);
        // What this warp does next that one did too; where the next warp came, the one after it comes now.
        state.nextWarp = static_cast<uint16_t>((state.nextWarp + m_warps + warp - newest.warp) % m_warps);
        newest = {.warp = warp, .isSecond = true, .baseBefore = base};
    } else {
        state = SlotState{};
        newest = {.warp = warp};
    }
    if (m_inherits && state.nextSite == kNoSite) {
        state.nextSite = SiteId{site.value + 1};
        state.nextWarp = warp;
    }
    if (m_inherits && state.generation == 0)
        state.mask = maskBefore;
    state.generation = m_generation;
}

void SlotTable::addSite(SiteId site)
{
    if (site.value >= m_slotOf.size())
        m_slotOf.resize(site.value + size_t{1});
    m_slotOf[site.value] = static_cast<uint32_t>(++m_slots);
    m_newest.resize(m_slots);
    if (m_slots <= m_capacity)
        return;
    const size_t capacity = std::max<size_t>(16, 2 * m_capacity);
    std::vector<SlotState> states(capacity * m_warps);
    for (size_t warp = 0; warp < m_warps; ++warp)
        std::copy_n(m_states.data() + warp * m_capacity, m_capacity, states.data() + warp * capacity);
    if (m_previous != nullptr) {
        const auto at = static_cast<size_t>(m_previous - m_states.data());
        m_previous = states.data() + at / m_capacity * capacity + at % m_capacity;
    }
    m_states = std::move(states);
    m_capacity = capacity;
}

}  // namespace lanescope::trace
