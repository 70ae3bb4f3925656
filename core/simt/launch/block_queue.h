// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the blocks of one launch on the host's threads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/device/launch_device.h"
#include "core/device/module.h"
#include "core/simt/checks/sync_order.h"
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

/// The blocks of a launch, on their way. The same outcome and memory whatever the number of host threads: where blocks
/// turn out to race with each other, the launch starts over with one (not noticed when plan.options.races is off).
class LaunchBlocks {
public:
    /// \p plan outlives this. Of a launch that is paused its peers may be set, and objects that others may write marked
    /// so.
    explicit LaunchBlocks(LaunchPlan& plan);
    ~LaunchBlocks();
    LaunchBlocks(const LaunchBlocks&) = delete;
    LaunchBlocks& operator=(const LaunchBlocks&) = delete;

    /// As of device::BegunLaunch.
    bool goOn(device::Patience patience);
    [[nodiscard]] bool canGoOn() const;
    /// Of a launch that is paused: what fences and flags order in it; null: it has no fences.
    [[nodiscard]] std::shared_ptr<SyncOrder> order() const;
    /// Likewise: what comes before all that its blocks do from now on, a time of the race check. None: they have waited
    /// for launches of their own, each at another time.
    [[nodiscard]] std::optional<uint32_t> startTime() const;
    /// Once all have ended.
    LaunchOutcome takeOutcome();

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace lanescope::simt
