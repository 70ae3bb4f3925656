// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/cuda/launch_tables.h"

namespace lanescope::cuda {

LaunchTables::LaunchTables(const device::DeviceLaunch& launch, const device::DeviceMemory& memory) : m_launch(launch)
{
    for (const device::SitePlace& place : launch.places) {
        if (place.place.value >= m_siteOfPlace.size())
            m_siteOfPlace.resize(place.place.value + size_t{1}, kNoSite);
        m_siteOfPlace[place.place.value] = place.site;
    }
    m_firstSite = launch.sites.empty() ? 0 : launch.sites.front().id.value;
    for (const trace::Site& site : launch.sites) {
        m_kinds.push_back(site.kind);
        m_valueBytes.push_back(site.type.totalBytes());
    }
    m_bufferOfSlot.resize(device::DeviceMemory::kSlotCount, kNoBuffer);
    m_bytesOfSlot.resize(device::DeviceMemory::kSlotCount);
    for (const device::Allocation& allocation : memory.allocations()) {
        const uint64_t slot = (allocation.address >> 32) - device::DeviceMemory::kFirstSlot;
        m_bufferOfSlot[slot] = allocation.buffer;
        m_bytesOfSlot[slot] = allocation.live ? allocation.bytes : 0;
    }
    for (const device::DeviceObject& object : launch.objects)
        m_objects[object.key.value] = {object.buffer, object.bytes, object.key.isShared(), object.address,
                                       object.sharedOffset};
}

device::AccessFault LaunchTables::faultAt(SiteId site, uint64_t address, uint32_t bytes) const
{
    device::AccessFault fault;
    fault.kind = bufferAt(address) == kNoBuffer ? device::AccessFault::Kind::NotDeviceMemory
                 : m_bytesOfSlot[(address >> 32) - device::DeviceMemory::kFirstSlot] == 0
                     ? device::AccessFault::Kind::UseAfterFree
                     : device::AccessFault::Kind::OutOfBounds;
    fault.staticSite = indexOf(site);
    fault.isWrite = kindOf(site) != trace::SiteKind::Load;
    fault.address = address;
    fault.bytes = bytes;
    return fault;
}

}  // namespace lanescope::cuda
