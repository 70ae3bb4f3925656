// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/trace/event_sink.h"

#include "core/base/assert.h"

namespace lanescope::trace {

void replayEvent(const LoggedEvent& event, const uint8_t* payload, uint32_t move, EventSink& to)
{
    // Of no lanes: that it has values is known all the same.
    static constexpr std::array<uint8_t, 16 * kWarpSize> kNone{};
    const void* const values = event.hasLaneValues()   ? payload + event.placeBytes()
                               : event.valueBytes != 0 ? kNone.data()
                                                       : nullptr;
    const uint8_t bytes = event.valueBytes;
    switch (event.kind) {
    case LoggedEvent::Kind::Even: {
        EvenOffsets offsets = placeOf(event).offsets;
        for (uint32_t& first : offsets.first)
            first += move;
        return to.accessEven(event.site, event.warp, event.buffer, offsets, values, bytes, bytes);
    }
    case LoggedEvent::Kind::Access: {
        std::array<uint32_t, kWarpSize> offsets{};
        if (event.mask != 0)
            std::memcpy(offsets.data(), payload, sizeof offsets);
        for (uint32_t& offset : offsets)
            offset += event.first + move;
        return to.access(event.site, event.warp, event.mask, event.buffer, offsets.data(), values, bytes, bytes);
    }
    case LoggedEvent::Kind::Mixed: {
        std::array<BufferId, kWarpSize> buffers;
        std::array<uint64_t, kWarpSize> offsets{};
        buffers.fill(kNoBuffer);
        if (event.mask != 0) {
            std::memcpy(buffers.data(), payload, sizeof buffers);
            std::memcpy(offsets.data(), payload + sizeof buffers, sizeof offsets);
        }
        return to.accessMixed(event.site, event.warp, event.mask, buffers.data(), offsets.data(), values, bytes, bytes);
    }
    case LoggedEvent::Kind::Write:
        return to.variableWrite(event.site, event.warp, event.mask, values, bytes, bytes);
    case LoggedEvent::Kind::WriteUniform: {
        const uint64_t value = event.value();
        return to.variableWriteUniform(event.site, event.warp, event.mask, &value, bytes);
    }
    case LoggedEvent::Kind::WriteDerived:
        return to.variableWrite(event.site, event.warp, event.mask, nullptr, 0, 0);
    case LoggedEvent::Kind::Branch:
        return to.branch(event.site, event.warp, event.mask, event.first);
    case LoggedEvent::Kind::Barrier:
        return to.barrier(event.site, event.warp, event.mask);
    case LoggedEvent::Kind::Mark:
        return to.mark(event.site, event.warp, event.mask);
    case LoggedEvent::Kind::RunFirst:
    case LoggedEvent::Kind::RunSecond:
        break;
    }
    LS_ASSERT(false);
}

}  // namespace lanescope::trace
