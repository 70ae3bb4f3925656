// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/trace/block_recorder.h"

namespace lanescope::trace {

void BlockRecorder::settle(BlockRecorder& recorder)
{
    recorder.settle();
}

namespace {

/// Of inactive lanes there may be none.
void copyValues(const void* values, LaneMask mask, size_t valueBytes, size_t valueStride, uint8_t* to)
{
    const auto* const from = static_cast<const uint8_t*>(values);
    if (mask == kAllLanes && valueStride == valueBytes) {
        std::memcpy(to, from, valueBytes * kWarpSize);
        return;
    }
    if (mask != kAllLanes)
        std::memset(to, 0, valueBytes * kWarpSize);
    for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<size_t>(std::countr_zero(rest));
        std::memcpy(to + lane * valueBytes, from + lane * valueStride, valueBytes);
    }
}

}  // namespace

void BlockRecorder::access(SiteId site, uint16_t warp, LaneMask mask, BufferId buffer, const uint32_t* offsets,
                           const void* values, uint8_t valueBytes, uint8_t valueStride)
{
    makeRoom();
    const uint32_t first = mask != 0 ? offsets[std::countr_zero(mask)] : 0;
    m_log.add({site,
               warp,
               LoggedEvent::Kind::Access,
               values != nullptr ? valueBytes : uint8_t{0},
               mask,
               buffer,
               first,
               0,
               {}});
    if (mask == 0)
        return;
    std::array<uint32_t, kWarpSize> relative;
    for (size_t lane = 0; lane < kWarpSize; ++lane)
        relative[lane] = (offsets[lane] - first) & (0U - (mask >> lane & 1U));
    std::memcpy(m_log.extend(sizeof relative), relative.data(), sizeof relative);
    if (values != nullptr)
        copyValues(values, mask, valueBytes, valueStride, m_log.extend(size_t{valueBytes} * kWarpSize));
}

void BlockRecorder::accessEven(SiteId site, uint16_t warp, BufferId buffer, const EvenOffsets& offsets,
                               const void* values, uint8_t valueBytes, uint8_t valueStride)
{
    uint8_t* const to = accessEven(site, warp, buffer, offsets, values != nullptr ? valueBytes : uint8_t{0});
    if (values != nullptr)
        copyValues(values, kAllLanes, valueBytes, valueStride, to);
}

void BlockRecorder::accessMixed(SiteId site, uint16_t warp, LaneMask mask, const BufferId* buffers,
                                const uint64_t* offsets, const void* values, uint8_t valueBytes, uint8_t valueStride)
{
    makeRoom();
    m_log.add({site, warp, LoggedEvent::Kind::Mixed, values != nullptr ? valueBytes : uint8_t{0}, mask, {}, 0, 0, {}});
    if (mask == 0)
        return;
    std::memcpy(m_log.extend(sizeof(BufferId) * kWarpSize), buffers, sizeof(BufferId) * kWarpSize);
    std::memcpy(m_log.extend(sizeof(uint64_t) * kWarpSize), offsets, sizeof(uint64_t) * kWarpSize);
    if (values != nullptr)
        copyValues(values, mask, valueBytes, valueStride, m_log.extend(size_t{valueBytes} * kWarpSize));
}

void BlockRecorder::variableWrite(SiteId site, uint16_t warp, LaneMask mask, const void* values, uint8_t valueBytes,
                                  uint8_t valueStride)
{
    uint8_t* const to = variableWrite(site, warp, mask, values != nullptr ? valueBytes : uint8_t{0});
    if (values != nullptr && mask != 0)
        copyValues(values, mask, valueBytes, valueStride, to);
}

void BlockRecorder::variableWriteUniform(SiteId site, uint16_t warp, LaneMask mask, const void* value,
                                         uint8_t valueBytes)
{
    uint64_t number = 0;
    if (valueBytes > sizeof number)
        return variableWrite(site, warp, mask, value, valueBytes, 0);
    std::memcpy(&number, value, valueBytes);
    variableWriteUniform(site, warp, mask, number, valueBytes);
}

void BlockRecorder::run(const EventRun& run, uint16_t warp, const EventRun::Places& places)
{
    static_assert(EventRun::kPlaces == 2);
    makeRoom();
    const auto address = uint64_t{reinterpret_cast<uintptr_t>(&run)};
    for (size_t i = 0; i < EventRun::kPlaces; ++i) {
        const EvenOffsets& offsets = places[i].offsets;
        m_log.add({run.events[run.firstFrom[i]].site,
                   warp,
                   i == 0 ? LoggedEvent::Kind::RunFirst : LoggedEvent::Kind::RunSecond,
                   0,
                   static_cast<LaneMask>(address >> (i == 0 ? 0 : 32)),
                   places[i].buffer,
                   offsets.first[0],
                   offsets.first[1] - offsets.first[0],
                   {offsets.step[0], offsets.step[1]}});
    }
    m_log.noteRun(run.events.size());
}

}  // namespace lanescope::trace
