// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/launch/simulated_device.h"

#include <chrono>

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
    std::string where =
        fmt::format("kernel {} {} ({},{},{})", launch.kernel, launch.blockWord, block.x, block.y, block.z);
    StopReason reason = outcome.stopReason;
    if (reason.kind == FindingKind::StepLimit)
        reason.message = fmt::format("more than {} warp instructions in one launch (--max-steps){}{}",
                                     options.maxSteps ? options.maxSteps : kDefaultMaxSteps,
                                     reason.message.empty() ? "" : ": ", reason.message);
    const bool isLimit = reason.kind && endsRun(*reason.kind);
    return {isLimit ? Error::Code::Limit : Error::Code::BadInput, reason.text(), where};
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
