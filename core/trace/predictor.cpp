// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/trace/predictor.h"

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

void SlotTable::reset(uint32_t warps)
{
    if (warps != m_warps) {
        m_states.assign(m_slots * warps, SlotState{});
        m_warps = warps;
        m_generation = 0;
    }
    ++m_generation;
}

void SlotTable::addSite(SiteId site)
{
    if (site.value >= m_slotOf.size())
        m_slotOf.resize(site.value + size_t{1});
    m_slotOf[site.value] = static_cast<uint32_t>(++m_slots);
    m_states.resize(m_slots * m_warps);
}

}  // namespace lanescope::trace
