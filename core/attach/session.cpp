// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/attach/session.h"

#include <fmt/format.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>

#include "core/attach/arguments.h"
#include "core/attach/device_questions.h"
#include "core/attach/launch_recording.h"
#include "core/attach/names.h"
#include "core/attach/patches.h"
#include "core/attach/sanitizer_api.h"
#include "core/cuda/log_memory.h"

namespace lanescope::attach {

using cuda::LogControl;

namespace {

/// Of device memory that is kept when a launch begins; the largest buffers beyond are left out.
constexpr uint64_t kMaxContents = uint64_t{1} << 30;
constexpr std::chrono::seconds kPatience{5};

struct Patch {
    Instruction instruction;
    const char* function;
};
constexpr std::array<Patch, 7> kPatches{{{Instruction::GlobalAccess, "lanescope_global"},
                                         {Instruction::SharedAccess, "lanescope_shared"},
                                         {Instruction::LocalAccess, "lanescope_local"},
                                         {Instruction::AsyncCopy, "lanescope_copy"},
                                         {Instruction::MatrixAccess, "lanescope_matrix"},
                                         {Instruction::Barrier, "lanescope_barrier"},
                                         {Instruction::BlockExit, "lanescope_exit"}}};

/// What the call that launches a kernel was given, until the launch begins, on the same thread.
struct LaunchCall {
    void** arguments = nullptr;
    uint32_t sharedBytes = 0;
};
thread_local LaunchCall t_call;
/// This thread is between the begin and the end of a launch that is recorded.
thread_local bool t_recording = false;

/// From this process's own memory, which may turn out not to be there.
bool readOwn(const Region& region, std::vector<std::byte>& bytes)
{
    const iovec to{bytes.data(), bytes.size()};
    const iovec from{reinterpret_cast<void*>(region.address), region.bytes};
    return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == static_cast<ssize_t>(region.bytes);
}

class AttachedSession final : public Session {
public:
    AttachedSession(const AttachOptions& options, const SanitizerApi& api, std::string toolkit)
        : m_options(options), m_api(api), m_toolkit(std::move(toolkit)), m_code(m_toolkit)
    {
    }

    Result<void> subscribe()
    {
        Subscriber subscriber = nullptr;
        SanitizerStatus status = m_api.subscribe(
            &subscriber,
            [](void* self, Domain domain, uint32_t event, const void* data) {
                static_cast<AttachedSession*>(self)->handle(domain, event, data);
            },
            this);
        for (const Domain domain : {Domain::Resources, Domain::Launches})
            if (status == 0)
                status = m_api.enableDomain(1, subscriber, domain);
        for (const DriverCall call : {kLaunchKernel, kLaunchKernelPerThread, kLaunchKernelEx, kLaunchKernelExPerThread})
            if (status == 0)
                status = m_api.enableCallback(1, subscriber, Domain::DriverCalls, call);
        return status == 0 ? Result<void>() : m_api.error(status, "the Sanitizer API cannot be used");
    }

    AttachOutcome finish(std::optional<int> programExit) override
    {
        // A kernel that never ends must not keep the program from ending.
        const std::unique_lock lock(m_launching, kPatience);
        m_finished = true;
        AttachOutcome outcome;
        outcome.launches = m_launches;
        outcome.stopped = m_stopped;
        if (m_writer)
            if (Result<void> closed =
                    m_writer->finish(programExit ? trace::ProgramEnd::exited(*programExit) : trace::ProgramEnd(),
                                     StopReason::of(m_stopped ? m_stopped->text() : ""));
                !closed)
                m_traceError = closed.error();
        outcome.traceError = m_traceError;
        return outcome;
    }

private:
    void handle(Domain domain, uint32_t event, const void* data)
    {
        if (m_finished)
            return;
        if (domain == Domain::DriverCalls)
            noteCall(event, *static_cast<const CallData*>(data));
        else if (domain == Domain::Launches)
            handleLaunch(event, *static_cast<const LaunchData*>(data));
        else
            handleResource(event, data);
    }

    static void noteCall(uint32_t call, const CallData& data)
    {
        if (data.where != 0 || !data.parameters) {
            t_call = {};
            return;
        }
        if (call == kLaunchKernel || call == kLaunchKernelPerThread) {
            const auto& given = *static_cast<const LaunchKernelParameters*>(data.parameters);
            t_call = {given.arguments, given.sharedBytes};
        } else {
            const auto& given = *static_cast<const LaunchKernelExParameters*>(data.parameters);
            t_call = {given.arguments, given.config ? given.config->sharedBytes : 0};
        }
    }

    void handleResource(uint32_t event, const void* data)
    {
        switch (event) {
        case kContextCreated:
            return useContext(*static_cast<const ContextData*>(data));
        case kContextDestroyed:
            if (static_cast<const ContextData*>(data)->context == m_context)
                m_context = nullptr;
            return;
        case kModuleLoaded:
            return patch(*static_cast<const ModuleData*>(data));
        case kModuleUnloaded:
            return m_code.removeModule(static_cast<const ModuleData*>(data)->module);
        case kDeviceMemoryAllocated:
        case kHostMemoryAllocated:
        case kMemoryAllocatedAsync:
            return noteMemory(event, *static_cast<const MemoryData*>(data));
        case kDeviceMemoryFreed:
        case kHostMemoryFreed:
        case kMemoryFreedAsync:
            return m_memory.remove(static_cast<const MemoryData*>(data)->address);
        default:
            return;
        }
    }

    /// The first one's kernels are recorded.
    void useContext(const ContextData& data)
    {
        if (m_context)
            return say("the program uses more than one context (or GPU); only the first one's kernels are recorded");
        m_device = DeviceQuestions(data.device);
        m_properties = m_device.properties();
        m_residentWarps =
            m_properties.multiprocessors * m_device.attribute(kThreadsOfMultiprocessor) / uint32_t{kWarpSize};
        m_reservedShared = m_device.attribute(kReservedShared);
        const Result<std::vector<char>> patches =
            assemblePatches(m_toolkit, m_options.patches, static_cast<int>(m_properties.capability));
        if (!patches)
            return giveUp(patches.error());
        if (const SanitizerStatus status = m_api.addPatches(patches.value().data(), data.context))
            return giveUp(m_api.error(status, "the patches cannot be loaded"));
        m_context = data.context;
    }

    void patch(const ModuleData& data)
    {
        if (!m_context || data.context != m_context || !data.cubin)
            return;
        // The API's functions for patches are for one thread at a time.
        const std::lock_guard lock(m_patching);
        m_code.addModule(data.module, std::as_bytes(std::span(data.cubin, data.cubinBytes)));
        for (const Patch& patch : kPatches)
            if (const SanitizerStatus status = m_api.patchInstructions(patch.instruction, data.module, patch.function))
                return giveUp(m_api.error(status, fmt::format("a module cannot be patched ({})", patch.function)));
        if (const SanitizerStatus status = m_api.patchModule(data.module))
            giveUp(m_api.error(status, "a module cannot be patched"));
    }

    void noteMemory(uint32_t event, const MemoryData& data)
    {
        // What CUDA keeps for itself, and what the log is in.
        if ((data.flags & kOfRuntime) || data.bytes == 0)
            return;
        const char* call = event == kHostMemoryAllocated    ? "cudaMallocHost"
                           : event == kMemoryAllocatedAsync ? "cudaMallocAsync"
                           : data.flags & kOfModule         ? "__device__ memory"
                           : data.flags & kManaged          ? "cudaMallocManaged"
                                                            : "cudaMalloc";
        const std::lock_guard lock(m_noting);
        m_memory.add(
            {data.address, data.bytes, (data.flags & (kManaged | kOfHost)) != 0 || event == kHostMemoryAllocated},
            fmt::format("{} #{}", call, ++m_allocations[call]));
    }

    void handleLaunch(uint32_t event, const LaunchData& data)
    {
        if (event == kLaunchEnded && t_recording) {
            t_recording = false;
            end(data);
            m_launching.unlock();
        } else if (event == kLaunchBegins && m_context && data.context == m_context) {
            m_launching.lock();
            t_recording = !m_finished && !m_stopped && begin(data);
            if (t_recording)
                return;
            m_api.setLaunchData(data.launch, data.function, data.streamHandle, nullptr);
            m_launching.unlock();
        }
    }

    /// False: nothing of the launch is recorded.
    bool begin(const LaunchData& data)
    {
        trace::TraceWriter* out = writer();
        if (!out)
            return false;
        useForMemory(data.context, data.streamHandle);
        placeVariables(data.module);
        const std::string name = data.functionName ? data.functionName : "";
        const CubinFunction kernel = m_code.function(data.module, name);
        for (const CubinFunction& runs : m_code.runnable(data.module, name)) {
            uint64_t begin = 0, bytes = 0;
            if (m_api.functionAddress(data.module, runs.name.c_str(), &begin, &bytes) == 0)
                m_code.place(data.module, runs, begin);
        }
        trace::Launch launch;
        launch.id = LaunchId{m_launchesSeen++};
        launch.kernel = plainName(demangled(name));
        launch.where = m_code.beginOf(data.module, name, *out);
        launch.grid = {data.grid[0], data.grid[1], data.grid[2]};
        launch.block = {data.block[0], data.block[1], data.block[2]};
        launch.dynamicSharedBytes = t_call.sharedBytes;
        Regions regions = m_memory.regions();
        const std::optional<trace::ValueType> word = describeArguments(
            launch, kernel, t_call.arguments, m_code.textOf(launch.where.source), regions, m_memory, *out);
        const bool recorded = prepare(launch);
        out->beginLaunch(launch);
        if (!recorded) {
            launch.blocksDropped = launch.grid.count();
            launch.complete = true;
            out->endLaunch(launch);
            return false;
        }
        const uint64_t fixedShared = kernel.sharedBytes - std::min(kernel.sharedBytes, m_reservedShared);
        m_current = std::make_unique<LaunchRecording>(
            SessionParts{m_memory, m_code, *out}, launch, std::move(regions), word.value_or(kUnknownWord),
            SharedMemory{fixedShared + launch.dynamicSharedBytes, m_reservedShared});
        const auto read = [&](const Region& region, std::vector<std::byte>& bytes) {
            return region.isOfHost ? readOwn(region, bytes)
                                   : memoryDriver(m_api).copyToHost(bytes.data(), region.address, region.bytes) == 0;
        };
        if (!m_current->keepContents(kMaxContents, read))
            say("more than 1 GiB of device memory: what the largest buffers hold when a kernel begins is not recorded");
        m_current->start(*m_log);
        if (const SanitizerStatus status = m_api.setLaunchData(data.launch, data.function, data.streamHandle,
                                                               reinterpret_cast<const void*>(m_controlAddress)))
            giveUp(m_api.error(status, "a launch cannot be recorded"));
        return true;
    }

    /// A module's variables become buffers when the first of its kernels is launched.
    void placeVariables(CodeModule module)
    {
        for (const CubinVariable& variable : m_code.takeVariables(module))
            if (const Region region = m_device.variable(module, variable.name); region.bytes > 0)
                m_memory.add(region, demangled(variable.name));
    }

    /// The log, ready for the launch. False: nothing of it is to be, or can be recorded.
    bool prepare(const trace::Launch& launch)
    {
        LogControl control = {};
        const uint64_t warps =
            selectBlocks(control, launch.grid, launch.block, m_options.firstBlock, m_options.lastBlock);
        if (warps == 0 || (m_options.launch && *m_options.launch != launch.id.value))
            return false;
        if (Result<void> ready = describeLog(control, warps); !ready) {
            giveUp(ready.error());
            return false;
        }
        return true;
    }

    Result<void> describeLog(LogControl& control, uint64_t warps)
    {
        const cuda::Driver& driver = memoryDriver(m_api);
        if (!m_log) {
            Result<std::unique_ptr<cuda::LogMemory>> made =
                cuda::LogMemory::create(driver, cuda::logShapeFor(m_residentWarps));
            if (!made)
                return made.error();
            m_log = std::move(made).value();
            if (const cuda::DriverStatus status = driver.allocate(&m_controlAddress, sizeof control))
                return driver.error(status, "the GPU has no memory for the log");
        }
        if (Result<void> ready = m_log->reset(warps); !ready)
            return ready.error();
        m_log->describe(control);
        const cuda::DriverStatus status = driver.copyToDevice(m_controlAddress, &control, sizeof control);
        return status == 0 ? Result<void>() : driver.error(status, "the log cannot be described to the GPU");
    }

    void end(const LaunchData& data)
    {
        useForMemory(data.context, data.streamHandle);
        const SanitizerStatus status = m_api.waitForStream(data.streamHandle);
        const trace::Launch launch = m_current->end(*m_log, status != 0);
        if (status != 0) {
            m_stopped = Error{Error::Code::BadInput, "the GPU stopped the kernel", launch.kernel};
            if (const std::optional<StrayAccess> stray = m_current->stray())
                m_writer->putFinding(0, findingOf(*stray, launch));
            say(m_stopped->text());
        }
        m_writer->endLaunch(launch);
        m_current.reset();
        ++m_launches;
    }

    static trace::Finding findingOf(const StrayAccess& stray, const trace::Launch& launch)
    {
        trace::Finding finding;
        finding.kind = FindingKind::OutOfBounds;
        finding.severity = Severity::Error;
        finding.kernel = launch.kernel;
        finding.launch = launch.id;
        finding.message = fmt::format("{} global memory at {:#x}, which the program has not allocated",
                                      stray.writes ? "write to" : "read from", stray.address);
        trace::FindingAccess access;
        access.where = stray.where;
        access.access = stray.writes ? "write" : "read";
        access.block = positionOf(stray.block, launch.grid);
        access.thread = positionOf(stray.thread, launch.block);
        access.epoch = stray.epoch;
        access.step = stray.step;
        finding.accesses.push_back(access);
        return finding;
    }

    trace::TraceWriter* writer()
    {
        if (m_writer || m_traceError)
            return m_writer.get();
        trace::SessionInfo session;
        session.program = m_options.program;
        session.commandLine = m_options.commandLine;
        session.device = m_device.name();
        session.properties = m_properties;
        session.mode = "as-compiled";
        session.producer = "lanescope 0.1";
        session.variablesRecorded = false;
        Result<std::unique_ptr<trace::TraceWriter>> made =
            trace::TraceWriter::create(m_options.trace, session, {m_options.maxBytes, false});
        if (made)
            m_writer = std::move(made).value();
        else
            m_traceError = made.error();
        return m_writer.get();
    }

    /// Each once.
    void say(const std::string& message)
    {
        const std::lock_guard lock(m_noting);
        if (std::ranges::find(m_said, message) != m_said.end())
            return;
        m_said.push_back(message);
        fmt::print(stderr, "lanescope: {}\n", message);
    }
    /// Nothing is recorded from now on.
    void giveUp(const Error& error)
    {
        if (!m_traceError)
            m_traceError = error;
        m_context = nullptr;
        say(error.text());
    }

    AttachOptions m_options;
    const SanitizerApi& m_api;
    std::string m_toolkit;
    CodeMap m_code;
    MemoryMap m_memory;
    std::mutex m_patching;
    std::mutex m_noting;
    std::map<std::string, uint32_t> m_allocations;  ///< by call; with m_noting
    std::atomic<Context> m_context = nullptr;
    DeviceQuestions m_device;
    trace::DeviceProperties m_properties;
    uint32_t m_residentWarps = 0;
    uint64_t m_reservedShared = 0;  ///< bytes of each block's shared memory that the system has
    std::timed_mutex m_launching;   ///< from a launch's begin to its end
    std::unique_ptr<trace::TraceWriter> m_writer;
    std::unique_ptr<cuda::LogMemory> m_log;
    cuda::DevicePointer m_controlAddress = 0;
    std::unique_ptr<LaunchRecording> m_current;
    uint32_t m_launchesSeen = 0;
    uint32_t m_launches = 0;  ///< recorded
    std::optional<Error> m_stopped;
    std::optional<Error> m_traceError;
    std::vector<std::string> m_said;  ///< with m_noting
    std::atomic<bool> m_finished = false;
};

}  // namespace

Result<std::unique_ptr<Session>> Session::start(const AttachOptions& options)
{
    const Result<std::string> toolkit = findToolkit();
    if (!toolkit)
        return toolkit.error();
    const Result<const SanitizerApi*> api = SanitizerApi::load(toolkit.value());
    if (!api)
        return api.error();
    auto session = std::make_unique<AttachedSession>(options, *api.value(), toolkit.value());
    if (Result<void> subscribed = session->subscribe(); !subscribed)
        return subscribed.error();
    return std::unique_ptr<Session>(std::move(session));
}

}  // namespace lanescope::attach
