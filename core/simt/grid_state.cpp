// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/grid_state.h"

#include <algorithm>

namespace lanescope::simt {

void DeviceHeap::place(uint64_t address, uint64_t bytes)
{
    m_address = address;
    m_bytes = bytes;
    m_used.clear();
    m_free = {{0, bytes}};
}

uint64_t DeviceHeap::allocate(uint64_t bytes)
{
    constexpr uint64_t kAlignment = 16;
    if (bytes > m_bytes)
        return 0;
    uint64_t size = std::max<uint64_t>((bytes + kAlignment - 1) / kAlignment * kAlignment, kAlignment);
    auto piece = std::find_if(m_free.begin(), m_free.end(), [&](const auto& free) { return free.second >= size; });
    if (piece == m_free.end())
        return 0;
    auto [offset, available] = *piece;
    m_free.erase(piece);
    if (available > size)
        m_free.emplace(offset + size, available - size);
    m_used.emplace(offset, size);
    return m_address + offset;
}

bool DeviceHeap::free(uint64_t address)
{
    auto used = m_used.find(address - m_address);
    if (address < m_address || used == m_used.end())
        return false;
    auto [offset, size] = *used;
    m_used.erase(used);
    auto next = m_free.lower_bound(offset);
    if (next != m_free.end() && next->first == offset + size) {
        size += next->second;
        next = m_free.erase(next);
    }
    if (next != m_free.begin())
        if (auto before = std::prev(next); before->first + before->second == offset) {
            before->second += size;
            return true;
        }
    m_free.emplace(offset, size);
    return true;
}

void GridState::failAssertion(uint64_t block, uint32_t thread, const std::string& file, uint32_t line,
                              const std::string& function, const std::string& expression)
{
    std::lock_guard lock(m_mutex);
    m_failed.push_back({block, thread, file + ":" + std::to_string(line) + ": " + function, expression});
}

std::string GridState::takeText()
{
    std::string text = std::move(m_text);
    for (std::string& printed : m_printed)
        text += printed;
    return text;
}

}  // namespace lanescope::simt
