// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the records of a launch to its blocks: gathers each block's records, orders them by the multiprocessor's clock
// when the block is done, and hands them on.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "core/cuda/device_log.h"
#include "core/device/launch_device.h"

namespace lanescope::cuda {

/// Accesses where no memory is, by static site.
using Faults = std::unordered_map<uint32_t, device::AccessFault>;

/// One block's records, in the order in which they were made.
struct BlockRecords {
    const std::byte* bytes = nullptr;
    std::span<const std::pair<uint64_t, size_t>> order;  ///< clock, offset in bytes

    [[nodiscard]] const RecordHeader& at(size_t offset) const
    {
        return *reinterpret_cast<const RecordHeader*>(bytes + offset);
    }
};

/// What becomes of a launch's blocks. Used by several threads at a time, for different blocks.
class BlockSink {
public:
    virtual ~BlockSink() = default;
    /// Whether the lanes of a Mark with this place return from the kernel.
    [[nodiscard]] virtual bool isReturn(uint32_t place) const = 0;
    [[nodiscard]] virtual uint64_t threadsPerBlock() const = 0;
    /// False: the block is none of the launch, or there is no room for it.
    virtual bool write(uint64_t block, const BlockRecords& records, Faults& faults) const = 0;
};

/// Blocks that come through one queue. Not thread-safe.
class BlockLogs {
public:
    explicit BlockLogs(const BlockSink& sink) : m_sink(sink) {}

    void take(const RecordHeader& record);
    /// Blocks whose threads have not all returned, as far as they came.
    void finish();

    [[nodiscard]] uint64_t events() const { return m_events; }
    [[nodiscard]] uint64_t blocksRecorded() const { return m_blocksRecorded; }
    [[nodiscard]] uint64_t eventsDropped() const { return m_eventsDropped; }
    /// The first one of each site, with their number. In no order.
    [[nodiscard]] std::vector<device::AccessFault> faults() const;

private:
    struct Log {
        std::vector<std::byte> bytes;
        std::vector<std::pair<uint64_t, size_t>> order;  ///< clock, offset in bytes
        uint64_t returned = 0;                           ///< threads
    };

    void write(uint64_t block, Log& log);

    const BlockSink& m_sink;
    std::unordered_map<uint64_t, Log> m_logs;
    std::vector<Log> m_spare;  ///< emptied ones, for their memory
    uint64_t m_events = 0;
    uint64_t m_blocksRecorded = 0;
    uint64_t m_eventsDropped = 0;
    Faults m_faults;
};

}  // namespace lanescope::cuda
