// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A launch of a loaded module, from when it was planned until what came of it is known.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/simt/launch/block_queue.h"
#include "core/simt/launch/loaded_module.h"

namespace lanescope::simt {

class LoadedModule::Begun final : public device::BegunLaunch {
public:
    Begun(LoadedModule& module, std::string kernel, trace::Launch launch, std::span<const void* const> arguments,
          const device::LaunchOptions& options)
        : m_module(module), m_kernel(std::move(kernel)), m_launch(std::move(launch)),
          m_arguments(arguments.begin(), arguments.end()), m_options(options),
          m_state(module.m_heap, module.m_clock, m_launch.grid.count())
    {
    }

    /// Nothing else may be called when it fails.
    Result<void> plan(const device::KernelInfo& info);
    Result<bool> goOn(device::Patience patience) override;
    [[nodiscard]] bool canGoOn() const override { return m_blocks && m_blocks->canGoOn(); }
    device::LaunchResult finish() override;

private:
    Result<bool> runOn(device::LaunchDevice& device);
    void beginBesideOthers();
    void endTime(uint32_t time);
    [[nodiscard]] device::DeviceOutcome outcomeOf(LaunchOutcome outcome) const;

    LoadedModule& m_module;
    std::string m_kernel;  ///< mangled
    trace::Launch m_launch;
    std::vector<const void*> m_arguments;
    device::LaunchOptions m_options;
    GridState m_state;
    std::unique_ptr<LaunchPlan> m_plan;
    std::optional<LaunchBlocks> m_blocks;  ///< of the simulator
    device::DeviceOutcome m_outcome;       ///< once it has ended
    device::LaunchResult m_result;         ///< so far of what it launched and waited for
    double m_seconds = 0;
};

}  // namespace lanescope::simt
