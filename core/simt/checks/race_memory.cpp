// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/checks/race_memory.h"

#include <algorithm>
#include <utility>

namespace lanescope::simt {

RaceCells* RaceMemory::cellsOf(device::DeviceAddress address, uint32_t shift)
{
    std::lock_guard lock(m_mutex);
    const uint64_t slot = address >> 32;
    const device::DeviceMemory::Slot& memory = slotAt(slot);
    Cells& cells = m_cells[slot];
    if (!cells.arena || cells.buffer != memory.buffer)
        cells = {memory.buffer, std::make_unique<RaceArena>(memory.bytes, shift, /*global=*/true)};
    if (cells.arena->cells()->shift > shift)
        cells.arena->refine(0);
    return cells.arena->cells();
}

void RaceMemory::forgetFreed()
{
    std::lock_guard lock(m_mutex);
    std::erase_if(m_cells, [&](const auto& entry) {
        const device::DeviceMemory::Slot& memory = slotAt(entry.first);
        return memory.freed || memory.buffer != entry.second.buffer;
    });
}

uint64_t RaceMemory::bytes() const
{
    std::lock_guard lock(m_mutex);
    uint64_t sum = 0;
    for (const auto& [slot, cells] : m_cells)
        sum += cells.arena->bytes();
    return sum;
}

void RaceMemory::setTime(uint32_t time)
{
    std::lock_guard lock(m_mutex);
    m_time = time;
    if (time < uint32_t{1} << 31)
        return;
    // Times are about to run out; a launch needs few of them, so there is no hurry, but old ones must be forgotten.
    m_cells.clear();
    m_launches.clear();
    m_time = 0;
}

void RaceMemory::endInGroup(const BlockRange& blocks, uint32_t endTime)
{
    m_group->end(blocks, endTime);
    m_ended.push_back(blocks);
    if (m_group->isUnderWay())
        return;
    const uint32_t last = m_group->endTime();
    m_group = nullptr;
    setTime(last);
}

void RaceMemory::noteLaunch(const void* owner, device::EarlierLaunch launch)
{
    std::lock_guard lock(m_mutex);
    m_launches.push_back({owner, m_time, std::move(launch)});
    if (m_launches.size() > kMostLaunches)
        m_launches.pop_front();
}

void RaceMemory::forgetLaunches(const void* owner)
{
    std::lock_guard lock(m_mutex);
    std::erase_if(m_launches, [owner](const Noted& noted) { return noted.owner == owner; });
    if (m_group)
        m_group->forget(owner);
}

std::optional<device::EarlierLaunch> RaceMemory::launchThatEnded(uint32_t time) const
{
    std::lock_guard lock(m_mutex);
    const auto found = std::ranges::find(m_launches, time, &Noted::end);
    return found == m_launches.end() ? std::nullopt : std::optional(found->launch);
}

}  // namespace lanescope::simt
