// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/runtime/kernel_run.h"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <ranges>
#include <utility>

#include "instrumented/runtime/exit_report.h"
#include "instrumented/runtime/finding_places.h"
#include "instrumented/runtime/interrupt.h"
#include "instrumented/runtime/touched_memory.h"
#include "instrumented/runtime/under_way.h"
#include "instrumented/runtime/work_order.h"

namespace lanescope::runtime {

namespace {

device::LaunchOptions launchOptions(Runtime& runtime, uint32_t launch)
{
    const Options& options = runtime.options();
    device::LaunchOptions result;
    result.device = runtime.device();
    result.schedule = options.schedule;
    result.seed = options.seed;
    result.checks = result.races = result.definedness = options.checks && !result.device;
    result.maxSteps = options.maxSteps;
    result.hostThreads = options.hostThreads;
    result.writer = runtime.trace().writer();
    // A GPU's trace has no variables, but sites are numbered as if it had.
    result.recordVariables = options.variables || result.device;
    if (options.launch && *options.launch != launch) {
        result.selects = [](Dim3) { return false; };
        result.selectedBox = {{0, 0, 0}, {0, 0, 0}};
    } else if (options.blocks) {
        result.part = options.part;
        result.selects = [range = *options.blocks](Dim3 block) { return range.contains(block); };
        result.selectedBox = {options.blocks->first, options.blocks->last};
    }
    result.deviceNumber = currentDevice();
    if (runtime.races().group())
        result.comesAfter = [](LaunchId other) { return isBehind(other); };
    if (options.devices > 1)
        result.reaches = [](const device::Allocation& buffer) { return mayTouch(currentDevice(), buffer); };
    result.errorOutput = [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); };
    result.output = [&runtime](std::string_view text) { runtime.trace().print(text); };
    result.sourceId = [&runtime](const std::string& path) { return runtime.kernelSourceId(path); };
    return result;
}

/// Buffers are called after the first kernel parameter that they are passed as. Returns the addresses passed.
std::vector<uint64_t> nameBuffers(Runtime& runtime, const device::KernelInfo& info,
                                  const std::vector<const void*>& arguments)
{
    std::vector<uint64_t> given;
    for (size_t i = 0; i < info.parameters.size(); ++i)
        for (const device::GivenPointer& pointer : info.parameters[i].pointers) {
            uint64_t address = 0;
            std::memcpy(&address, static_cast<const std::byte*>(arguments[i]) + pointer.offset, sizeof(address));
            if (!device::DeviceMemory::isDeviceAddress(address))
                continue;
            runtime.nameBuffer(address, pointer);
            given.push_back(address);
        }
    return given;
}

cudaError_t errorOf(device::LaunchError error)
{
    switch (error) {
    case device::LaunchError::None:
        return cudaSuccess;
    case device::LaunchError::Assertion:
        return cudaErrorAssert;
    case device::LaunchError::Misaligned:
        return cudaErrorMisalignedAddress;
    case device::LaunchError::IllegalAddress:
        return cudaErrorIllegalAddress;
    case device::LaunchError::Other:
        break;
    }
    return cudaErrorLaunchFailure;
}

/// Threads that wait for ever: the kernel's mistake, not a limit of ours.
bool isHang(const Error& stopped)
{
    const StopReason reason = StopReason::of(stopped.message);
    return reason.kind && familyOf(*reason.kind) == Family::Hang;
}

/// After a launch that ended half-way, or would have on a GPU: what it did not come to write is not the next one's
/// mistake.
void trustMemory(device::DeviceMemory& memory)
{
    for (const device::Allocation& allocation : memory.allocations())
        if (allocation.live)
            memory.markInitialised(allocation.address, allocation.bytes);
}

/// Somebody asked the program to end while the launch ran: now it does.
void endAsAsked(int signal)
{
    reportExit(trace::ProgramEnd::ofSignal(signal));
    ::signal(signal, SIG_DFL);
    raise(signal);
}

/// What would follow would be computed from what other parts of the launch have not left here.
[[noreturn]] void endAfterPart(Runtime& runtime, uint32_t raceTime)
{
    writeTouched(runtime, raceTime, runtime.options().touchedPath);
    reportExit({trace::ProgramEnd::How::Limit, std::nullopt, {}});
    std::fflush(nullptr);
    _exit(0);
}

}  // namespace

/// Tells who waits for the program, and keeps what is found, while a launch runs.
class KernelRun::Watcher final : public device::LaunchWatch {
public:
    Watcher(Runtime& runtime, uint32_t launch, std::string kernel)
        : m_runtime(runtime), m_launch(launch), m_kernel(std::move(kernel))
    {
    }
    bool goesOn(const device::LaunchProgress& progress) override
    {
        m_runtime.trace().progressOf(m_launch, m_kernel, progress);
        return InterruptScope::signal() == 0;
    }
    void found(const std::vector<trace::Finding>& findings) override { m_runtime.trace().putFindingsSoFar(findings); }

private:
    Runtime& m_runtime;
    uint32_t m_launch;
    std::string m_kernel;
};

KernelRun::KernelRun(Runtime& runtime, const KernelWork& work) : m_runtime(runtime)
{
    const Kernel* kernel = runtime.kernel(work.function);
    if (!kernel) {  // of a graph, whose module has been unloaded
        m_error = runtime.fail(cudaErrorInvalidDeviceFunction);
        return;
    }
    m_code = kernel->code;
    m_next.push_back({{kernel->name, toDim3(work.grid), toDim3(work.block), work.sharedBytes, false, work.arguments},
                      work.shape,
                      0});
}

KernelRun::~KernelRun() = default;

bool KernelRun::goOn(device::Patience patience)
{
    while (m_error == cudaSuccess) {
        if (!m_launch && (m_next.empty() || !begin()))
            break;
        std::optional<InterruptScope> interrupt(std::in_place);
        const Result<bool> ended = m_launch->goOn(patience);
        interrupt.reset();
        if (!ended)
            fail(ended.error());
        else if (ended.value())
            end();
        else if (const int signal = InterruptScope::signal(); signal != 0)
            endAsAsked(signal);
        else
            return false;
    }
    m_launch.reset();
    return true;
}

/// False: it cannot.
bool KernelRun::begin()
{
    m_now = std::move(m_next.back());
    m_next.pop_back();
    const device::ChildLaunch& work = m_now.launch;
    const device::KernelInfo& info = *m_runtime.kernelInfo(*m_code, work.kernel);
    m_arguments.clear();
    for (const std::vector<std::byte>& argument : work.arguments)
        m_arguments.push_back(argument.data());
    (void)m_runtime.device();
    if (m_runtime.stopped()) {
        m_error = m_runtime.failSticky(cudaErrorNoDevice);
        return false;
    }
    m_id = m_runtime.takeLaunchId();
    noteLaunch(LaunchId{m_id});
    m_options = launchOptions(m_runtime, m_id);
    m_options.cooperative = m_now.shape.cooperative;
    m_options.overlap = m_now.shape.overlap;
    m_options.cluster = m_now.shape.cluster.x != 0 ? toDim3(m_now.shape.cluster) : info.resources.cluster;
    m_options.depth = m_now.depth;
    m_options.watchesReads = [this](const device::Allocation& buffer) { return watchesReads(m_runtime, buffer); };
    m_options.asksForWrites = [this](const device::Allocation& buffer) { return asksForWrites(m_runtime, buffer); };
    // A graph's node may have been given clusters later, and nobody has looked at a launch by a kernel.
    if (const Dim3& size = m_options.cluster;
        size.count() != 0 && (work.grid.x % size.x != 0 || work.grid.y % size.y != 0 || work.grid.z % size.z != 0 ||
                              size.count() > device::kMostBlocksOfCluster)) {
        m_error = m_runtime.fail(cudaErrorInvalidClusterSize);
        return false;
    }
    m_kernel = info.displayName;
    m_given = nameBuffers(m_runtime, info, m_arguments);
    for (const uint64_t address : m_given)
        m_runtime.noteUse(address, {m_kernel, {work.grid, work.block}});
    m_runtime.trace().progress("begin", m_id, m_kernel, work.grid, work.block);
    m_raceTime = m_runtime.races().time();
    m_watcher = std::make_unique<Watcher>(m_runtime, m_id, m_kernel);
    m_options.watch = m_watcher.get();
    auto begun = m_runtime.module(*m_code)->begin(work.kernel, LaunchId{m_id}, work.grid, work.block,
                                                  work.dynamicSharedBytes, m_arguments, m_options);
    if (!begun) {
        fail(begun.error());
        return false;
    }
    m_launch = std::move(begun).value();
    return true;
}

/// What it does is not supported, or was refused by the device.
void KernelRun::fail(const Error& error)
{
    m_runtime.trace().progress("end", m_id, m_kernel, m_now.launch.grid, m_now.launch.block, 0);
    m_runtime.stop(error);
    m_error = m_runtime.failSticky(cudaErrorLaunchFailure);
}

void KernelRun::endStopped(const Error& stopped)
{
    trustMemory(m_runtime.memory());
    if (!m_options.device && isHang(stopped))
        m_runtime.noteStop(stopped);
    else
        m_runtime.stop(stopped);
    m_error = m_runtime.failSticky(cudaErrorLaunchFailure);
}

/// The launch has ended.
void KernelRun::end()
{
    device::LaunchResult result = m_launch->finish();
    m_launch.reset();
    m_runtime.trace().progress("end", m_id, m_kernel, m_now.launch.grid, m_now.launch.block, result.seconds);
    addAllocationPlaces(m_runtime, result.findings, m_given);
    addHostCalls(m_runtime, result.findings);
    m_runtime.trace().addFindings(result.findings);
    m_runtime.trace().keepLaunch();
    m_runtime.outputs().afterLaunch(m_id, m_kernel, m_runtime.memory());
    if (const int signal = InterruptScope::signal(); signal != 0)
        endAsAsked(signal);
    if (result.stopped)
        return endStopped(*result.stopped);
    if (m_options.part.of != 0)
        endAfterPart(m_runtime, m_raceTime);
    // A launch is asynchronous: what happened in it shows at the next call.
    if (const cudaError_t error = errorOf(result.error); error != cudaSuccess) {
        trustMemory(m_runtime.memory());
        m_runtime.failSticky(error);
        return;
    }
    for (device::ChildLaunch& child : result.children | std::views::reverse)
        m_next.push_back({std::move(child), {}, m_now.depth + 1});
}

cudaError_t performKernel(Runtime& runtime, const KernelWork& work)
{
    const DeviceScope scope(work.device);
    KernelRun run(runtime, work);
    run.goOn(device::Patience::Stop);
    return run.error();
}

}  // namespace lanescope::runtime
