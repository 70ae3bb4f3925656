// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that are launched by kernels.
#include <algorithm>
#include <functional>
#include <ranges>

#include "core/simt/grid_state.h"
#include "core/simt/loaded_module.h"

namespace lanescope::simt {

/// Requests that the GPU refuses come to nothing.
std::vector<ChildLaunch> LoadedModule::childrenOf(std::vector<RequestedLaunch> requested) const
{
    constexpr uint64_t kTailLaunch = 3;  // cudaStreamTailLaunch
    std::vector<ChildLaunch> children;
    for (RequestedLaunch& request : requested) {
        const auto* const found = std::find_if(m_functionAddresses.begin(), m_functionAddresses.end(),
                                               [&](const auto& known) { return known.second == request.kernel; });
        const auto kernel = std::find_if(m_kernels.begin(), m_kernels.end(), [&](const KernelInfo& info) {
            return found != m_functionAddresses.end() && info.name == found->first->getName();
        });
        const auto fits = [](const KernelParameter& parameter, const std::vector<std::byte>& argument) {
            return parameter.bytes == argument.size();
        };
        const uint64_t threads = request.blockSize.count();
        if (kernel == m_kernels.end() || !std::ranges::equal(kernel->parameters, request.arguments, fits) ||
            request.grid.count() == 0 || threads == 0 || threads > kernel->resources.maxThreads)
            continue;
        children.push_back({kernel->name, request.grid, request.blockSize, request.sharedBytes,
                            request.stream == kTailLaunch, std::move(request.arguments)});
    }
    std::stable_partition(children.begin(), children.end(), [](const ChildLaunch& child) { return !child.last; });
    return children;
}

/// Launches that a running kernel waits for, and theirs. They are not recorded: the trace is at their parent.
uint32_t LoadedModule::runNow(std::vector<RequestedLaunch> requested, uint32_t time, const LaunchPlan& plan,
                              LaunchResult& result)
{
    LaunchOptions options = plan.options;
    options.writer = nullptr;
    ++options.depth;
    options.output = [&plan](std::string_view text) { plan.grid.print(0, text); };
    const std::map<uint64_t, trace::Buffer> buffers = m_slotBuffers;
    m_memory.setRaceTime(time);
    const std::function<void(std::vector<ChildLaunch>, const LaunchOptions&)> run =
        [&](const std::vector<ChildLaunch>& children, const LaunchOptions& with) {
            for (const ChildLaunch& child : children) {
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
                LaunchOptions deeper = with;
                ++deeper.depth;
                run(done.value().children, deeper);
            }
        };
    run(childrenOf(std::move(requested)), options);
    m_slotBuffers = buffers;
    return m_memory.raceTime();
}

}  // namespace lanescope::simt
