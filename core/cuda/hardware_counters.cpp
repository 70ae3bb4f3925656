// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/cuda/hardware_counters.h"

#include <cmath>

#include "core/cuda/address_counters.h"
#include "core/cuda/kernel_time.h"

namespace lanescope::cuda {

namespace {

struct Counter {
    const char* metric;
    const char* name;  ///< in traces and reports
};

/// The time comes first: measureWithoutProfiler() puts a better one in its place.
constexpr Counter kCounters[] = {
    {"gpu__time_duration.sum", "kernel time"},
    {"smsp__inst_executed.sum", "warp instructions"},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "global load requests"},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "global load sectors"},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "global store requests"},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "global store sectors"},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "shared load wavefronts"},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "shared store wavefronts"},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", "shared load conflicts"},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", "shared store conflicts"},
};

constexpr const char* kFailed = "hardware counters cannot be had";

}  // namespace

Result<std::unique_ptr<HardwareCounters>> HardwareCounters::create(Context context)
{
    const Result<const Cupti*> cupti = Cupti::find();
    if (!cupti)
        return cupti.error();
    std::unique_ptr<HardwareCounters> counters(new HardwareCounters(*cupti.value(), context));
    if (Result<void> started = counters->start(); !started)
        return started.error();
    return counters;
}

HardwareCounters::~HardwareCounters()
{
    ProfilerCall disable{.profiler = m_profiler};
    if (m_profiler)
        m_cupti.disable(&disable);
    HostDeinitialize end{.host = m_host};
    if (m_host)
        m_cupti.hostDeinitialize(&end);
}

Result<void> HardwareCounters::start()
{
    for (const Counter& counter : kCounters)
        m_metrics.push_back(counter.metric);
    if (Result<void> made = makeConfig(); !made)
        return made;
    return enable();
}

Result<void> HardwareCounters::makeConfig()
{
    ProfilerInitialize initialize;
    ChipName chip;
    CounterAvailability availability{.context = m_context};
    CuptiStatus status = m_cupti.initialize(&initialize);
    if (status == 0)
        status = m_cupti.chipName(&chip);
    if (status == 0)
        status = m_cupti.counterAvailability(&availability);
    std::vector<uint8_t> image(availability.imageBytes);
    availability.image = image.data();
    if (status == 0)
        status = m_cupti.counterAvailability(&availability);
    HostInitialize host{.chip = chip.name, .availability = image.data()};
    if (status == 0)
        status = m_cupti.hostInitialize(&host);
    m_host = host.host;
    AddMetrics metrics{.host = m_host, .names = m_metrics.data(), .count = m_metrics.size()};
    if (status == 0)
        status = m_cupti.addMetrics(&metrics);
    ConfigBytes bytes{.host = m_host};
    if (status == 0)
        status = m_cupti.configBytes(&bytes);
    m_config.resize(bytes.bytes);
    ConfigImage config{.host = m_host, .bytes = m_config.size(), .image = m_config.data()};
    if (status == 0)
        status = m_cupti.configImage(&config);
    return status == 0 ? Result<void>() : m_cupti.error(status, kFailed);
}

Result<void> HardwareCounters::enable()
{
    ProfilerEnable enable{.context = m_context};
    const CuptiStatus status = m_cupti.enable(&enable);
    m_profiler = enable.profiler;
    return status == 0 ? Result<void>() : m_cupti.error(status, kFailed);
}

Result<void> HardwareCounters::runPasses(const Step& prepare, const Step& run)
{
    CounterBytes bytes{.profiler = m_profiler, .names = m_metrics.data(), .count = m_metrics.size()};
    CuptiStatus status = m_cupti.counterBytes(&bytes);
    m_counters.assign(bytes.bytes, 0);
    CounterImage image{.profiler = m_profiler, .bytes = m_counters.size(), .image = m_counters.data()};
    if (status == 0)
        status = m_cupti.counterImage(&image);
    SetConfig config{.profiler = m_profiler,
                     .configBytes = m_config.size(),
                     .config = m_config.data(),
                     .counterBytes = m_counters.size(),
                     .counters = m_counters.data()};
    if (status == 0)
        status = m_cupti.setConfig(&config);
    ProfilerStop stop{.profiler = m_profiler};
    ProfilerCall call{.profiler = m_profiler};
    while (status == 0 && !stop.allPassesMade) {
        if (Result<void> ready = prepare(); !ready)
            return ready;
        if (status = m_cupti.start(&call); status != 0)
            break;
        const Result<void> ran = run();
        status = m_cupti.stop(&stop);
        if (!ran)
            return ran;
    }
    Decode decode{.profiler = m_profiler};
    if (status == 0)
        status = m_cupti.decode(&decode);
    return status == 0 ? Result<void>() : m_cupti.error(status, kFailed);
}

Result<void> HardwareCounters::measureWithoutProfiler(LaunchId launch, const Step& prepare, const Step& run,
                                                      std::vector<trace::Measurement>& measurements)
{
    ProfilerCall disable{.profiler = m_profiler};
    if (const CuptiStatus status = m_cupti.disable(&disable))
        return m_cupti.error(status, kFailed);
    m_profiler = nullptr;
    if (Result<void> ready = prepare(); !ready)
        return ready;
    if (const Result<uint64_t> time = timeKernels(m_cupti, run); time.ok())
        measurements.front().value = time.value();
    else  // that of the profiler is there, as are the counters
        m_missing = time.error().text();
    if (m_addressesCounted)
        m_missing = "wavefronts of addresses are counted for one launch only, the first recorded; --launch chooses it";
    else if (Result<void> ready = prepare(); !ready)
        return ready;
    else if (const auto counted = countAddresses(m_cupti, m_context, launch, run); counted.ok())
        measurements.insert(measurements.end(), counted.value().begin(), counted.value().end());
    else
        m_missing = counted.error().text();
    m_addressesCounted = true;
    return enable();
}

Result<std::vector<trace::Measurement>> HardwareCounters::measure(LaunchId launch, const Step& prepare, const Step& run)
{
    if (Result<void> ran = runPasses(prepare, run); !ran)
        return ran.error();
    std::vector<double> values(m_metrics.size());
    Evaluate evaluate{.host = m_host,
                      .counters = m_counters.data(),
                      .counterBytes = m_counters.size(),
                      .names = m_metrics.data(),
                      .count = m_metrics.size(),
                      .values = values.data()};
    if (const CuptiStatus status = m_cupti.evaluate(&evaluate))
        return m_cupti.error(status, kFailed);
    std::vector<trace::Measurement> measurements;
    for (size_t i = 0; i < values.size(); ++i)
        measurements.push_back({launch, kCounters[i].name, static_cast<uint64_t>(std::llround(values[i]))});
    if (Result<void> measured = measureWithoutProfiler(launch, prepare, run, measurements); !measured)
        return measured.error();
    return measurements;
}

}  // namespace lanescope::cuda
