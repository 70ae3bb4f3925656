// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A sink for blocks whose producer knows as one buffer what the trace has as several: the arrays in one piece of
// shared memory.
#pragma once

#include <span>
#include <vector>

#include "core/trace/event_sink.h"

namespace lanescope::trace {

struct DividedBuffer {
    struct Part {
        BufferId id;
        uint64_t begin = 0;  ///< bytes of the whole before it
    };
    BufferId whole;
    std::vector<Part> parts;  ///< ascending, the first at 0; each reaches to the next

    [[nodiscard]] const Part& partAt(uint64_t offset) const;
};

/// Hands on to another sink, with accesses of divided buffers as accesses of their parts. An access that reaches
/// over the end of a part becomes several.
class DividingRecorder final : public EventSink {
public:
    /// Both must outlive it.
    DividingRecorder(EventSink& inner, std::span<const DividedBuffer> divided) : m_inner(&inner), m_divided(divided) {}

    void access(SiteId site, uint16_t warp, LaneMask mask, BufferId buffer, const uint32_t* offsets, const void* values,
                uint8_t valueBytes, uint8_t valueStride) override;
    void accessEven(SiteId site, uint16_t warp, BufferId buffer, const EvenOffsets& offsets, const void* values,
                    uint8_t valueBytes, uint8_t valueStride) override;
    void accessMixed(SiteId site, uint16_t warp, LaneMask mask, const BufferId* buffers, const uint64_t* offsets,
                     const void* values, uint8_t valueBytes, uint8_t valueStride) override;
    void run(const EventRun& run, uint16_t warp, const EventRun::Places& places) override;
    void variableWrite(SiteId site, uint16_t warp, LaneMask mask, const void* values, uint8_t valueBytes,
                       uint8_t valueStride) override
    {
        m_inner->variableWrite(site, warp, mask, values, valueBytes, valueStride);
    }
    void variableWriteUniform(SiteId site, uint16_t warp, LaneMask mask, const void* value, uint8_t valueBytes) override
    {
        m_inner->variableWriteUniform(site, warp, mask, value, valueBytes);
    }
    void branch(SiteId site, uint16_t warp, LaneMask mask, LaneMask taken) override
    {
        m_inner->branch(site, warp, mask, taken);
    }
    void barrier(SiteId site, uint16_t warp, LaneMask mask) override { m_inner->barrier(site, warp, mask); }
    void mark(SiteId site, uint16_t warp, LaneMask mask) override { m_inner->mark(site, warp, mask); }

private:
    /// Null: it is no divided buffer.
    [[nodiscard]] const DividedBuffer* dividedAs(BufferId buffer) const;
    void put(const EventRun::Event& event, uint16_t warp, const EventRun::Places& places);

    EventSink* m_inner;
    std::span<const DividedBuffer> m_divided;
};

}  // namespace lanescope::trace
