// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory in which a kernel remembers who touched each cell, and the races that it found.
#pragma once

#include <vector>

#include "core/cuda/device_code.h"
#include "core/cuda/device_races.h"
#include "core/cuda/launch_tables.h"
#include "core/device/device_memory.h"

namespace lanescope::cuda {

class RaceShadow {
public:
    explicit RaceShadow(const Driver& driver) : m_driver(driver) {}
    ~RaceShadow();
    RaceShadow(const RaceShadow&) = delete;
    RaceShadow& operator=(const RaceShadow&) = delete;

    /// Nobody has touched anything; \p code is told where that is written. Memory that the kernel only reads has no
    /// cells. \p note: what is not checked, and why, is added; of the program's code that is said once.
    Result<void> prepare(const device::DeviceLaunch& launch, const device::DeviceMemory& memory, DeviceCode& code,
                         Function kernel, std::string& note);
    /// \p note: of how many blocks and races the kernel lost account is added.
    [[nodiscard]] Result<std::vector<std::pair<uint64_t, device::RaceReport>>>
    read(const LaunchTables& tables, std::span<const CountEntry> entries, std::string& note) const;

private:
    struct Block {
        DevicePointer address = 0;
        uint64_t bytes = 0;
    };

    /// Room for \p bytes zeros; what was there before is used again.
    Result<DevicePointer> zeros(size_t index, uint64_t bytes);
    Result<void> placeSlots(const device::DeviceLaunch& launch, Function kernel, uint32_t shift);
    Result<void> placeCells(const device::DeviceLaunch& launch, const device::DeviceMemory& memory, uint32_t shift,
                            std::string& note);

    const Driver& m_driver;
    std::vector<Block> m_blocks;
    RaceControl m_control{};
    uint32_t m_objects = 0;
    bool m_limitsSaid = false;
};

}  // namespace lanescope::cuda
