// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/attach/memory_map.h"

#include <algorithm>
#include <iterator>

#include "core/attach/names.h"

namespace lanescope::attach {

const Region* Regions::at(uint64_t address) const
{
    auto next = std::ranges::upper_bound(m_regions, address, {}, &Region::address);
    if (next == m_regions.begin())
        return nullptr;
    const Region& region = *--next;
    return address - region.address < region.bytes ? &region : nullptr;
}

void MemoryMap::add(const Region& region, const std::string& origin)
{
    const std::lock_guard lock(m_lock);
    const auto next = m_live.upper_bound(region.address);
    if (next != m_live.begin() && region.address - std::prev(next)->first < std::prev(next)->second.buffer.bytes)
        return;
    trace::Buffer buffer;
    buffer.id = kNoBuffer;
    buffer.name = origin;
    buffer.element = kUnknownWord;
    buffer.bytes = region.bytes;
    buffer.dims = {(region.bytes + 3) / 4};
    buffer.deviceAddress = region.address;
    buffer.allocatedAt = origin;
    m_live[region.address] = {std::move(buffer), region.isOfHost};
}

void MemoryMap::remove(uint64_t address)
{
    const std::lock_guard lock(m_lock);
    m_live.erase(address);
}

Regions MemoryMap::regions() const
{
    const std::lock_guard lock(m_lock);
    std::vector<Region> regions;
    for (const auto& [address, known] : m_live)
        regions.push_back({address, known.buffer.bytes, known.isOfHost});
    return Regions(std::move(regions));
}

void MemoryMap::describe(uint64_t address, const std::string& name, const trace::ValueType& element)
{
    const std::lock_guard lock(m_lock);
    const auto found = m_live.find(address);
    if (found == m_live.end() || found->second.isDescribed)
        return;
    found->second.isDescribed = true;
    trace::Buffer& buffer = found->second.buffer;
    if (!name.empty())
        buffer.name = name;
    buffer.element = element;
    buffer.dims = {(buffer.bytes + element.totalBytes() - 1) / element.totalBytes()};
}

trace::Buffer MemoryMap::buffer(uint64_t address)
{
    const std::lock_guard lock(m_lock);
    const auto found = m_live.find(address);
    // Freed by another thread since the launch began: nothing more is known of it.
    trace::Buffer unknown;
    unknown.id = kNoBuffer;
    trace::Buffer& buffer = found == m_live.end() ? unknown : found->second.buffer;
    if (buffer.id == kNoBuffer)
        buffer.id = BufferId{m_buffers++};
    return buffer;
}

BufferId MemoryMap::newBuffer()
{
    const std::lock_guard lock(m_lock);
    return BufferId{m_buffers++};
}

}  // namespace lanescope::attach
