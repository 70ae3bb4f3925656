// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A planned launch as any device needs to know it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/device/launch_device.h"
#include "core/device/module.h"
#include "core/simt/launch/launch_plan.h"

namespace lanescope::simt {

/// Owns what launch() refers to.
class RequestedDeviceLaunch {
public:
    /// \p plan outlives this. \p codeTotal: CodeNumbers::total of the module; 0 where nobody counted.
    RequestedDeviceLaunch(const LaunchPlan& plan, const std::string& kernel,
                          const std::vector<device::GlobalVariable>& variables, std::span<const void* const> arguments,
                          uint32_t codeTotal);
    RequestedDeviceLaunch(const RequestedDeviceLaunch&) = delete;
    RequestedDeviceLaunch& operator=(const RequestedDeviceLaunch&) = delete;

    [[nodiscard]] const device::DeviceLaunch& launch() const { return m_launch; }

private:
    void addObjects(const LaunchPlan& plan);

    std::vector<device::DeviceObject> m_objects;
    std::vector<std::span<const std::byte>> m_arguments;
    std::vector<device::DeviceAddress> m_globals;
    device::DeviceLaunch m_launch;
};

}  // namespace lanescope::simt
