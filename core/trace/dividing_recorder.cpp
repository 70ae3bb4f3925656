// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/trace/dividing_recorder.h"

#include <algorithm>
#include <array>
#include <bit>

#include "core/base/assert.h"

namespace lanescope::trace {

const DividedBuffer::Part& DividedBuffer::partAt(uint64_t offset) const
{
    const auto behind = std::ranges::upper_bound(parts, offset, {}, &Part::begin);
    LS_ASSERT(behind != parts.begin());
    return *std::prev(behind);
}

const DividedBuffer* DividingRecorder::dividedAs(BufferId buffer) const
{
    const auto found = std::ranges::find(m_divided, buffer, &DividedBuffer::whole);
    return found == m_divided.end() ? nullptr : &*found;
}

void DividingRecorder::access(SiteId site, uint16_t warp, LaneMask mask, BufferId buffer, const uint32_t* offsets,
                              const void* values, uint8_t valueBytes, uint8_t valueStride)
{
    if (!dividedAs(buffer))
        return m_inner->access(site, warp, mask, buffer, offsets, values, valueBytes, valueStride);
    std::array<BufferId, kWarpSize> buffers;
    std::array<uint64_t, kWarpSize> wide{};
    buffers.fill(buffer);
    std::copy_n(offsets, kWarpSize, wide.begin());
    accessMixed(site, warp, mask, buffers.data(), wide.data(), values, valueBytes, valueStride);
}

void DividingRecorder::accessEven(SiteId site, uint16_t warp, BufferId buffer, const EvenOffsets& offsets,
                                  const void* values, uint8_t valueBytes, uint8_t valueStride)
{
    if (!dividedAs(buffer))
        return m_inner->accessEven(site, warp, buffer, offsets, values, valueBytes, valueStride);
    std::array<uint32_t, kWarpSize> each{};
    constexpr uint32_t kHalf = kWarpSize / 2;
    for (uint32_t lane = 0; lane < kWarpSize; ++lane)
        each[lane] = offsets.first[lane / kHalf] + (lane % kHalf) * offsets.step[lane / kHalf];
    access(site, warp, kAllLanes, buffer, each.data(), values, valueBytes, valueStride);
}

void DividingRecorder::accessMixed(SiteId site, uint16_t warp, LaneMask mask, const BufferId* buffers,
                                   const uint64_t* offsets, const void* values, uint8_t valueBytes, uint8_t valueStride)
{
    std::array<BufferId, kWarpSize> inside;
    std::array<uint64_t, kWarpSize> within{};
    inside.fill(kNoBuffer);
    bool reachesOver = false;
    for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<size_t>(std::countr_zero(rest));
        inside[lane] = buffers[lane];
        within[lane] = offsets[lane];
        if (const DividedBuffer* divided = dividedAs(buffers[lane])) {
            const DividedBuffer::Part& part = divided->partAt(offsets[lane]);
            inside[lane] = part.id;
            within[lane] = offsets[lane] - part.begin;
            reachesOver |= valueBytes > 1 && divided->partAt(offsets[lane] + valueBytes - 1).id != part.id;
        }
    }
    if (!reachesOver || values == nullptr)
        return m_inner->accessMixed(site, warp, mask, inside.data(), within.data(), values, valueBytes, valueStride);
    const auto half = static_cast<uint8_t>(valueBytes / 2);
    std::array<uint64_t, kWarpSize> second{};
    std::transform(offsets, offsets + kWarpSize, second.begin(), [&](uint64_t offset) { return offset + half; });
    accessMixed(site, warp, mask, buffers, offsets, values, half, valueStride);
    accessMixed(site, warp, mask, buffers, second.data(), static_cast<const std::byte*>(values) + half, half,
                valueStride);
}

void DividingRecorder::run(const EventRun& run, uint16_t warp, const EventRun::Places& places)
{
    if (!std::ranges::any_of(places, [&](const EventRun::Place& place) { return dividedAs(place.buffer); }))
        return m_inner->run(run, warp, places);
    for (const EventRun::Event& event : run.events)
        put(event, warp, places);
}

void DividingRecorder::put(const EventRun::Event& event, uint16_t warp, const EventRun::Places& places)
{
    switch (event.kind) {
    case EventRun::Kind::Access: {
        const EventRun::Place& place = places[event.place];
        EvenOffsets offsets = place.offsets;
        for (uint32_t& first : offsets.first)
            first += event.offset;
        return accessEven(event.site, warp, place.buffer, offsets, nullptr, 0, 0);
    }
    case EventRun::Kind::DerivedWrite:
        return m_inner->variableWrite(event.site, warp, kAllLanes, nullptr, 0, 0);
    case EventRun::Kind::ConstantWrite:
        return m_inner->variableWriteUniform(event.site, warp, kAllLanes, &event.value, event.valueBytes);
    }
}

}  // namespace lanescope::trace
