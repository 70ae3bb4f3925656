// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A module of device code: what is known of it, and of its launches. loaded_module.cpp loads it and launches its
// kernels, plan_launch.cpp plans launches, module_globals.cpp places its variables, module_descriptions.cpp describes
// kernels and buffers to people and the trace, child_launches.cpp runs what kernels launch.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include "core/device/judge.h"
#include "core/device/module.h"
#include "core/simt/checks/race_memory.h"
#include "core/simt/ir/kept_apart.h"
#include "core/simt/ir/legalise.h"
#include "core/simt/ir/prepared_module.h"
#include "core/simt/ir/write_analysis.h"
#include "core/simt/launch/described_parameters.h"
#include "core/simt/launch/launch_plan.h"
#include "core/simt/launch/requested_device_launch.h"
#include "core/simt/lower/program_builder.h"
#include "core/simt/simulator.h"
#include "core/simt/state/grid_state.h"
#include "core/trace/writer.h"

namespace lanescope::simt {

inline constexpr unsigned kDeepestLaunch = 24;  ///< kernels that launched each other

inline device::JudgeContext contextOf(const LaunchPlan& plan)
{
    return {plan.program.sites, plan.launch, plan.buffers, plan.program.hasPhaseBarriers, &plan.parts};
}

/// The module behind loadModule.
class LoadedModule final : public device::Module {
public:
    LoadedModule(std::unique_ptr<llvm::LLVMContext> context, std::unique_ptr<llvm::Module> module,
                 device::DeviceMemory& memory, RaceMemory& races)
        : m_context(std::move(context)), m_module(std::move(module)), m_memory(memory), m_races(races)
    {
    }

    ~LoadedModule() override { m_races.forgetLaunches(this); }
    LoadedModule(const LoadedModule&) = delete;
    LoadedModule& operator=(const LoadedModule&) = delete;

    Result<void> prepare()
    {
        m_functionAddresses = prepareForLowering(*m_module);
        for (llvm::Function* kernel : kernelsOf(*m_module))
            if (m_functions.emplace(kernel->getName().str(), kernel).second)
                m_kernels.push_back(kernelInfo(*kernel));
        return placeGlobals();
    }

    const std::vector<device::KernelInfo>& kernels() const override { return m_kernels; }
    const std::vector<device::GlobalVariable>& variables() const override { return m_variables; }
    Result<device::GlobalVariable> variable(const std::string& name) override;
    std::string sourcePath(SourceId id) const override;
    Result<std::unique_ptr<device::BegunLaunch>> begin(const std::string& kernel, LaunchId id, Dim3 grid, Dim3 block,
                                                       uint64_t dynamicSharedBytes,
                                                       std::span<const void* const> arguments,
                                                       const device::LaunchOptions& options) override;

private:
    class Begun;
    struct Variant {
        std::shared_ptr<const Program> program;
        bool declared = false;
    };

    device::KernelInfo kernelInfo(llvm::Function& function);
    Result<void> placeGlobals();
    Result<void> placeGlobal(llvm::GlobalVariable& global, device::GlobalVariable& variable);
    void writeInitialValue(llvm::GlobalVariable& global);
    Result<Variant*> variantFor(llvm::Function& kernel, Dim3 block, const device::LaunchOptions& options);
    void declare(Variant& variant, trace::TraceWriter& writer);
    SourceId writerSource(SourceId id) const
    {
        return id.value < m_writerSources.size() ? m_writerSources[id.value] : SourceId{0};
    }
    void nameBuffers(const device::KernelInfo& info, std::span<const DescribedParameter> described,
                     std::span<const void* const> arguments);
    /// \p tensor: the bytes of the parameter, where it is a tensor with a layout of run time; else empty.
    void nameBuffer(const device::KernelInfo& info, const DescribedPointer& pointer, uint64_t address,
                    std::span<const void* const> arguments, std::span<const std::byte> tensor);
    void nameTensors(const device::KernelInfo& info, std::span<const void* const> arguments);
    void describeTensor(trace::LaunchArgument& argument, std::span<const std::byte> bytes) const;
    void describeLaunch(trace::Launch& launch, const device::KernelInfo& info,
                        std::span<const DescribedParameter> described, std::span<const void* const> arguments);
    /// Puts the parts of \p whole, which has a place in the plan already, where it would be in the trace.
    void divide(LaunchPlan& plan, const MemoryObject& object, const trace::Buffer& whole);
    void placeMaps(LaunchPlan& plan);
    void placeBuffers(LaunchPlan& plan, std::span<const void* const> arguments, llvm::Function& function);
    void foresee(LaunchPlan& plan, std::span<const void* const> arguments);
    [[nodiscard]] std::set<uint64_t> slotsKeptApart(const LaunchPlan& plan, std::span<const void* const> arguments,
                                                    llvm::Function& function);
    bool readsAtomics(llvm::Function& function, std::span<const void* const> arguments);
    bool mayBeWritten(uint64_t slot, const WrittenMemory& written, std::span<const void* const> arguments) const;
    std::vector<device::ChildLaunch> childrenOf(std::vector<RequestedLaunch> requested) const;
    uint32_t runNow(std::vector<RequestedLaunch> requested, uint32_t time, const LaunchPlan& plan,
                    device::LaunchResult& result);
    Result<std::unique_ptr<LaunchPlan>> plan(const device::KernelInfo& info, trace::Launch launch, GridState& grid,
                                             std::span<const void* const> arguments,
                                             const device::LaunchOptions& options);
    std::vector<trace::Finding> judge(const LaunchPlan& plan, device::DeviceOutcome& outcome);
    void shapeStages(const LaunchPlan& plan, const GridState& state);
    void rememberCopies(const LaunchPlan& plan, const device::DeviceOutcome& outcome);
    void addCalls(trace::Finding& finding, const LaunchPlan& plan);
    void addSources(trace::TraceWriter& writer);
    void placeSources(std::vector<trace::Finding>& findings, const LaunchPlan& plan);
    [[nodiscard]] SourceId placedSource(SourceId own, const device::LaunchOptions& options) const;
    std::vector<trace::Finding> judgeAcross(const LaunchPlan& plan, device::DeviceOutcome& outcome);
    [[nodiscard]] device::EarlierLaunch toldOf(const LaunchPlan& plan);
    /// For a launch that may overlap this one.
    void noteLaunch(const LaunchPlan& plan) { m_races.noteLaunch(this, toldOf(plan)); }
    void joinGroup(LaunchPlan& plan);
    void letOthersWrite(LaunchPlan& plan) const;
    [[nodiscard]] Result<void> placeHeap();
    std::optional<std::set<uint64_t>> slotsOf(const WrittenMemory& memory,
                                              std::span<const void* const> arguments) const;
    void placeArguments(LaunchPlan& plan, std::span<const void* const> arguments);
    trace::Buffer bufferOf(const device::Allocation& allocation) const;
    trace::Buffer bufferOf(const MemoryObject& object, BufferId id, const trace::Launch& launch, bool shared,
                           uint64_t offset, uint64_t bytes) const;

    std::unique_ptr<llvm::LLVMContext> m_context;
    std::unique_ptr<llvm::Module> m_module;
    device::DeviceMemory& m_memory;
    RaceMemory& m_races;
    SourceTable m_sources;
    std::vector<SourceId> m_writerSources;  ///< by our own source id
    std::vector<device::KernelInfo> m_kernels;
    std::map<std::string, llvm::Function*> m_functions;
    std::map<const llvm::Function*, std::vector<DescribedParameter>> m_described;
    std::vector<device::GlobalVariable> m_variables;
    std::map<const llvm::GlobalVariable*, device::DeviceAddress> m_globals;
    FunctionAddresses m_functionAddresses;
    std::unique_ptr<CodeNumbers> m_numbers;  ///< once a launch goes to another device
    DeviceHeap m_heap;
    uint64_t m_clock = 0;  ///< cycles that launches have taken so far
    std::map<std::string, device::DeviceAddress> m_globalsByName;
    std::map<std::pair<llvm::Function*, int>, Variant> m_variants;
    std::map<llvm::Function*, WrittenMemory> m_written;
    std::map<llvm::Function*, WrittenMemory> m_narrow;
    std::map<llvm::Function*, KeptApart> m_keptApart;
};

}  // namespace lanescope::simt
