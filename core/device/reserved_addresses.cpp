// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Addresses that a program reserves first and maps memory to later. A buffer is what is mapped side by side, as far as
// one slot goes.
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "core/device/device_memory.h"

namespace lanescope::device {

namespace {

constexpr uint64_t kSlotBytes = uint64_t{1} << 32;
constexpr uint64_t kPage = 4096;

uint64_t slotsFor(uint64_t bytes)
{
    return (bytes + kSlotBytes - 1) / kSlotBytes;
}

uint64_t pagesOf(uint64_t bytes)
{
    return (bytes + kPage - 1) / kPage * kPage;
}

uint64_t offsetOf(DeviceAddress address)
{
    return address % kSlotBytes;
}

}  // namespace

Result<DeviceAddress> DeviceMemory::reserveAddresses(uint64_t bytes)
{
    std::lock_guard lock(m_mutex);
    const uint64_t wanted = slotsFor(bytes);
    uint64_t run = 0;
    // From the end: single allocations begin at the front.
    for (uint64_t slot = kSlotCount; slot-- > 0;) {
        const Slot& candidate = m_slots[slot];
        run = candidate.host || candidate.kept || candidate.freed ? 0 : run + 1;
        if (run < wanted)
            continue;
        for (uint64_t i = slot; i < slot + wanted; ++i)
            m_slots[i].kept = true;
        return (kFirstSlot + slot) << 32;
    }
    return Error{Error::Code::Limit, fmt::format("no {} bytes of addresses side by side", bytes), {}};
}

Result<void> DeviceMemory::releaseAddresses(DeviceAddress address, uint64_t bytes)
{
    std::lock_guard lock(m_mutex);
    const uint64_t first = (address >> 32) - kFirstSlot;
    const uint64_t count = slotsFor(bytes);
    if (!isDeviceAddress(address) || offsetOf(address) != 0 || first + count > kSlotCount)
        return Error{Error::Code::NotFound, fmt::format("0x{:x} is not reserved", address), {}};
    for (uint64_t i = first; i < first + count; ++i)
        if (m_slots[i].host)
            return Error{Error::Code::Unsupported, fmt::format("memory is mapped at 0x{:x}", address), {}};
    for (uint64_t i = first; i < first + count; ++i)
        m_slots[i].kept = false;
    return {};
}

Result<void> DeviceMemory::grow(Slot& slot, DeviceAddress address, uint64_t bytes)
{
    std::lock_guard lock(m_mutex);
    const auto found =
        std::ranges::find_if(m_allocations, [&](const Allocation& a) { return a.buffer == slot.buffer; });
    if (bytes - slot.bytes > m_capacity - m_inUse[found->device])
        return Error{Error::Code::Limit, "out of device memory", found->origin};
    auto* const bits = static_cast<uint8_t*>(std::calloc(bytes / 64 + 1, 8));  // whole words (initialised_bits.h)
    void* const moved = bits ? mremap(slot.host, pagesOf(slot.bytes), pagesOf(bytes), MREMAP_MAYMOVE) : MAP_FAILED;
    if (moved == MAP_FAILED) {
        std::free(bits);
        return Error{Error::Code::Limit, fmt::format("the host has no memory for {} bytes", bytes), found->origin};
    }
    std::memcpy(bits, slot.initialised, slot.bytes / 8 + 1);
    std::free(slot.initialised);
    m_inUse[found->device] += bytes - slot.bytes;
    slot.host = static_cast<std::byte*>(moved);
    slot.initialised = bits;
    slot.bytes = bytes;
    slot.buffer = BufferId{m_nextBuffer++};
    slot.wholeDefined = false;
    found->live = false;
    Allocation grown = *found;
    grown.address = address;
    grown.bytes = bytes;
    grown.buffer = slot.buffer;
    grown.live = true;
    grown.dims = {};
    m_allocations.push_back(std::move(grown));
    return {};
}

Result<void> DeviceMemory::mapReserved(DeviceAddress address, uint64_t bytes, const std::string& origin)
{
    while (bytes > 0) {
        const uint64_t piece = std::min(bytes, kSlotBytes - offsetOf(address));
        const uint64_t end = offsetOf(address) + piece;
        const uint64_t index = (address >> 32) - kFirstSlot;
        if (!isDeviceAddress(address) || !m_slots[index].kept)
            return Error{Error::Code::NotFound, fmt::format("0x{:x} is not reserved", address), origin};
        Slot& slot = m_slots[index];
        if (slot.host && offsetOf(address) < slot.bytes)
            return Error{Error::Code::BadInput, fmt::format("memory is mapped at 0x{:x}", address), origin};
        if (slot.host) {
            if (Result<void> grown = grow(slot, address - offsetOf(address), end); !grown)
                return grown;
        } else if (const Result<Allocation> made =
                       place(end, origin, false, Backing::Separate, nullptr, static_cast<uint32_t>(index));
                   !made) {
            return made.error();
        }
        address += piece;
        bytes -= piece;
    }
    return {};
}

Result<void> DeviceMemory::unmapReserved(DeviceAddress address, uint64_t bytes)
{
    for (const DeviceAddress end = address + bytes; address < end;) {
        const std::optional<Allocation> there = find(address);
        if (!there || !there->live || there->address + there->bytes > end)
            return Error{Error::Code::NotFound, fmt::format("0x{:x} is not the start of mapped memory", address), {}};
        if (Result<void> freed = free(there->address); !freed)
            return freed;
        address = there->address + there->bytes;
    }
    return {};
}

}  // namespace lanescope::device
