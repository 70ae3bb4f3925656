// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A launch as it was planned: what every block of it needs to know.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "core/device/launch.h"
#include "core/device/launch_device.h"
#include "core/simt/checks/launch_group.h"
#include "core/simt/code/program.h"
#include "core/simt/launch/foreseen_blocks.h"
#include "core/simt/memory/object_table.h"
#include "core/simt/state/block.h"
#include "core/simt/state/grid_state.h"
#include "core/trace/model.h"

namespace lanescope::simt {

/// What the blocks of a launch share; read-only while they run, but for the counters.
struct LaunchPlan {
    /// \p startTime_: of the race check: times of earlier launches are at most this.
    LaunchPlan(const Program& program_, const device::LaunchOptions& options_, trace::Launch launch_, GridState& grid_,
               uint32_t startTime_)
        : program(program_), options(options_), launch(std::move(launch_)), grid(grid_), startTime(startTime_)
    {
    }

    /// Blocks that run together; 1 where the launch has no clusters.
    [[nodiscard]] uint64_t blocksPerCluster() const { return std::max<uint64_t>(options.cluster.count(), 1); }

    const Program& program;
    std::string function;  ///< the kernel's, mangled
    const device::LaunchOptions& options;
    trace::Launch launch;
    GridState& grid;
    std::map<uint64_t, trace::Buffer> buffers;  ///< by address slot
    /// What shared memory in one slot is divided into (MemoryObject::regions), ascending, without gaps.
    std::map<uint64_t, std::vector<trace::Buffer>> parts;
    uint64_t sharedBytes = 0;             ///< static and dynamic
    std::vector<uint64_t> sharedOffsets;  ///< of program.shared, in the block's shared memory
    std::vector<uint64_t> scalars;        ///< the program's, with arguments, blockDim and gridDim filled in
    ObjectTable objects;                  ///< shared and local hosts are filled in per thread
    std::vector<std::vector<std::byte>> parameterBytes;  ///< by-value structs that are only read, by parameter
    std::vector<std::pair<int, std::vector<std::byte>>>
        localParameters;                             ///< (local object, bytes): copied to each lane
    std::unique_ptr<const ForeseenBlocks> foreseen;  ///< null: none is
    Derives derives = Derives::FromAll;
    bool atomicsOrdered = false;         ///< the order of atomics of different blocks shows in their results
    uint32_t startTime;                  ///< as of the constructor
    std::unique_ptr<LaunchPeers> peers;  ///< null: no other launch is under way beside this one
    /// Told what the blocks so far have reported, some times a second while there is more; null: nobody asks.
    std::function<void(device::DeviceOutcome)> found;
};

}  // namespace lanescope::simt
