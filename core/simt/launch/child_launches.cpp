// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that are launched by kernels.
#include <algorithm>
#include <functional>
#include <ranges>

#include "core/device/module.h"
#include "core/simt/launch/loaded_module.h"
#include "core/simt/state/grid_state.h"

namespace lanescope::simt {

/// Requests that the GPU refuses come to nothing.
std::vector<device::ChildLaunch> LoadedModule::childrenOf(std::vector<RequestedLaunch> requested) const
{
    constexpr uint64_t kTailLaunch = 3;  // cudaStreamTailLaunch
    std::vector<device::ChildLaunch> children;
    for (RequestedLaunch& request : requested) {
        const auto* const found = std::find_if(m_functionAddresses.begin(), m_functionAddresses.end(),
                                               [&](const auto& known) { return known.second == request.kernel; });
        const auto kernel = std::find_if(m_kernels.begin(), m_kernels.end(), [&](const device::KernelInfo& info) {
            return found != m_functionAddresses.end() && info.name == found->first->getName();
        });
        const auto fits = [](const device::KernelParameter& parameter, const std::vector<std::byte>& argument) {
            return parameter.bytes == argument.size();
        };
        const uint64_t threads = request.blockSize.count();
        if (kernel == m_kernels.end() || !std::ranges::equal(kernel->parameters, request.arguments, fits) ||
            request.grid.count() == 0 || threads == 0 || threads > kernel->resources.maxThreads)
            continue;
        children.push_back({kernel->name, request.grid, request.blockSize, request.sharedBytes,
                            request.stream == kTailLaunch, std::move(request.arguments)});
    }
    std::stable_partition(children.begin(), children.end(),
                          [](const device::ChildLaunch& child) { return !child.last; });
    return children;
}

/// Launches that a running kernel waits for, and theirs. They are not recorded: the trace is at their parent.
uint32_t LoadedModule::runNow(std::vector<RequestedLaunch> requested, uint32_t time, const LaunchPlan& plan,
                              device::LaunchResult& result)
{
    device::LaunchOptions options = plan.options;
    options.writer = nullptr;
    ++options.depth;
    options.overlap = {};
    options.comesAfter = nullptr;
    options.output = [&plan](std::string_view text) { plan.grid.print(0, text); };
    if (!m_races.group())
        m_races.setTime(time);
    const std::function<void(std::vector<device::ChildLaunch>, const device::LaunchOptions&)> run =
        [&](const std::vector<device::ChildLaunch>& children, const device::LaunchOptions& with) {
            for (const device::ChildLaunch& child : children) {
                std::vector<const void*> arguments;
                for (const std::vector<std::byte>& argument : child.arguments)
                    arguments.push_back(argument.data());
                auto done = launch(child.kernel, plan.launch.id, child.grid, child.block, child.dynamicSharedBytes,
                                   arguments, with);
                if (!done || result.stopped) {
                    result.stopped = result.stopped ? result.stopped : done.error();
                    return;
                }
                std::ranges::move(done.value().findings, std::back_inserter(result.findings));
                result.warpInstructions += done.value().warpInstructions;
                result.stopped = done.value().stopped;
                result.trapped |= done.value().trapped;
                if (result.error == device::LaunchError::None)
                    result.error = done.value().error;
                device::LaunchOptions deeper = with;
                ++deeper.depth;
                run(done.value().children, deeper);
            }
        };
    run(childrenOf(std::move(requested)), options);
    return m_races.group() ? std::max(time, m_races.group()->endTime()) : m_races.time();
}

}  // namespace lanescope::simt
