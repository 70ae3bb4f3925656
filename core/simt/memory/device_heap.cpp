// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/memory/device_heap.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace lanescope::simt {

void DeviceHeap::place(uint64_t address, uint64_t bytes)
{
    m_address = address;
    m_bytes = bytes;
    m_used.clear();
    m_freed.clear();
    m_free = {{0, bytes}};
}

uint64_t DeviceHeap::allocate(uint64_t bytes)
{
    constexpr uint64_t kAlignment = 16;
    constexpr uint64_t kGap = 64;
    if (bytes > m_bytes)
        return 0;
    const uint64_t room = (bytes + kAlignment - 1) / kAlignment * kAlignment + kGap;
    const auto fits = [&](const auto& free) { return free.second >= room; };
    auto piece = std::find_if(m_free.begin(), m_free.end(), fits);
    if (piece == m_free.end()) {
        for (const auto& [offset, freed] : std::exchange(m_freed, {}))
            makeFree(offset, freed.room);
        piece = std::find_if(m_free.begin(), m_free.end(), fits);
    }
    if (piece == m_free.end())
        return 0;
    auto [offset, available] = *piece;
    m_free.erase(piece);
    if (available > room)
        m_free.emplace(offset + room, available - room);
    m_used[offset] = {bytes, room};
    return m_address + offset;
}

bool DeviceHeap::free(uint64_t address)
{
    auto used = m_used.find(address - m_address);
    if (address < m_address || used == m_used.end())
        return false;
    m_freed.insert(m_used.extract(used));
    return true;
}

void DeviceHeap::makeFree(uint64_t offset, uint64_t bytes)
{
    auto next = m_free.lower_bound(offset);
    if (next != m_free.end() && next->first == offset + bytes) {
        bytes += next->second;
        next = m_free.erase(next);
    }
    if (next != m_free.begin())
        if (auto before = std::prev(next); before->first + before->second == offset) {
            before->second += bytes;
            return;
        }
    m_free.emplace(offset, bytes);
}

bool DeviceHeap::holds(uint64_t offset, uint64_t bytes) const
{
    auto after = m_used.upper_bound(offset);
    if (after == m_used.begin())
        return false;
    const auto& [start, piece] = *std::prev(after);
    return offset + bytes <= start + piece.bytes;
}

bool DeviceHeap::wasFreed(uint64_t offset) const
{
    auto after = m_freed.upper_bound(offset);
    return after != m_freed.begin() && offset < std::prev(after)->first + std::prev(after)->second.bytes;
}

}  // namespace lanescope::simt
