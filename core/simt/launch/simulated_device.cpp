// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/launch/simulated_device.h"

#include <chrono>
#include <string_view>

#include <fmt/format.h>

#include "core/device/device_memory.h"
#include "core/device/launch.h"
#include "core/simt/launch/block_queue.h"

namespace lanescope::simt {
namespace {

/// Why a launch ended early, for people: limits first by their name.
Error stopError(const LaunchOutcome& outcome, const trace::Launch& launch, const device::LaunchOptions& options)
{
    Dim3 block = positionOf(outcome.stopBlock, launch.grid);
    std::string where = fmt::format("kernel {} block ({},{},{})", launch.kernel, block.x, block.y, block.z);
    constexpr std::string_view kStepLimit = "step-limit";
    if (outcome.stopReason.starts_with(kStepLimit))
        return {Error::Code::Limit,
                fmt::format("{}: more than {} warp instructions in one launch (--max-steps){}", kStepLimit,
                            options.maxSteps ? options.maxSteps : kDefaultMaxSteps,
                            outcome.stopReason.substr(kStepLimit.size())),
                where};
    const bool isLimit =
        outcome.stopReason.starts_with("barrier-deadlock") || outcome.stopReason.starts_with("livelock");
    return {isLimit ? Error::Code::Limit : Error::Code::BadInput, outcome.stopReason, where};
}

}  // namespace

Result<device::DeviceOutcome> SimulatedDevice::run(const device::DeviceLaunch& /*launch*/, device::DeviceMemory& memory)
{
    const auto start = std::chrono::steady_clock::now();
    LaunchOutcome outcome = runBlocks(m_plan);
    m_races.setTime(outcome.endTime);
    if (outcome.copiedUndefined)
        memory.forgetDefinedness();
    outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (!outcome.stopReason.empty() && !outcome.trapped)
        outcome.stopped = stopError(outcome, m_plan.launch, m_plan.options);
    return device::DeviceOutcome(std::move(outcome));
}

}  // namespace lanescope::simt
