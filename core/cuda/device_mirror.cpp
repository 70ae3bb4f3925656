// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/cuda/device_mirror.h"

#include <fmt/format.h>

#include <set>

namespace lanescope::cuda {

using device::Allocation;
using device::DeviceAddress;
using device::DeviceMemory;

namespace {

/// Reserved for each allocation: its whole slot. The driver heeds a wish for an address only for large ranges.
constexpr uint64_t kReservedBytes = uint64_t{1} << 32;
constexpr unsigned kRegisterMapped = 1 | 2;  // CU_MEMHOSTREGISTER_PORTABLE, …_DEVICEMAP

const DeviceMemory::Slot& slotOf(const DeviceMemory& memory, DeviceAddress address)
{
    return memory.slots()[(address >> 32) - DeviceMemory::kFirstSlot];
}

/// Pinned and managed memory lies where the GPU sees it, too.
bool isShared(const DeviceMemory::Slot& slot)
{
    return slot.backing == DeviceMemory::Backing::InPlace;
}

}  // namespace

DeviceMirror::~DeviceMirror()
{
    for (const auto& [address, mapping] : m_mappings)
        release(address, mapping);
}

void DeviceMirror::release(DeviceAddress address, const Mapping& mapping)
{
    if (mapping.handle == 0) {
        m_driver.unregisterHost(reinterpret_cast<void*>(address));
        return;
    }
    m_driver.unmap(address, mapping.bytes);
    m_driver.releaseMemory(mapping.handle);
    m_driver.freeAddress(address, kReservedBytes);
}

void DeviceMirror::releaseFreed(const DeviceMemory& memory)
{
    std::set<std::pair<DeviceAddress, BufferId>> live;
    for (const Allocation& allocation : memory.allocations())
        if (allocation.live)
            live.emplace(allocation.address, allocation.buffer);
    std::erase_if(m_mappings, [&](const auto& entry) {
        if (live.contains({entry.first, entry.second.buffer}))
            return false;
        release(entry.first, entry.second);
        return true;
    });
}

Result<void> DeviceMirror::createOnDevice(const Allocation& allocation, Mapping& mapping)
{
    AllocationProperties properties;
    size_t page = 0;
    m_driver.granularity(&page, &properties, 0);
    mapping.bytes = (std::max<uint64_t>(allocation.bytes, 1) + page - 1) / page * page;
    DevicePointer address = 0;
    if (const DriverStatus status = m_driver.reserveAddress(&address, kReservedBytes, 0, allocation.address, 0))
        return m_driver.error(status, "the driver gives out no addresses");
    if (address != allocation.address) {
        m_driver.freeAddress(address, kReservedBytes);
        return Error{Error::Code::Unsupported,
                     fmt::format("the driver gave address 0x{:x}, expected 0x{:x}", address, allocation.address),
                     allocation.origin};
    }
    if (const DriverStatus status = m_driver.createMemory(&mapping.handle, mapping.bytes, &properties, 0)) {
        m_driver.freeAddress(address, kReservedBytes);
        return m_driver.error(
            status, fmt::format("the GPU has no memory for the {} bytes of {}", allocation.bytes, allocation.origin));
    }
    const MemoryAccess access;
    DriverStatus status = m_driver.map(address, mapping.bytes, 0, mapping.handle, 0);
    if (status == 0)
        status = m_driver.setAccess(address, mapping.bytes, &access, 1);
    if (status != 0)
        return m_driver.error(status, "device memory cannot be mapped");
    return {};
}

Result<void> DeviceMirror::create(const Allocation& allocation, const DeviceMemory::Slot& slot)
{
    Mapping mapping;
    mapping.buffer = allocation.buffer;
    mapping.bytes = allocation.bytes;
    if (isShared(slot)) {
        DevicePointer seen = 0;
        DriverStatus status = m_driver.registerHost(slot.host, allocation.bytes, kRegisterMapped);
        if (status == 0)
            status = m_driver.hostDevicePointer(&seen, slot.host, 0);
        if (status != 0 || seen != allocation.address)
            return m_driver.error(status, "memory of the host cannot be shared with the GPU");
    } else if (Result<void> made = createOnDevice(allocation, mapping); !made) {
        return made;
    }
    m_mappings.emplace(allocation.address, mapping);
    return {};
}

Result<void> DeviceMirror::upload(const DeviceMemory& memory)
{
    releaseFreed(memory);
    for (const Allocation& allocation : memory.allocations()) {
        if (!allocation.live)
            continue;
        const DeviceMemory::Slot& slot = slotOf(memory, allocation.address);
        if (!m_mappings.contains(allocation.address))
            if (Result<void> made = create(allocation, slot); !made)
                return made;
        if (isShared(slot) || slot.bytes == 0)
            continue;
        if (const DriverStatus status = m_driver.copyToDevice(allocation.address, slot.host, slot.bytes))
            return m_driver.error(status, "cannot copy to the GPU");
    }
    return {};
}

Result<void> DeviceMirror::download(DeviceMemory& memory, const std::function<bool(uint64_t address)>& mayBeWritten)
{
    for (const Allocation& allocation : memory.allocations()) {
        if (!allocation.live || allocation.constant || !mayBeWritten(allocation.address))
            continue;
        const DeviceMemory::Slot& slot = slotOf(memory, allocation.address);
        if (slot.bytes != 0 && !isShared(slot))
            if (const DriverStatus status = m_driver.copyToHost(slot.host, allocation.address, slot.bytes))
                return m_driver.error(status, "cannot copy from the GPU");
        memory.markInitialised(allocation.address, slot.bytes);
    }
    return {};
}

}  // namespace lanescope::cuda
