// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a launch's records are about: the sites of its places, the buffers at its addresses.
#pragma once

#include <unordered_map>
#include <vector>

#include "core/device/launch_device.h"

namespace lanescope::cuda {

/// What all blocks of a launch share. Read-only while the kernel runs.
class LaunchTables {
public:
    LaunchTables(const device::DeviceLaunch& launch, const device::DeviceMemory& memory);

    struct Object {
        BufferId buffer = kNoBuffer;
        uint64_t bytes = 0;
        bool isShared = false;
        device::DeviceAddress address = 0;  ///< that reports name it by
        uint64_t sharedOffset = 0;          ///< as device::DeviceObject has it
    };

    /// What reports name a site by.
    [[nodiscard]] uint32_t indexOf(SiteId site) const { return site.value - m_firstSite; }
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
        const uint64_t slot = (address >> 32) - device::DeviceMemory::kFirstSlot;
        return slot < m_bufferOfSlot.size() ? m_bufferOfSlot[slot] : kNoBuffer;
    }
    /// Of the memory that a device address lies in; 0: there is none.
    [[nodiscard]] uint64_t bytesAt(uint64_t address) const
    {
        const uint64_t slot = (address >> 32) - device::DeviceMemory::kFirstSlot;
        return slot < m_bytesOfSlot.size() ? m_bytesOfSlot[slot] : 0;
    }
    /// Of a device address and what lies behind it.
    [[nodiscard]] bool isMemory(uint64_t address, uint32_t bytes) const
    {
        return static_cast<uint32_t>(address) + uint64_t{bytes} <= bytesAt(address);
    }
    [[nodiscard]] device::AccessFault faultAt(SiteId site, uint64_t address, uint32_t bytes) const;
    [[nodiscard]] const Object* object(uint32_t key) const
    {
        const auto found = m_objects.find(key);
        return found == m_objects.end() ? nullptr : &found->second;
    }
    [[nodiscard]] const device::DeviceLaunch& launch() const { return m_launch; }

private:
    const device::DeviceLaunch& m_launch;
    std::vector<SiteId> m_siteOfPlace;
    std::vector<trace::SiteKind> m_kinds;
    std::vector<uint64_t> m_valueBytes;
    uint32_t m_firstSite = 0;
    std::vector<BufferId> m_bufferOfSlot;
    std::vector<uint64_t> m_bytesOfSlot;  ///< 0: nothing lives there
    std::unordered_map<uint32_t, Object> m_objects;
};

}  // namespace lanescope::cuda
