// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/cuda/launch_tables.h"

namespace lanescope::cuda {

using simt::ObjectKey;

LaunchTables::LaunchTables(const simt::DeviceLaunch& launch, const simt::DeviceMemory& memory) : m_launch(launch)
{
    for (const simt::SitePlace& place : launch.places) {
        if (place.place.value >= m_siteOfPlace.size())
            m_siteOfPlace.resize(place.place.value + size_t{1}, kNoSite);
        m_siteOfPlace[place.place.value] = place.site;
    }
    m_firstSite = launch.sites.empty() ? 0 : launch.sites.front().id.value;
    for (const trace::Site& site : launch.sites) {
        m_kinds.push_back(site.kind);
        m_valueBytes.push_back(site.type.totalBytes());
    }
    m_bufferOfSlot.resize(simt::DeviceMemory::kSlotCount, kNoBuffer);
    m_bytesOfSlot.resize(simt::DeviceMemory::kSlotCount);
    for (const simt::Allocation& allocation : memory.allocations()) {
        const uint64_t slot = (allocation.address >> 32) - simt::DeviceMemory::kFirstSlot;
        m_bufferOfSlot[slot] = allocation.buffer;
        m_bytesOfSlot[slot] = allocation.live ? allocation.bytes : 0;
    }
    for (const simt::DeviceObject& object : launch.objects)
        m_objects[object.key.value] = {object.buffer, object.bytes, (object.key.value & ObjectKey::kShared) != 0};
}

simt::AccessFault LaunchTables::faultAt(SiteId site, uint64_t address, uint32_t bytes) const
{
    simt::AccessFault fault;
    fault.kind = bufferAt(address) == kNoBuffer ? simt::AccessFault::Kind::NotDeviceMemory
                 : m_bytesOfSlot[(address >> 32) - simt::DeviceMemory::kFirstSlot] == 0
                     ? simt::AccessFault::Kind::UseAfterFree
                     : simt::AccessFault::Kind::OutOfBounds;
    fault.staticSite = site.value - m_firstSite;
    fault.isWrite = kindOf(site) != trace::SiteKind::Load;
    fault.address = address;
    fault.bytes = bytes;
    return fault;
}

}  // namespace lanescope::cuda
