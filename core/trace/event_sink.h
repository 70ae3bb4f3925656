// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Takes a block's events one by one, once it is clear that they are to be stored by themselves.
#pragma once

#include "core/trace/event_log.h"

namespace lanescope::trace {

/// In the order in which they ran. Parameters as of BlockRecorder (writer.h).
class EventSink {
public:
    EventSink() = default;
    EventSink(const EventSink&) = delete;
    EventSink& operator=(const EventSink&) = delete;
    virtual ~EventSink() = default;

    virtual void access(SiteId site, uint16_t warp, LaneMask mask, BufferId buffer, const uint32_t* offsets,
                        const void* values, uint8_t valueBytes, uint8_t valueStride) = 0;
    virtual void accessEven(SiteId site, uint16_t warp, BufferId buffer, const EvenOffsets& offsets, const void* values,
                            uint8_t valueBytes, uint8_t valueStride) = 0;
    virtual void accessMixed(SiteId site, uint16_t warp, LaneMask mask, const BufferId* buffers,
                             const uint64_t* offsets, const void* values, uint8_t valueBytes, uint8_t valueStride) = 0;
    virtual void variableWrite(SiteId site, uint16_t warp, LaneMask mask, const void* values, uint8_t valueBytes,
                               uint8_t valueStride) = 0;
    virtual void variableWriteUniform(SiteId site, uint16_t warp, LaneMask mask, const void* value,
                                      uint8_t valueBytes) = 0;
    virtual void run(const EventRun& run, uint16_t warp, const EventRun::Places& places) = 0;
    virtual void branch(SiteId site, uint16_t warp, LaneMask mask, LaneMask taken) = 0;
    virtual void barrier(SiteId site, uint16_t warp, LaneMask mask) = 0;
    virtual void mark(SiteId site, uint16_t warp, LaneMask mask) = 0;
};

/// One event of a log, but no run. \p payload: its own. \p move: by how many bytes its place is on.
void replayEvent(const LoggedEvent& event, const uint8_t* payload, uint32_t move, EventSink& to);

/// Hands \p log's events to \p to. \p moveOf(i): by how many bytes the place of event i is on.
template <typename MoveOf>
void replay(const EventLog& log, EventSink& to, const MoveOf& moveOf)
{
    const std::span<const LoggedEvent> events = log.events();
    const uint8_t* payload = log.payload();
    for (size_t i = 0; i < events.size(); ++i) {
        const LoggedEvent& event = events[i];
        if (event.kind == LoggedEvent::Kind::RunFirst) {
            EventRun::Places places{placeOf(event), placeOf(events[i + 1])};
            for (size_t place = 0; place < places.size(); ++place)
                for (uint32_t& first : places[place].offsets.first)
                    first += moveOf(i + place);
            to.run(runOf(event), event.warp, places);
            ++i;
            continue;
        }
        replayEvent(event, payload, moveOf(i), to);
        payload += event.payloadBytes();
    }
}

}  // namespace lanescope::trace
