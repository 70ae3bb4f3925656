// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/trace/event_log.h"

#include "core/base/assert.h"
#include "core/trace/predictor.h"

namespace lanescope::trace {

namespace {

/// Of the largest event: buffers and offsets of all lanes, and 16 bytes of values each.
constexpr size_t kMostPayload = (sizeof(BufferId) + sizeof(uint64_t) + 16) * kWarpSize;

}  // namespace

void EventLog::swap(EventLog& other) noexcept
{
    std::swap(m_next, other.m_next);
    std::swap(m_end, other.m_end);
    std::swap(m_payload, other.m_payload);
    std::swap(m_payloadEnd, other.m_payloadEnd);
    std::swap(m_moreSteps, other.m_moreSteps);
    std::swap(m_events, other.m_events);
    std::swap(m_payloads, other.m_payloads);
}

void EventLog::open()
{
    if (isOpen())
        return;
    // What is not used is not touched.
    m_events = std::make_unique_for_overwrite<LoggedEvent[]>(kChunkEvents + EventRun::kPlaces);
    m_payloads = std::make_unique_for_overwrite<uint8_t[]>(kChunkWordBytes + kMostPayload);
    clear();
}

void EventLog::clear()
{
    m_moreSteps = 0;
    m_next = m_events.get();
    m_end = m_next != nullptr ? m_next + kChunkEvents : nullptr;
    m_payload = m_payloads.get();
    m_payloadEnd = m_payload != nullptr ? m_payload + kChunkWordBytes : nullptr;
}

void EventLog::noteRun(size_t steps)
{
    const auto more = static_cast<uint32_t>(steps - EventRun::kPlaces);
    m_moreSteps += more;
    m_end = m_end - m_next > std::ptrdiff_t{more} ? m_end - more : m_next;
}

const EventRun& runOf(const LoggedEvent& first)
{
    LS_ASSERT(first.kind == LoggedEvent::Kind::RunFirst);
    const uint64_t address = uint64_t{(&first)[1].mask} << 32 | first.mask;
    return *reinterpret_cast<const EventRun*>(static_cast<uintptr_t>(address));
}

EventRun::Place placeOf(const LoggedEvent& event)
{
    return {event.buffer, {{event.first, event.first + event.gap}, {event.step[0], event.step[1]}}};
}

}  // namespace lanescope::trace
