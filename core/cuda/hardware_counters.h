// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the GPU itself counts while a kernel runs, by CUPTI. Not every counter can be had at once: the
// kernel runs several times, each time from the same memory.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/cuda/cupti.h"
#include "core/trace/model.h"

namespace lanescope::cuda {

class HardwareCounters {
public:
    /// Errors: no CUPTI, no permission, a GPU that it does not know.
    static Result<std::unique_ptr<HardwareCounters>> create(Context context);
    ~HardwareCounters();
    HardwareCounters(const HardwareCounters&) = delete;
    HardwareCounters& operator=(const HardwareCounters&) = delete;

    using Step = std::function<Result<void>()>;
    /// Calls \p prepare (memory as before the launch) and \p run (the kernel, to its end) until every counter is there.
    Result<std::vector<trace::Measurement>> measure(LaunchId launch, const Step& prepare, const Step& run);
    /// Why some counters are not among those that measure() gave; empty: all are.
    [[nodiscard]] const std::string& missing() const { return m_missing; }

private:
    HardwareCounters(const Cupti& cupti, Context context) : m_cupti(cupti), m_context(context) {}
    Result<void> start();
    Result<void> makeConfig();
    Result<void> enable();
    Result<void> runPasses(const Step& prepare, const Step& run);
    Result<void> measureWithoutProfiler(LaunchId launch, const Step& prepare, const Step& run,
                                        std::vector<trace::Measurement>& measurements);

    const Cupti& m_cupti;
    Context m_context;
    std::vector<const char*> m_metrics;
    std::vector<uint8_t> m_config;
    std::vector<uint8_t> m_counters;
    ProfilerHost m_host = nullptr;
    RangeProfiler m_profiler = nullptr;
    bool m_addressesCounted = false;
    std::string m_missing;
};

}  // namespace lanescope::cuda
