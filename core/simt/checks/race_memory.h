// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the race check keeps of a device's global memory from launch to launch.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "core/base/ids.h"
#include "core/device/device_memory.h"
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
    /// Times up to this were used by earlier launches.
    [[nodiscard]] uint32_t time() const { return m_time; }
    void setTime(uint32_t time);

private:
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
};

}  // namespace lanescope::simt
