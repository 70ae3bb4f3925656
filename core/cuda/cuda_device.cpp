// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/cuda/cuda_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "core/cuda/block_logs.h"
#include "core/cuda/device_code.h"
#include "core/cuda/device_mirror.h"
#include "core/cuda/images.h"
#include "core/cuda/log_memory.h"
#include "core/cuda/site_counters.h"

namespace lanescope::cuda {

using simt::DeviceLaunch;
using simt::DeviceOutcome;

namespace {

constexpr int kMaxDynamicShared = 8;  // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
/// CU_STREAM_DEFAULT: kernels start after the copies before them, which the driver makes in its default stream.
constexpr unsigned kAfterCopies = 0;
constexpr uint64_t kRegistersPerBlock = 65536;
constexpr uint64_t kMaxRegisters = 255;
/// Rings: enough that blocks which run at the same time seldom share one; together with the pages, 64 MiB of memory.
constexpr uint32_t kRings = 64;
constexpr RingShape kShape{4096, 16};
constexpr uint64_t kMaxBlocks = uint64_t{1} << 32;

void selectBlocks(const DeviceLaunch& launch, LogControl& control)
{
    const simt::BlockBox& box = launch.recorded;
    const Dim3 last{std::min(box.last.x, launch.grid.x), std::min(box.last.y, launch.grid.y),
                    std::min(box.last.z, launch.grid.z)};
    const uint32_t bounds[2][3] = {{box.first.x, box.first.y, box.first.z}, {last.x, last.y, last.z}};
    std::copy_n(bounds[0], 3, control.firstBlock);
    std::copy_n(bounds[1], 3, control.lastBlock);
    control.enabled = launch.writer && box.first.x < last.x && box.first.y < last.y && box.first.z < last.z;
}

class Device final : public CudaDevice {
public:
    Device(const Driver& driver, std::string ptx, Keep keep, std::string name)
        : m_driver(driver), m_ptx(std::move(ptx)), m_keep(keep), m_name(std::move(name)), m_mirror(driver),
          m_counters(driver)
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

    Result<DeviceOutcome> run(const DeviceLaunch& launch, simt::DeviceMemory& memory) override
    {
        if (launch.grid.count() > kMaxBlocks)
            return Error{Error::Code::Unsupported,
                         fmt::format("a grid of {} blocks, expected at most {}", launch.grid.count(), kMaxBlocks),
                         launch.kernel};
        m_driver.setContext(m_context);
        Result<DeviceCode*> code = codeFor(launch);
        if (!code)
            return code.error();
        Result<Function> kernel = code.value()->kernel(launch.kernel);
        if (!kernel)
            return kernel.error();
        if (Result<void> ready = prepare(launch, memory, *code.value(), kernel.value()); !ready)
            return ready.error();
        return execute(launch, memory, kernel.value());
    }

private:
    /// The code with as many registers as a block of this size leaves to a thread.
    Result<DeviceCode*> codeFor(const DeviceLaunch& launch)
    {
        const uint64_t threads = (launch.block.count() + kWarpSize - 1) / kWarpSize * kWarpSize;
        const auto registers = static_cast<int>(std::min(kMaxRegisters, kRegistersPerBlock / threads / 8 * 8));
        std::unique_ptr<DeviceCode>& code = m_code[registers];
        if (code)
            return code.get();
        Result<std::unique_ptr<DeviceCode>> loaded = DeviceCode::load(m_driver, m_ptx, registers);
        if (!loaded)
            return loaded.error();
        if (Result<void> same = loaded.value()->checkTotal(launch.codeTotal); !same)
            return same.error();
        code = std::move(loaded).value();
        return code.get();
    }

    Result<void> prepare(const DeviceLaunch& launch, const simt::DeviceMemory& memory, DeviceCode& code,
                         Function kernel)
    {
        if (!m_log) {
            Result<std::unique_ptr<LogMemory>> made = LogMemory::create(m_driver, kRings, kShape);
            if (!made)
                return made.error();
            m_log = std::move(made).value();
        }
        m_control = {};
        m_log->describe(m_control);
        selectBlocks(launch, m_control);
        for (const Result<void>& step :
             {m_log->reset(), m_mirror.upload(memory), code.setVariables(launch.globals), code.setControl(m_control)})
            if (!step)
                return step.error();
        if (m_keep == Keep::Counts)
            if (Result<void> ready = m_counters.prepare(code); !ready)
                return ready;
        if (launch.dynamicSharedBytes > 0)
            if (const DriverStatus status = m_driver.setFunctionAttribute(kernel, kMaxDynamicShared,
                                                                          static_cast<int>(launch.dynamicSharedBytes)))
                return m_driver.error(status, "so much dynamic shared memory cannot be had");
        return {};
    }

    DriverStatus start(const DeviceLaunch& launch, Function kernel)
    {
        std::vector<void*> arguments;
        for (std::span<const std::byte> argument : launch.arguments)
            arguments.push_back(const_cast<std::byte*>(argument.data()));
        const Dim3 grid = launch.grid, block = launch.block;
        const auto shared = static_cast<unsigned>(launch.dynamicSharedBytes);
        m_driver.recordEvent(m_events[0], m_stream);
        const DriverStatus status = launch.cooperative
                                        ? m_driver.launchCooperative(kernel, grid.x, grid.y, grid.z, block.x, block.y,
                                                                     block.z, shared, m_stream, arguments.data())
                                        : m_driver.launch(kernel, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                                          shared, m_stream, arguments.data(), nullptr);
        m_driver.recordEvent(m_events[1], m_stream);
        return status;
    }

    Result<DeviceOutcome> execute(const DeviceLaunch& launch, simt::DeviceMemory& memory, Function kernel)
    {
        const LaunchTables tables(launch, memory);
        std::vector<BlockLogs> logs(kRings, BlockLogs(tables));
        LogDrain drain(m_log->views(), m_log->shape(), std::max(1u, std::thread::hardware_concurrency() - 1),
                       [&](size_t ring, const RecordHeader& record) { logs[ring].take(record); });
        if (const DriverStatus status = start(launch, kernel)) {
            drain.finish(std::vector<uint64_t>(kRings, 0));
            return m_driver.error(status, "the kernel cannot be launched");
        }
        const DriverStatus status = m_driver.waitForStream(m_stream);
        drain.finish(status == 0 ? m_log->heads() : std::vector<uint64_t>());
        DeviceOutcome outcome;
        for (BlockLogs& log : logs) {
            log.finish();
            outcome.blocksRecorded += log.blocksRecorded();
            outcome.warpEvents += log.events();
            outcome.eventsDropped += log.eventsDropped();
        }
        outcome.blocksDropped = launch.grid.count() - std::min(launch.grid.count(), outcome.blocksRecorded);
        float milliseconds = 0;
        if (status != 0) {
            outcome.stopped =
                Error{Error::Code::BadInput, "the GPU stopped the kernel: " + m_driver.text(status), launch.kernel};
            return outcome;
        }
        m_driver.elapsed(&milliseconds, m_events[0], m_events[1]);
        outcome.seconds = milliseconds / 1e3;
        if (m_keep == Keep::Counts) {
            Result<std::vector<trace::SiteCounts>> counts = m_counters.read(tables, memory);
            if (!counts)
                return counts.error();
            outcome.counts = std::move(counts).value();
        }
        if (Result<void> back = m_mirror.download(memory, launch.mayBeWritten); !back)
            return back.error();
        return outcome;
    }

    const Driver& m_driver;
    std::string m_ptx;
    Keep m_keep;
    std::string m_name;
    Context m_context = nullptr;
    Stream m_stream = nullptr;
    std::array<Event, 2> m_events{};
    std::map<int, std::unique_ptr<DeviceCode>> m_code;  ///< by registers of a thread
    DeviceMirror m_mirror;
    std::unique_ptr<LogMemory> m_log;
    SiteCounters m_counters;
    LogControl m_control{};
};

}  // namespace

Result<std::unique_ptr<CudaDevice>> CudaDevice::create(const std::string& images, Keep keep)
{
    const Result<const Driver*> driver = Driver::find();
    if (!driver)
        return driver.error();
    std::array<char, 256> name{};
    driver.value()->deviceName(name.data(), static_cast<int>(name.size()) - 1, 0);
    const Purpose purpose = keep == Keep::Counts ? Purpose::Count : Purpose::Record;
    auto device = std::make_unique<Device>(*driver.value(), ptxFor(purpose, images), keep, name.data());
    if (Result<void> started = device->start(); !started)
        return started.error();
    return std::unique_ptr<CudaDevice>(std::move(device));
}

}  // namespace lanescope::cuda
