// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/device/device_memory.h"

#include <functional>
#include <numeric>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "core/base/assert.h"

namespace lanescope::device {
namespace {

constexpr uint64_t kSlotBytes = uint64_t{1} << 32;
/// Objects lie this many slots apart while there is room, so that a far overflow of one (an int index × 8 bytes
/// reaches 16 GiB) does not land in the next.
constexpr uint32_t kSpread = 8;
constexpr uint64_t kPage = 4096;
/// Below, large pages gain nothing; above, few accesses here and there would take much memory.
constexpr uint64_t kFewestForLargePages = 4 << 20, kMostForLargePages = 256 << 20;

uint64_t roundUp(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

/// A bit for each byte.
uint64_t definednessBytes(uint64_t bytes)
{
    return (bytes / 64 + 1) * 8;  // whole words (initialised_bits.h)
}

/// Zero-filled, page-aligned memory; at \p address when that is not null. Null when there is none.
std::byte* mapBacking(uint64_t bytes, void* address)
{
    const int fixed = address ? MAP_FIXED : 0;
    void* memory =
        mmap(address, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | fixed, -1, 0);
    if (memory == MAP_FAILED)
        return nullptr;
    // Most of a buffer is written from one end to the other: with small pages a fault for each of them.
    if (bytes >= kFewestForLargePages && bytes <= kMostForLargePages)
        (void)madvise(memory, bytes, MADV_HUGEPAGE);
    return static_cast<std::byte*>(memory);
}

/// Copies \p count bits, from bit \p first of \p from to bit \p begin of \p to: eight at a time where they fill a byte
/// of the target. The two may overlap.
void copyBits(uint8_t* to, uint64_t begin, const uint8_t* from, uint64_t first, uint64_t count)
{
    const auto copyBit = [&](uint64_t i) {
        const bool isSet = from[(first + i) / 8] >> ((first + i) % 8) & 1u;
        const auto bit = static_cast<uint8_t>(1u << ((begin + i) % 8));
        uint8_t& into = to[(begin + i) / 8];
        into = static_cast<uint8_t>(isSet ? into | bit : into & ~bit);
    };
    const auto copyEight = [&](uint64_t i) {
        const uint8_t* bits = from + (first + i) / 8;
        const unsigned shift = (first + i) % 8;
        const unsigned both = shift ? bits[0] | unsigned{bits[1]} << 8 : bits[0];
        to[(begin + i) / 8] = static_cast<uint8_t>(both >> shift);
    };
    const uint64_t head = std::min(count, (8 - begin % 8) % 8);
    const uint64_t eights = (count - head) / 8;
    const uint64_t pieces = count - eights * 7;
    const bool fromTheEnd = to == from && begin > first;
    for (uint64_t k = 0; k < pieces; ++k) {
        const uint64_t piece = fromTheEnd ? pieces - 1 - k : k;
        if (piece < head)
            copyBit(piece);
        else if (piece < head + eights)
            copyEight(head + (piece - head) * 8);
        else
            copyBit(piece + eights * 7);
    }
}

void* pointerTo(DeviceAddress address)
{
    return reinterpret_cast<void*>(address);
}

void releaseBacking(const DeviceMemory::Slot& slot)
{
    const uint64_t bytes = roundUp(std::max<uint64_t>(slot.bytes, 1), kPage);
    if (slot.backing == DeviceMemory::Backing::Separate)
        munmap(slot.host, bytes);
    if (slot.backing == DeviceMemory::Backing::InPlace)  // reserved again
        (void)mmap(slot.host, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    std::free(slot.initialised);
}

/// Makes sure that nothing of the host is ever mapped where device addresses point, so that a host access faults.
void reserveRange()
{
    void* start = reinterpret_cast<void*>(DeviceMemory::kFirstSlot << 32);
    // Without the reservation such an access faults as well unless something happens to be mapped there.
    (void)mmap(start, DeviceMemory::kSlotCount << 32, PROT_NONE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
}

}  // namespace

DeviceMemory::DeviceMemory(uint64_t capacity, Range range) : m_capacity(capacity), m_slots(kSlotCount)
{
    if (range == Range::Reserved)
        reserveRange();
}

DeviceMemory::~DeviceMemory()
{
    for (const Slot& slot : m_slots) {
        if (!slot.host)
            continue;
        releaseBacking(slot);
    }
}

void DeviceMemory::useDevice(uint32_t device)
{
    std::lock_guard lock(m_mutex);
    m_inUse.resize(std::max<size_t>(m_inUse.size(), device + 1));
    m_device = device;
}

bool DeviceMemory::isDeviceAddress(uint64_t address)
{
    uint64_t slot = address >> 32;
    return slot >= kFirstSlot && slot < kFirstSlot + kSlotCount;
}

Result<Allocation> DeviceMemory::allocate(uint64_t bytes, const std::string& origin, bool constant)
{
    return place(bytes, origin, constant, Backing::Separate, nullptr);
}

Result<Allocation> DeviceMemory::allocateHostVisible(uint64_t bytes, const std::string& origin)
{
    return place(bytes, origin, false, Backing::InPlace, nullptr);
}

Result<Allocation> DeviceMemory::adopt(std::byte* host, uint64_t bytes, const std::string& origin)
{
    return place(bytes, origin, false, Backing::Adopted, host);
}

/// Every kSpread-th slot first, then those between; freed ones as late as possible.
std::optional<uint32_t> DeviceMemory::freeSlot()
{
    const uint32_t groups = kSlotCount / kSpread;
    for (uint32_t tried = 0; tried < kSlotCount; ++tried) {
        const uint32_t order = (m_nextSlot + tried) % kSlotCount;
        const uint32_t candidate = order % groups * kSpread + order / groups;
        const Slot& slot = m_slots[candidate];
        if (!slot.host && !slot.kept && !(slot.freed && tried < kSlotCount / 2)) {
            m_nextSlot = (order + 1) % kSlotCount;
            return candidate;
        }
    }
    return std::nullopt;
}

Result<Allocation> DeviceMemory::place(uint64_t bytes, const std::string& origin, bool constant, Backing backing,
                                       std::byte* host, std::optional<uint32_t> wantedSlot)
{
    std::lock_guard lock(m_mutex);
    if (bytes > kSlotBytes)
        return Error{Error::Code::Unsupported, fmt::format("one buffer of {} bytes, expected at most 4 GiB", bytes),
                     origin};
    if (backing == Backing::Separate && bytes > freeBytes())
        return Error{
            Error::Code::Limit,
            fmt::format("out of device memory: {} bytes asked for, {} of {} free", bytes, freeBytes(), m_capacity),
            origin};
    const std::optional<uint32_t> slotIndex = wantedSlot ? wantedSlot : freeSlot();
    if (!slotIndex)
        return Error{Error::Code::Limit, fmt::format("more than {} live buffers", kSlotCount), origin};
    const DeviceAddress address = (kFirstSlot + *slotIndex) << 32;
    if (backing != Backing::Adopted)
        host = mapBacking(roundUp(std::max<uint64_t>(bytes, 1), kPage),
                          backing == Backing::InPlace ? pointerTo(address) : nullptr);
    // Of large buffers, pages that nobody has looked at yet.
    void* const definedness = host ? std::calloc(definednessBytes(bytes), 1) : nullptr;
    if (!host || !definedness)
        return Error{Error::Code::Limit, fmt::format("the host has no memory for {} bytes", bytes), origin};
    Slot& slot = m_slots[*slotIndex];
    slot = Slot{.host = host,
                .bytes = bytes,
                .initialised = static_cast<uint8_t*>(definedness),
                .buffer = BufferId{m_nextBuffer++},
                .kept = wantedSlot.has_value(),
                .constant = constant,
                .backing = backing};
    if (backing == Backing::Separate)
        m_inUse[m_device] += bytes;
    else
        std::memset(slot.initialised, 0xff, definednessBytes(bytes));
    m_allocations.push_back({.address = address,
                             .bytes = bytes,
                             .buffer = slot.buffer,
                             .origin = origin,
                             .constant = constant,
                             .device = m_device,
                             .everywhere = backing != Backing::Separate,
                             .name = {},
                             .element = {}});
    return m_allocations.back();
}

void DeviceMemory::moveTo(DeviceAddress address, std::byte* host)
{
    std::lock_guard lock(m_mutex);
    Slot& slot = m_slots[(address >> 32) - kFirstSlot];
    LS_ASSERT(slot.host && slot.backing == Backing::Separate);
    std::memcpy(host, slot.host, slot.bytes);
    munmap(slot.host, roundUp(std::max<uint64_t>(slot.bytes, 1), kPage));
    slot.host = host;
    slot.backing = Backing::Adopted;
    std::memset(slot.initialised, 0xff, definednessBytes(slot.bytes));
    const auto moved = std::ranges::find(m_allocations, slot.buffer, &Allocation::buffer);
    moved->everywhere = true;
    m_inUse[moved->device] -= slot.bytes;
}

Result<void> DeviceMemory::free(DeviceAddress address)
{
    std::lock_guard lock(m_mutex);
    auto found = std::find_if(m_allocations.begin(), m_allocations.end(),
                              [&](const Allocation& a) { return a.live && a.address == address; });
    if (found == m_allocations.end())
        return Error{Error::Code::NotFound, fmt::format("0x{:x} is not the start of a live allocation", address), {}};
    Slot& slot = m_slots[(address >> 32) - kFirstSlot];
    releaseBacking(slot);
    slot.host = nullptr;
    slot.initialised = nullptr;
    slot.bytes = 0;
    slot.freed = true;
    found->live = false;
    if (slot.backing == Backing::Separate)
        m_inUse[found->device] -= found->bytes;
    return {};
}

Result<void> DeviceMemory::keepAddress(DeviceAddress address)
{
    if (Result<void> freed = free(address); !freed)
        return freed;
    std::lock_guard lock(m_mutex);
    m_slots[(address >> 32) - kFirstSlot].kept = true;
    return {};
}

Result<Allocation> DeviceMemory::allocateAgain(DeviceAddress address)
{
    const std::optional<Allocation> before = find(address);
    const bool isKept =
        before && before->address == address && !before->live && m_slots[(address >> 32) - kFirstSlot].kept;
    if (!isKept)
        return Error{Error::Code::NotFound, fmt::format("0x{:x} is no address that was kept", address), {}};
    return place(before->bytes, before->origin, false, Backing::Separate, nullptr,
                 static_cast<uint32_t>((address >> 32) - kFirstSlot));
}

std::optional<Allocation> DeviceMemory::find(uint64_t address) const
{
    std::lock_guard lock(m_mutex);
    // Newest first: a slot may have held an older, freed allocation.
    auto found = std::find_if(m_allocations.rbegin(), m_allocations.rend(),
                              [&](const Allocation& a) { return a.address >> 32 == address >> 32; });
    return found == m_allocations.rend() ? std::nullopt : std::optional(*found);
}

std::vector<Allocation> DeviceMemory::allocations() const
{
    std::lock_guard lock(m_mutex);
    return m_allocations;
}

namespace {

/// Of an array of \p dims elements.
uint64_t bytesOf(const trace::ValueType& element, const std::vector<uint64_t>& dims)
{
    return std::accumulate(dims.begin(), dims.end(), uint64_t{element.totalBytes()}, std::multiplies<uint64_t>());
}

}  // namespace

void DeviceMemory::describe(DeviceAddress address, const std::string& name, const trace::ValueType& element,
                            const std::vector<uint64_t>& dims)
{
    std::lock_guard lock(m_mutex);
    for (Allocation& allocation : m_allocations) {
        if (!allocation.live || allocation.address >> 32 != address >> 32 || !allocation.name.empty())
            continue;
        allocation.name = name;
        if (!allocation.dims.empty())
            continue;
        allocation.element = element;
        if (allocation.address == address && allocation.bytes == bytesOf(element, dims))
            allocation.dims = dims;
    }
}

void DeviceMemory::declare(DeviceAddress address, const trace::ValueType& element, const std::vector<uint64_t>& dims)
{
    const uint64_t bytes = bytesOf(element, dims);
    std::lock_guard lock(m_mutex);
    for (Allocation& allocation : m_allocations)
        if (allocation.live && allocation.address == address && allocation.bytes == bytes) {
            allocation.element = element;
            allocation.dims = dims;
        }
}

BufferId DeviceMemory::newBufferId()
{
    std::lock_guard lock(m_mutex);
    return BufferId{m_nextBuffer++};
}

std::byte* DeviceMemory::hostView(DeviceAddress address, uint64_t bytes) const
{
    std::lock_guard lock(m_mutex);
    if (!isDeviceAddress(address))
        return nullptr;
    const Slot& slot = m_slots[(address >> 32) - kFirstSlot];
    uint64_t offset = static_cast<uint32_t>(address);
    return slot.host && offset + bytes <= slot.bytes ? slot.host + offset : nullptr;
}

void DeviceMemory::markInitialised(DeviceAddress address, uint64_t bytes)
{
    std::lock_guard lock(m_mutex);
    const Slot& slot = m_slots[(address >> 32) - kFirstSlot];
    uint64_t begin = static_cast<uint32_t>(address);
    uint64_t end = std::min(begin + bytes, slot.bytes);
    if (!slot.initialised)
        return;
    for (; begin < end && begin % 8; ++begin)
        slot.initialised[begin / 8] |= static_cast<uint8_t>(1u << (begin % 8));
    if (begin < end)
        std::memset(slot.initialised + begin / 8, 0xff, (end - begin) / 8);
    for (uint64_t byte = begin + (end > begin ? (end - begin) / 8 * 8 : 0); byte < end; ++byte)
        slot.initialised[byte / 8] |= static_cast<uint8_t>(1u << (byte % 8));
}

std::vector<uint8_t> DeviceMemory::initialisedBits(const Allocation& allocation) const
{
    std::lock_guard lock(m_mutex);
    const Slot& slot = m_slots[(allocation.address >> 32) - kFirstSlot];
    if (!slot.initialised)
        return {};
    return {slot.initialised, slot.initialised + (slot.bytes + 7) / 8};
}

uint64_t DeviceMemory::unwrittenPrefix(DeviceAddress address, uint64_t bytes) const
{
    std::lock_guard lock(m_mutex);
    const Slot& slot = m_slots[(address >> 32) - kFirstSlot];
    if (!slot.initialised)
        return 0;
    const uint64_t begin = static_cast<uint32_t>(address);
    const uint64_t end = std::min(begin + bytes, slot.bytes);
    uint64_t byte = begin;
    while (byte < end && !(slot.initialised[byte / 8] >> (byte % 8) & 1))
        byte += byte % 8 == 0 && slot.initialised[byte / 8] == 0 ? 8 : 1;
    return std::min(byte, end) - begin;
}

uint64_t DeviceMemory::writtenPrefix(DeviceAddress address, uint64_t bytes) const
{
    std::lock_guard lock(m_mutex);
    const Slot& slot = m_slots[(address >> 32) - kFirstSlot];
    if (!slot.initialised)
        return bytes;
    const uint64_t begin = static_cast<uint32_t>(address);
    const uint64_t end = std::min(begin + bytes, slot.bytes);
    uint64_t byte = begin;
    while (byte < end && (slot.initialised[byte / 8] >> (byte % 8) & 1))
        byte += byte % 8 == 0 && slot.initialised[byte / 8] == 0xff ? 8 : 1;
    return std::min(byte, end) - begin;
}

void DeviceMemory::copyInitialised(DeviceAddress to, DeviceAddress from, uint64_t bytes)
{
    if (bytes == 0 || to == from)
        return;
    {
        std::lock_guard lock(m_mutex);
        const Slot& source = m_slots[(from >> 32) - kFirstSlot];
        Slot& target = m_slots[(to >> 32) - kFirstSlot];
        if (source.initialised && !source.wholeDefined && target.initialised) {
            copyBits(target.initialised, static_cast<uint32_t>(to), source.initialised, static_cast<uint32_t>(from),
                     bytes);
            target.wholeDefined = false;
            return;
        }
    }
    markInitialised(to, bytes);
}

bool DeviceMemory::isPartlyUndefined(DeviceAddress address)
{
    std::lock_guard lock(m_mutex);
    Slot& slot = m_slots[(address >> 32) - kFirstSlot];
    if (slot.wholeDefined || !slot.initialised)
        return false;
    const uint8_t* bits = slot.initialised;
    uint64_t whole = slot.bytes / 8;
    slot.wholeDefined = std::all_of(bits, bits + whole, [](uint8_t byte) { return byte == 0xff; }) &&
                        (slot.bytes % 8 == 0 || (bits[whole] | 0xff << slot.bytes % 8) % 256 == 0xff);
    return !slot.wholeDefined;
}

void DeviceMemory::noteUndefinedCopy(DeviceAddress address, const trace::Finding& finding)
{
    std::lock_guard lock(m_mutex);
    m_undefinedCopies.insert_or_assign(address, finding);
}

std::vector<trace::Finding> DeviceMemory::takeUndefinedCopies(DeviceAddress address, uint64_t bytes)
{
    std::lock_guard lock(m_mutex);
    std::vector<trace::Finding> findings;
    auto entry = m_undefinedCopies.lower_bound(address);
    while (entry != m_undefinedCopies.end() && entry->first < address + bytes) {
        const Slot& slot = m_slots[(entry->first >> 32) - kFirstSlot];
        uint64_t offset = static_cast<uint32_t>(entry->first);
        bool still = slot.initialised && !(slot.initialised[offset / 8] >> (offset % 8) & 1u);
        bool said = std::any_of(findings.begin(), findings.end(), [&](const trace::Finding& other) {
            return other.accesses[0].where.line == entry->second.accesses[0].where.line;
        });
        if (still && !said)
            findings.push_back(entry->second);
        entry = m_undefinedCopies.erase(entry);
    }
    return findings;
}

void DeviceMemory::forgetDefinedness()
{
    std::lock_guard lock(m_mutex);
    for (Slot& slot : m_slots)
        slot.wholeDefined = false;
}

uint64_t DeviceMemory::shadowBytes() const
{
    std::lock_guard lock(m_mutex);
    uint64_t sum = 0;
    for (const Slot& slot : m_slots)
        sum += slot.initialised ? definednessBytes(slot.bytes) : 0;
    return sum;
}

uint64_t DeviceMemory::bytesInUse() const
{
    std::lock_guard lock(m_mutex);
    return m_inUse[m_device];
}

}  // namespace lanescope::device
