// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the blocks of one launch on the host's threads.
#pragma once

#include <cstdint>

#include "core/device/launch_device.h"
#include "core/simt/launch/launch_plan.h"

namespace lanescope::simt {

/// Warp instructions of a launch where nobody says how many: what takes a laptop some minutes.
inline constexpr uint64_t kDefaultMaxSteps = uint64_t{1} << 37;

struct LaunchOutcome : device::DeviceOutcome {
    bool copiedUndefined = false;    ///< undefined bytes were stored in global memory
    uint32_t endTime = 0;            ///< of the race check
    bool racesAcrossBlocks = false;  ///< what follows depends on the order in which blocks ran
    StopReason stopReason;           ///< why the launch ended early
    uint64_t stopBlock = 0;
};

/// Whether blocks may learn from those of other clusters, by means that are for that: results of atomics, flags,
/// barriers of the grid, the heap. Sums that other blocks do not look at are none.
bool handsOver(const LaunchPlan& plan);

/// The same outcome and memory whatever the number of host threads: where blocks turn out to race with each other, the
/// launch starts over with one (not noticed when plan.options.races is off).
LaunchOutcome runBlocks(const LaunchPlan& plan);

}  // namespace lanescope::simt
