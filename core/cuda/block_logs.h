// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the records of a launch to the events of its blocks: gathers each block's records, orders them by the
// multiprocessor's clock when the block is done, says which buffers they are about, and hands them to the trace.
#pragma once

#include <array>
#include <atomic>
#include <unordered_map>
#include <vector>

#include "core/cuda/device_log.h"
#include "core/simt/launch_device.h"

namespace lanescope::cuda {

/// What all blocks of a launch share. Read-only while the kernel runs.
class LaunchTables {
public:
    LaunchTables(const simt::DeviceLaunch& launch, const simt::DeviceMemory& memory);

    struct Object {
        BufferId buffer = kNoBuffer;
        uint64_t bytes = 0;
        bool isShared = false;
    };

    [[nodiscard]] SiteId siteOf(uint32_t place) const
    {
        return place < m_siteOfPlace.size() ? m_siteOfPlace[place] : kNoSite;
    }
    /// As far as the code says it.
    [[nodiscard]] trace::Space spaceOf(SiteId site) const { return m_launch.sites[site.value - m_firstSite].space; }
    [[nodiscard]] trace::SiteKind kindOf(SiteId site) const { return m_kinds[site.value - m_firstSite]; }
    /// Bytes of a whole value of the site, of which an event may have a piece.
    [[nodiscard]] uint64_t valueBytesOf(SiteId site) const { return m_valueBytes[site.value - m_firstSite]; }
    [[nodiscard]] BufferId bufferAt(uint64_t address) const
    {
        const uint64_t slot = (address >> 32) - simt::DeviceMemory::kFirstSlot;
        return slot < m_bufferOfSlot.size() ? m_bufferOfSlot[slot] : kNoBuffer;
    }
    /// Of the memory that a device address lies in; 0: there is none.
    [[nodiscard]] uint64_t bytesAt(uint64_t address) const
    {
        const uint64_t slot = (address >> 32) - simt::DeviceMemory::kFirstSlot;
        return slot < m_bytesOfSlot.size() ? m_bytesOfSlot[slot] : 0;
    }
    /// Of a device address and what lies behind it.
    [[nodiscard]] bool isMemory(uint64_t address, uint32_t bytes) const
    {
        return static_cast<uint32_t>(address) + uint64_t{bytes} <= bytesAt(address);
    }
    [[nodiscard]] simt::AccessFault faultAt(SiteId site, uint64_t address, uint32_t bytes) const;
    [[nodiscard]] const Object* object(uint32_t key) const
    {
        const auto found = m_objects.find(key);
        return found == m_objects.end() ? nullptr : &found->second;
    }
    [[nodiscard]] const simt::DeviceLaunch& launch() const { return m_launch; }

private:
    const simt::DeviceLaunch& m_launch;
    std::vector<SiteId> m_siteOfPlace;
    std::vector<trace::SiteKind> m_kinds;
    std::vector<uint64_t> m_valueBytes;
    uint32_t m_firstSite = 0;
    std::vector<BufferId> m_bufferOfSlot;
    std::vector<uint64_t> m_bytesOfSlot;  ///< 0: nothing lives there
    std::unordered_map<uint32_t, Object> m_objects;
};

/// Blocks that come through one queue. Not thread-safe.
class BlockLogs {
public:
    explicit BlockLogs(const LaunchTables& tables) : m_tables(tables) {}

    void take(const RecordHeader& record);
    /// Blocks whose threads have not all returned, as far as they came.
    void finish();

    [[nodiscard]] uint64_t events() const { return m_events; }
    [[nodiscard]] uint64_t blocksRecorded() const { return m_blocksRecorded; }
    [[nodiscard]] uint64_t eventsDropped() const { return m_eventsDropped; }
    /// Accesses where no memory is: the first one of each site, with their number. In no order.
    [[nodiscard]] std::vector<simt::AccessFault> faults() const;

private:
    struct Log {
        std::vector<std::byte> bytes;
        std::vector<std::pair<uint64_t, size_t>> order;  ///< clock, offset in bytes
        uint64_t returned = 0;                           ///< threads
    };

    void write(uint64_t block, Log& log);

    const LaunchTables& m_tables;
    std::unordered_map<uint64_t, Log> m_logs;
    std::vector<Log> m_spare;  ///< emptied ones, for their memory
    uint64_t m_events = 0;
    uint64_t m_blocksRecorded = 0;
    uint64_t m_eventsDropped = 0;
    std::unordered_map<uint32_t, simt::AccessFault> m_faults;  ///< by static site
};

}  // namespace lanescope::cuda
