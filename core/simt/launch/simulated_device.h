// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The simulator as a device: runs the blocks of one planned launch.
#pragma once

#include "core/device/device_memory.h"
#include "core/device/launch_device.h"
#include "core/simt/checks/race_memory.h"
#include "core/simt/launch/launch_plan.h"

namespace lanescope::simt {

class SimulatedDevice final : public device::LaunchDevice {
public:
    /// Both outlive the device.
    SimulatedDevice(const LaunchPlan& plan, RaceMemory& races) : m_plan(plan), m_races(races) {}

    /// \p launch is the plan's.
    Result<device::DeviceOutcome> run(const device::DeviceLaunch& launch, device::DeviceMemory& memory) override;

private:
    const LaunchPlan& m_plan;
    RaceMemory& m_races;
};

}  // namespace lanescope::simt
