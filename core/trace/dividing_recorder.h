// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A recorder for blocks whose producer knows as one buffer what the trace has as several: the arrays in one piece of
// shared memory.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/trace/writer.h"

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

/// Hands on to another recorder, with accesses of divided buffers as accesses of their parts. An access that reaches
/// over the end of a part becomes several.
class DividingRecorder final : public BlockRecorder {
public:
    /// \p divided must outlive the recording of the block.
    DividingRecorder(std::unique_ptr<BlockRecorder> inner, std::span<const DividedBuffer> divided)
        : m_inner(std::move(inner)), m_divided(divided)
    {
    }

    [[nodiscard]] std::unique_ptr<BlockRecorder> takeInner() { return std::move(m_inner); }

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
    void flops(std::span<const uint64_t> ofWarps) override { m_inner->flops(ofWarps); }
    void keepFresh() override { m_inner->keepFresh(); }
    [[nodiscard]] StepIndex steps() const override { return m_inner->steps(); }

private:
    /// Null: it is no divided buffer.
    [[nodiscard]] const DividedBuffer* dividedAs(BufferId buffer) const;
    void put(const EventRun::Event& event, uint16_t warp, const EventRun::Places& places);

    std::unique_ptr<BlockRecorder> m_inner;
    std::span<const DividedBuffer> m_divided;
};

}  // namespace lanescope::trace
