// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/cuda/cuda_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <future>
#include <map>
#include <thread>

#include "core/cuda/device_code.h"
#include "core/cuda/device_mirror.h"
#include "core/cuda/hardware_counters.h"
#include "core/cuda/images.h"
#include "core/cuda/log_memory.h"
#include "core/cuda/race_shadow.h"
#include "core/cuda/site_counters.h"
#include "core/cuda/trace_blocks.h"
#include "core/device/tensor_map.h"

namespace lanescope::cuda {

using device::DeviceLaunch;
using device::DeviceOutcome;

namespace {

constexpr int kAllowLargeClusters = 14;  // CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED
constexpr uint64_t kPortableCluster = 8;
constexpr int kMaxDynamicShared = 8;  // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
/// CU_STREAM_DEFAULT: kernels start after the copies before them, which the driver makes in its default stream.
constexpr unsigned kAfterCopies = 0;
constexpr uint64_t kRegistersPerBlock = 65536;
constexpr uint64_t kMaxRegisters = 255;
constexpr int kThreadsOfMultiprocessor = 39;    // CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR
constexpr std::chrono::milliseconds kPause{5};  ///< between looks at whether a kernel is to be given up
constexpr uint64_t kMaxBlocks = uint64_t{1} << 32;

Dim3 endOfRecorded(const DeviceLaunch& launch)
{
    const Dim3& last = launch.recorded.last;
    return {std::min(last.x, launch.grid.x), std::min(last.y, launch.grid.y), std::min(last.z, launch.grid.z)};
}

/// At least one block is.
bool isRecorded(const DeviceLaunch& launch)
{
    const Dim3& first = launch.recorded.first;
    const Dim3 last = endOfRecorded(launch);
    return launch.writer && first.x < last.x && first.y < last.y && first.z < last.z;
}

/// What the copies of instrumented code cannot do of a tensor map among the arguments; empty: nothing.
std::string problemOfMaps(const DeviceLaunch& launch)
{
    constexpr size_t kAlignment = 64;
    for (const std::span<const std::byte> argument : launch.arguments)
        for (size_t at = 0; at + device::TensorMap::kBytes <= argument.size(); at += kAlignment)
            if (const std::optional<device::TensorMap> map = device::readTensorMap(argument.subspan(at)))
                if (const char* problem = device::notOnDevice(*map))
                    return fmt::format("a tensor map {} is not supported on a GPU", problem);
    return {};
}

Purpose purposeOf(const CudaOptions& options)
{
    return !options.count ? Purpose::Record : options.races ? Purpose::Races : Purpose::Count;
}

class Device final : public CudaDevice {
public:
    Device(const Driver& driver, const std::string& images, const CudaOptions& options, std::string name)
        : m_driver(driver), m_ptx(ptxFor(purposeOf(options), images)),
          m_plainPtx(options.hardware ? ptxFor(Purpose::Measure, images) : ""), m_options(options),
          m_name(std::move(name)), m_mirror(driver), m_counters(driver), m_races(driver)
    {
    }

    Result<void> start()
    {
        int device = 0;
        Context context = nullptr;
        DriverStatus status = m_driver.device(&device, 0);
        if (status == 0)
            status = m_driver.retainContext(&context, device);
        if (status == 0)
            status = m_driver.setContext(context);
        if (status == 0)
            status = m_driver.createStream(&m_stream, kAfterCopies);
        for (Event& event : m_events)
            if (status == 0)
                status = m_driver.createEvent(&event, 0);
        m_context = context;
        return status == 0 ? Result<void>() : m_driver.error(status, "the GPU cannot be used");
    }

    [[nodiscard]] std::string name() const override { return m_name; }

    [[nodiscard]] trace::DeviceProperties properties() const override
    {
        const auto attribute = [&](int which) {
            int value = 0;
            return m_driver.deviceAttribute(&value, which, 0) == 0 && value > 0 ? static_cast<uint32_t>(value) : 0U;
        };
        return {attribute(kMajorCapability) * 10 + attribute(kMinorCapability), attribute(kMultiprocessors),
                attribute(kClockRate), attribute(kMemoryClockRate), attribute(kMemoryBusWidth)};
    }

    Result<DeviceOutcome> run(const DeviceLaunch& launch, device::DeviceMemory& memory) override
    {
        if (launch.grid.count() > kMaxBlocks)
            return Error{Error::Code::Unsupported,
                         fmt::format("a grid of {} blocks, expected at most {}", launch.grid.count(), kMaxBlocks),
                         launch.kernel};
        if (const std::string problem = problemOfMaps(launch); !problem.empty())
            return Error{Error::Code::Unsupported, problem, launch.kernel};
        m_driver.setContext(m_context);
        std::string note;
        std::vector<trace::Measurement> measured;
        if (m_options.hardware && isRecorded(launch))
            measured = measure(launch, memory, note);
        Result<DeviceCode*> code = codeFor(launch, m_ptx, m_code);
        if (!code)
            return code.error();
        Result<Function> kernel = code.value()->kernel(launch.kernel);
        if (!kernel)
            return kernel.error();
        if (Result<void> ready = prepare(launch, memory, *code.value(), kernel.value()); !ready)
            return ready.error();
        if (m_options.count)
            if (Result<void> ready = m_counters.prepare(*code.value()); !ready)
                return ready.error();
        if (m_options.races)
            if (Result<void> ready = m_races.prepare(launch, memory, *code.value(), kernel.value(), note); !ready)
                return ready.error();
        Result<DeviceOutcome> outcome = execute(launch, memory, kernel.value());
        if (outcome) {
            outcome.value().measurements = std::move(measured);
            if (!note.empty() && !outcome.value().note.empty())
                note += "; ";
            outcome.value().note = note + outcome.value().note;
        }
        return outcome;
    }

private:
    using CodeByRegisters = std::map<int, std::unique_ptr<DeviceCode>>;

    /// The code with as many registers as a block of this size leaves to a thread.
    Result<DeviceCode*> codeFor(const DeviceLaunch& launch, const std::string& ptx, CodeByRegisters& loadedCode)
    {
        const uint64_t threads = (launch.block.count() + kWarpSize - 1) / kWarpSize * kWarpSize;
        const auto registers = static_cast<int>(std::min(kMaxRegisters, kRegistersPerBlock / threads / 8 * 8));
        std::unique_ptr<DeviceCode>& code = loadedCode[registers];
        if (code)
            return code.get();
        Result<std::unique_ptr<DeviceCode>> loaded = DeviceCode::load(m_driver, ptx, registers);
        if (!loaded)
            return loaded.error();
        if (Result<void> same = loaded.value()->checkTotal(launch.codeTotal); !same)
            return same.error();
        code = std::move(loaded).value();
        return code.get();
    }

    /// What hardware counts; nothing, and why in \p note, when it cannot be had. That is said once.
    std::vector<trace::Measurement> measure(const DeviceLaunch& launch, const device::DeviceMemory& memory,
                                            std::string& note)
    {
        const bool known = m_hardware && !m_hardware->missing().empty();
        Result<std::vector<trace::Measurement>> measured = tryToMeasure(launch, memory);
        if (measured) {
            if (!known)
                note = m_hardware->missing();
            return std::move(measured).value();
        }
        m_options.hardware = false;
        note = measured.error().text() + "; going on without";
        return {};
    }

    Result<std::vector<trace::Measurement>> tryToMeasure(const DeviceLaunch& launch, const device::DeviceMemory& memory)
    {
        if (!m_hardware) {
            Result<std::unique_ptr<HardwareCounters>> made = HardwareCounters::create(m_context);
            if (!made)
                return made.error();
            m_hardware = std::move(made).value();
        }
        Result<DeviceCode*> code = codeFor(launch, m_plainPtx, m_plainCode);
        if (!code)
            return code.error();
        Result<Function> kernel = code.value()->kernel(launch.kernel);
        if (!kernel)
            return kernel.error();
        return m_hardware->measure(
            launch.id, [&] { return prepare(launch, memory, *code.value(), kernel.value()); },
            [&]() -> Result<void> {
                DriverStatus status = start(launch, kernel.value());
                if (status == 0)
                    status = m_driver.waitForStream(m_stream);
                return status == 0 ? Result<void>() : m_driver.error(status, "the kernel without instrumentation");
            });
    }

    Result<void> prepare(const DeviceLaunch& launch, const device::DeviceMemory& memory, DeviceCode& code,
                         Function kernel)
    {
        if (!m_log) {
            Result<std::unique_ptr<LogMemory>> made = LogMemory::create(m_driver, logShape());
            if (!made)
                return made.error();
            m_log = std::move(made).value();
        }
        m_control = {};
        uint64_t warps =
            selectBlocks(m_control, launch.grid, launch.block, launch.recorded.first, launch.recorded.last);
        if (!launch.writer)
            m_control.enabled = warps = 0;
        if (Result<void> ready = m_log->reset(warps); !ready)
            return ready.error();
        m_log->describe(m_control);
        for (const Result<void>& step :
             {m_mirror.upload(memory), code.setVariables(launch.globals), code.setControl(m_control)})
            if (!step)
                return step.error();
        if (launch.dynamicSharedBytes > 0)
            if (const DriverStatus status = m_driver.setFunctionAttribute(kernel, kMaxDynamicShared,
                                                                          static_cast<int>(launch.dynamicSharedBytes)))
                return m_driver.error(status, "so much dynamic shared memory cannot be had");
        if (launch.cluster.count() > kPortableCluster)
            if (const DriverStatus status = m_driver.setFunctionAttribute(kernel, kAllowLargeClusters, 1))
                return m_driver.error(status, "so large clusters cannot be had");
        return {};
    }

    [[nodiscard]] LogShape logShape() const
    {
        if (m_options.count)
            return {LogShape().pageUnits, 1, 1};
        int processors = 0, threads = 0;
        m_driver.deviceAttribute(&processors, kMultiprocessors, 0);
        m_driver.deviceAttribute(&threads, kThreadsOfMultiprocessor, 0);
        return logShapeFor(static_cast<uint32_t>(processors * threads / kWarpSize));
    }

    DriverStatus start(const DeviceLaunch& launch, Function kernel)
    {
        std::vector<void*> arguments;
        for (std::span<const std::byte> argument : launch.arguments)
            arguments.push_back(const_cast<std::byte*>(argument.data()));
        const Dim3 grid = launch.grid, block = launch.block, cluster = launch.cluster;
        std::array<LaunchAttribute, 2> attributes;
        unsigned count = 0;
        if (launch.cooperative) {
            attributes[count].id = kLaunchCooperative;
            attributes[count++].value.isCooperative = 1;
        }
        if (cluster.count() > 1) {
            attributes[count].id = kLaunchCluster;
            std::ranges::copy(std::array{cluster.x, cluster.y, cluster.z}, attributes[count++].value.cluster);
        }
        const LaunchConfiguration configuration{{grid.x, grid.y, grid.z},
                                                {block.x, block.y, block.z},
                                                static_cast<unsigned>(launch.dynamicSharedBytes),
                                                m_stream,
                                                attributes.data(),
                                                count};
        m_driver.recordEvent(m_events[0], m_stream);
        const DriverStatus status = m_driver.launch(&configuration, kernel, arguments.data(), nullptr);
        m_driver.recordEvent(m_events[1], m_stream);
        return status;
    }

    /// Until the kernel has ended. An error: it has not, and will not be waited for any longer.
    Result<DriverStatus> waitForKernel(const DeviceLaunch& launch)
    {
        using Clock = std::chrono::steady_clock;
        const Clock::time_point begin = Clock::now();
        // Only who waits for the stream hears of a fault: asking for an event does not find it. A thread of its own
        // waits, so that it can be left waiting.
        std::promise<DriverStatus> ended;
        std::future<DriverStatus> status = ended.get_future();
        std::thread([this, ended = std::move(ended)]() mutable {
            m_driver.setContext(m_context);
            ended.set_value(m_driver.waitForStream(m_stream));
        }).detach();
        while (status.wait_for(kPause) != std::future_status::ready) {
            const std::chrono::duration<double> passed = Clock::now() - begin;
            if (m_options.interrupted())
                return Error{Error::Code::Limit, "interrupted", launch.kernel};
            if (m_options.maxSeconds > 0 && passed.count() > m_options.maxSeconds)
                return Error{Error::Code::Limit,
                             fmt::format("time-limit: the kernel has run for {} s", m_options.maxSeconds),
                             launch.kernel};
        }
        return status.get();
    }

    Result<DeviceOutcome> execute(const DeviceLaunch& launch, device::DeviceMemory& memory, Function kernel)
    {
        const LaunchTables tables(launch, memory);
        const TraceBlocks blocks(tables);
        const PoolView pool = m_log->view();
        std::vector<BlockLogs> logs(pool.shape.queueCount, BlockLogs(blocks));
        LogDrain drain(pool, std::max(1u, std::thread::hardware_concurrency() - 1),
                       [&](size_t queue, const RecordHeader& record) { logs[queue].take(record); });
        if (const DriverStatus status = start(launch, kernel)) {
            drain.finish({});
            return m_driver.error(status, "the kernel cannot be launched");
        }
        const Result<DriverStatus> status = waitForKernel(launch);
        // While a kernel runs that is not waited for, whatever else is asked of the driver would wait.
        const bool ended = status && status.value() == 0;
        if (ended)
            drain.finish(m_log->openPages());
        else
            drain.salvage();
        m_log->noteUses(drain.uses());
        DeviceOutcome outcome;
        outcome.eventsDropped = drain.tornPages();
        for (BlockLogs& log : logs) {
            log.finish();
            outcome.blocksRecorded += log.blocksRecorded();
            outcome.warpEvents += log.events();
            outcome.eventsDropped += log.eventsDropped();
            std::ranges::copy(log.faults(), std::back_inserter(outcome.faults));
        }
        std::ranges::sort(outcome.faults, {}, [](const device::AccessFault& fault) {
            return std::tuple(fault.block, fault.step, fault.staticSite);
        });
        outcome.blocksDropped = launch.grid.count() - std::min(launch.grid.count(), outcome.blocksRecorded);
        float milliseconds = 0;
        if (!ended) {
            outcome.stopped = status
                                  ? Error{Error::Code::BadInput,
                                          "the GPU stopped the kernel: " + m_driver.text(status.value()), launch.kernel}
                                  : status.error();
            return outcome;
        }
        m_driver.elapsed(&milliseconds, m_events[0], m_events[1]);
        outcome.seconds = milliseconds / 1e3;
        if (m_options.count) {
            Result<std::vector<trace::SiteCounts>> counts = m_counters.read(tables, memory);
            if (!counts)
                return counts.error();
            outcome.counts = std::move(counts).value();
        }
        if (m_options.races) {
            Result<std::vector<std::pair<uint64_t, device::RaceReport>>> races =
                m_races.read(tables, m_counters.entries(), outcome.note);
            if (!races)
                return races.error();
            outcome.races = std::move(races).value();
        }
        if (Result<void> back = m_mirror.download(memory, launch.mayBeWritten); !back)
            return back.error();
        return outcome;
    }

    const Driver& m_driver;
    std::string m_ptx;
    std::string m_plainPtx;  ///< for hardware's counters
    CudaOptions m_options;
    std::string m_name;
    Context m_context = nullptr;
    Stream m_stream = nullptr;
    std::array<Event, 2> m_events{};
    CodeByRegisters m_code;
    CodeByRegisters m_plainCode;
    std::unique_ptr<HardwareCounters> m_hardware;
    DeviceMirror m_mirror;
    std::unique_ptr<LogMemory> m_log;
    SiteCounters m_counters;
    RaceShadow m_races;
    LogControl m_control{};
};

}  // namespace

Result<std::unique_ptr<CudaDevice>> CudaDevice::create(const std::string& images, const CudaOptions& options)
{
    const Result<const Driver*> driver = Driver::find();
    if (!driver)
        return driver.error();
    std::array<char, 256> name{};
    driver.value()->deviceName(name.data(), static_cast<int>(name.size()) - 1, 0);
    auto device = std::make_unique<Device>(*driver.value(), images, options, name.data());
    if (Result<void> started = device->start(); !started)
        return started.error();
    return std::unique_ptr<CudaDevice>(std::move(device));
}

}  // namespace lanescope::cuda
