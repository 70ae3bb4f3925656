// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What records a block. Its calls are the hot path of recording, and part of machine code: each is a few stores.
#pragma once

#include <cstddef>
#include <span>

#include "core/trace/event_log.h"
#include "core/trace/event_run.h"
#include "core/trace/model.h"

namespace lanescope::trace {

/// Receives one block's events in the order in which they ran (the block's steps). Keeps them in a log until there is a
/// part of a trace of them.
class BlockRecorder {
public:
    BlockRecorder() = default;
    BlockRecorder(const BlockRecorder&) = delete;
    BlockRecorder& operator=(const BlockRecorder&) = delete;
    virtual ~BlockRecorder() = default;

    /// Lanes of one buffer. \p offsets: 32 byte offsets in the buffer. \p values: lane i's value at
    /// `values + i * valueStride`, `valueBytes` long; null when replay can derive them (a load from memory
    /// that only this block writes during the launch). Inactive lanes are ignored.
    void access(SiteId site, uint16_t warp, LaneMask mask, BufferId buffer, const uint32_t* offsets, const void* values,
                uint8_t valueBytes, uint8_t valueStride);
    /// As access, of all 32 lanes, at evenly spaced offsets.
    void accessEven(SiteId site, uint16_t warp, BufferId buffer, const EvenOffsets& offsets, const void* values,
                    uint8_t valueBytes, uint8_t valueStride);
    /// The same for who writes the values where it says: 32 lanes of \p valueBytes each; 0: there are none.
    [[gnu::always_inline]] uint8_t* accessEven(SiteId site, uint16_t warp, BufferId buffer, const EvenOffsets& offsets,
                                               uint8_t valueBytes)
    {
        makeRoom();
        m_log.add({site,
                   warp,
                   LoggedEvent::Kind::Even,
                   valueBytes,
                   kAllLanes,
                   buffer,
                   offsets.first[0],
                   offsets.first[1] - offsets.first[0],
                   {offsets.step[0], offsets.step[1]}});
        return m_log.extend(size_t{valueBytes} * kWarpSize);
    }
    /// As access, lanes anywhere. kNoBuffer: `offsets` is the raw address.
    void accessMixed(SiteId site, uint16_t warp, LaneMask mask, const BufferId* buffers, const uint64_t* offsets,
                     const void* values, uint8_t valueBytes, uint8_t valueStride);
    /// \p values: null when they follow from the site's derivation.
    void variableWrite(SiteId site, uint16_t warp, LaneMask mask, const void* values, uint8_t valueBytes,
                       uint8_t valueStride);
    /// The same for who writes the values where it says, as with accessEven.
    [[gnu::always_inline]] uint8_t* variableWrite(SiteId site, uint16_t warp, LaneMask mask, uint8_t valueBytes)
    {
        makeRoom();
        m_log.add({site,
                   warp,
                   valueBytes == 0 ? LoggedEvent::Kind::WriteDerived : LoggedEvent::Kind::Write,
                   valueBytes,
                   mask,
                   {},
                   0,
                   0,
                   {}});
        return m_log.extend(mask != 0 ? size_t{valueBytes} * kWarpSize : 0);
    }
    /// The same value in every lane of the mask; of up to 8 bytes.
    [[gnu::always_inline]] void variableWriteUniform(SiteId site, uint16_t warp, LaneMask mask, uint64_t value,
                                                     uint8_t valueBytes)
    {
        makeRoom();
        m_log.add({site,
                   warp,
                   LoggedEvent::Kind::WriteUniform,
                   valueBytes,
                   mask,
                   {},
                   static_cast<uint32_t>(value),
                   static_cast<uint32_t>(value >> 32),
                   {}});
    }
    /// As before, in memory.
    void variableWriteUniform(SiteId site, uint16_t warp, LaneMask mask, const void* value, uint8_t valueBytes);
    /// All events of \p run, by all 32 lanes. The run must outlive the recording of the launch.
    void run(const EventRun& run, uint16_t warp, const EventRun::Places& places);
    [[gnu::always_inline]] void branch(SiteId site, uint16_t warp, LaneMask mask, LaneMask taken)
    {
        makeRoom();
        m_log.add({site, warp, LoggedEvent::Kind::Branch, 0, mask, {}, taken, 0, {}});
    }
    /// One warp arrives at a barrier; its lanes' epoch ends when the block's last warp has arrived.
    void barrier(SiteId site, uint16_t warp, LaneMask mask) { mark(LoggedEvent::Kind::Barrier, site, warp, mask); }
    /// Exit, Call, Return: lanes only.
    void mark(SiteId site, uint16_t warp, LaneMask mask) { mark(LoggedEvent::Kind::Mark, site, warp, mask); }
    /// Now and then, from a producer that may take long to fill a chunk: hands over what is there once it has waited
    /// for a quarter of a second, so that somebody who watches the recording sees it.
    virtual void keepFresh() = 0;
    /// Floating-point operations that the block's warps have done, from the first on; who does not count them leaves
    /// it out. Once, when the block has ended.
    virtual void flops(std::span<const uint64_t> ofWarps) = 0;
    [[nodiscard]] virtual StepIndex steps() const = 0;

    /// There is room for an event in the log when it returns.
    static void settle(BlockRecorder& recorder);

protected:
    /// What is in the log becomes a part; the log is open, and not full, then.
    virtual void settle() = 0;

    EventLog m_log;

private:
    [[gnu::always_inline]] void makeRoom()
    {
        if (m_log.isFull()) [[unlikely]]
            settle(*this);
    }
    void mark(LoggedEvent::Kind kind, SiteId site, uint16_t warp, LaneMask mask)
    {
        makeRoom();
        m_log.add({site, warp, kind, 0, mask, {}, 0, 0, {}});
    }
};

}  // namespace lanescope::trace
