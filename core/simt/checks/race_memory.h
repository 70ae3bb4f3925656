// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the race check keeps of a device's global memory from launch to launch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/ids.h"
#include "core/device/device_memory.h"
#include "core/device/judge.h"
#include "core/simt/checks/launch_group.h"
#include "core/simt/checks/race_cells.h"

namespace lanescope::simt {

/// Thread-safe; cells are not, see RaceCells.
class RaceMemory {
public:
    explicit RaceMemory(const device::DeviceMemory& memory) : m_memory(memory) {}

    /// The cells of the live allocation at \p address, made on first use; valid until it is freed, and while nobody
    /// calls forgetFreed(). \p shift: log2 of a cell's bytes; cells that are coarser are made anew.
    [[nodiscard]] RaceCells* cellsOf(device::DeviceAddress address, uint32_t shift);
    /// Gives back the cells of allocations that have been freed.
    void forgetFreed();
    [[nodiscard]] uint64_t bytes() const;
    /// Times up to this were used by earlier launches; of launches beside each other: by those before all of them.
    [[nodiscard]] uint32_t time() const { return m_group ? m_group->startTime() : m_time; }
    /// Not while launches are beside each other.
    void setTime(uint32_t time);

    /// Launches that are under way side by side; null: one follows the other.
    [[nodiscard]] const std::shared_ptr<LaunchGroup>& group() const { return m_group; }
    void beginGroup(std::shared_ptr<LaunchGroup> group)
    {
        m_group = std::move(group);
        ++m_groups;
    }
    /// Of the latest group, from 1 on.
    [[nodiscard]] uint64_t groupNumber() const { return m_groups; }
    /// A member has ended; with the last one, the group has.
    void endInGroup(const BlockRange& blocks, uint32_t endTime);
    /// The blocks of members that have ended since this was asked last; empty: the launches were none.
    [[nodiscard]] std::vector<BlockRange> takeEnded() { return std::exchange(m_ended, {}); }

    /// Keeps what accesses of a launch, whose times end now, are called by, for one that may overlap it. \p owner:
    /// whose sites they are. The latest few are kept.
    void noteLaunch(const void* owner, device::EarlierLaunch launch);
    /// \p owner is no more.
    void forgetLaunches(const void* owner);
    /// The launch whose times ended at \p time, if it is still known.
    [[nodiscard]] std::optional<device::EarlierLaunch> launchThatEnded(uint32_t time) const;

private:
    static constexpr size_t kMostLaunches = 64;
    struct Noted {
        const void* owner;
        uint32_t end;
        device::EarlierLaunch launch;
    };

    struct Cells {
        BufferId buffer;  ///< which of a slot's allocations they are of
        std::unique_ptr<RaceArena> arena;
    };
    [[nodiscard]] const device::DeviceMemory::Slot& slotAt(uint64_t slot) const
    {
        return m_memory.slots()[slot - device::DeviceMemory::kFirstSlot];
    }

    const device::DeviceMemory& m_memory;
    mutable std::mutex m_mutex;
    std::map<uint64_t, Cells> m_cells;  ///< by slot
    uint32_t m_time = 0;
    std::deque<Noted> m_launches;
    std::shared_ptr<LaunchGroup> m_group;
    std::vector<BlockRange> m_ended;
    uint64_t m_groups = 0;
};

}  // namespace lanescope::simt
