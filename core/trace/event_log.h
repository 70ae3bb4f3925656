// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Events of a block as they come, before anybody knows how they are stored: each is 32 bytes, and what does not fit
// stands in a payload. Made to be written by machine code, and to be compared with another block's at once
// (told_part.h).
#pragma once

#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <span>

#include "core/trace/event_run.h"
#include "core/trace/model.h"

namespace lanescope::trace {

struct LoggedEvent {
    enum class Kind : uint8_t {
        Even,          ///< an access of all lanes, evenly spaced
        Access,        ///< payload: each lane's offset from `first`
        Mixed,         ///< payload: each lane's buffer, each lane's offset
        Write,         ///< of a variable; values are in the payload
        WriteUniform,  ///< `first` and `gap` are the value
        WriteDerived,
        Branch,
        Barrier,
        Mark,
        RunFirst,  ///< an EventRun, whose address is in the two masks of this and the next; this is its first place,
        RunSecond,
    };
    SiteId site{};  ///< RunFirst, RunSecond: of the first access from the place
    uint16_t warp = 0;
    Kind kind = Kind::Mark;
    uint8_t valueBytes = 0;  ///< 0: none. Their lanes stand in the payload behind what else the event has there
    LaneMask mask = 0;
    BufferId buffer{};
    uint32_t first = 0;  ///< offset of the first lane (Access: of the first active one); Branch: lanes that took it
    uint32_t gap = 0;    ///< from the first half's first offset to the second's
    std::array<uint32_t, 2> step{};

    [[nodiscard]] bool isRun() const { return kind == Kind::RunFirst || kind == Kind::RunSecond; }
    [[nodiscard]] bool isAccess() const { return kind == Kind::Even || kind == Kind::Access || kind == Kind::Mixed; }
    /// `first` and `gap` as one number.
    [[nodiscard]] uint64_t value() const { return uint64_t{gap} << 32 | first; }
    [[nodiscard]] bool hasLaneValues() const { return valueBytes != 0 && kind != Kind::WriteUniform && mask != 0; }
    /// Of what stands in the payload before the values.
    [[nodiscard]] size_t placeBytes() const
    {
        return mask == 0              ? 0
               : kind == Kind::Access ? sizeof(uint32_t) * kWarpSize
               : kind == Kind::Mixed  ? (sizeof(BufferId) + sizeof(uint64_t)) * kWarpSize
                                      : 0;
    }
    [[nodiscard]] size_t payloadBytes() const
    {
        return placeBytes() + (hasLaneValues() ? size_t{valueBytes} * kWarpSize : 0);
    }
};
static_assert(sizeof(LoggedEvent) == 32, "two to a line of the cache");

/// Not thread-safe. Whoever adds asks isFull() first.
class EventLog {
public:
    EventLog() = default;
    EventLog(EventLog&& other) noexcept { swap(other); }
    EventLog& operator=(EventLog&& other) noexcept
    {
        swap(other);
        return *this;
    }
    EventLog(const EventLog&) = delete;
    EventLog& operator=(const EventLog&) = delete;
    ~EventLog() = default;
    void swap(EventLog& other) noexcept;

    /// Takes memory for a part, if it has none.
    void open();
    void clear();
    /// Nothing more fits.
    [[nodiscard]] bool isFull() const { return m_next == m_end || m_payload >= m_payloadEnd; }
    [[nodiscard]] bool isOpen() const { return m_events != nullptr; }

    /// Adds an event that has no payload yet.
    [[gnu::always_inline]] void add(const LoggedEvent& event) { *m_next++ = event; }
    /// So many bytes of the payload of the event that was added last, to be filled in.
    [[gnu::always_inline]] uint8_t* extend(size_t bytes)
    {
        uint8_t* const at = m_payload;
        m_payload += bytes;
        return at;
    }
    /// Two events that stand for \p steps.
    void noteRun(size_t steps);

    /// What it comes to in a trace: of a run, each event counts.
    [[nodiscard]] uint32_t steps() const { return static_cast<uint32_t>(m_next - m_events.get()) + m_moreSteps; }
    [[nodiscard]] std::span<const LoggedEvent> events() const { return {m_events.get(), m_next}; }
    [[nodiscard]] const uint8_t* payload() const { return m_payloads.get(); }
    [[nodiscard]] size_t payloadBytes() const { return static_cast<size_t>(m_payload - m_payloads.get()); }

private:
    LoggedEvent* m_next = nullptr;
    LoggedEvent* m_end = nullptr;
    uint8_t* m_payload = nullptr;
    uint8_t* m_payloadEnd = nullptr;  ///< behind it is room for one event's
    uint32_t m_moreSteps = 0;         ///< than there are events
    std::unique_ptr<LoggedEvent[]> m_events;
    std::unique_ptr<uint8_t[]> m_payloads;
};

/// The run that \p first and the event behind it are.
const EventRun& runOf(const LoggedEvent& first);
/// Where the run's accesses are counted from.
EventRun::Place placeOf(const LoggedEvent& event);

}  // namespace lanescope::trace
