// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/cuda/address_counters.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>

namespace lanescope::cuda {

namespace {

constexpr const char* kNotCounted = "wavefronts of addresses cannot be counted";

enum Metric : size_t { Wavefronts, Loads, Stores, kMetricCount };
constexpr std::array<const char*, kMetricCount> kMetrics{"smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared",
                                                         "smsp__sass_inst_executed_op_shared_ld",
                                                         "smsp__sass_inst_executed_op_shared_st"};

/// Of the instructions that load from shared memory, or of those that store to it.
struct Sums {
    uint64_t requests = 0;
    uint64_t wavefronts = 0;
};
struct SharedSums {
    Sums loads;
    Sums stores;
};

/// Counting goes on from start() on, until the object is destroyed.
class Counting {
public:
    Counting(const Cupti& cupti, Context context) : m_cupti(cupti), m_context(context) {}
    ~Counting()
    {
        SassDisable disable{.context = m_context};
        if (m_enabled)
            m_cupti.sassDisable(&disable);
        SassUnsetConfig unset;
        if (m_configured)
            m_cupti.sassUnsetConfig(&unset);
    }
    Counting(const Counting&) = delete;
    Counting& operator=(const Counting&) = delete;

    CuptiStatus start()
    {
        ChipName chip;
        if (const CuptiStatus status = m_cupti.chipName(&chip))
            return status;
        std::array<SassMetricConfig, kMetrics.size()> configs;
        for (size_t i = 0; i < kMetrics.size(); ++i) {
            SassMetricProperties properties{.chip = chip.name, .name = kMetrics[i]};
            if (const CuptiStatus status = m_cupti.sassMetric(&properties))
                return status;
            configs[i].metric = properties.metric.id;
            m_index[properties.metric.id] = i;
        }
        SassSetConfig config{.count = configs.size(), .configs = configs.data()};
        if (const CuptiStatus status = m_cupti.sassSetConfig(&config))
            return status;
        m_configured = true;
        SassEnable enable{.context = m_context};
        const CuptiStatus status = m_cupti.sassEnable(&enable);
        m_enabled = status == 0;
        return status;
    }

    CuptiStatus read(SharedSums& sums)
    {
        SassDataProperties size{.context = m_context};
        if (const CuptiStatus status = m_cupti.sassDataProperties(&size))
            return status;
        // A record has the instances of one metric at one instruction.
        std::vector<SassValue> values(size.records * size.instances);
        std::vector<SassRecord> records(size.records);
        for (size_t i = 0; i < records.size(); ++i)
            records[i].values = values.data() + i * size.instances;
        SassFlush flush{
            .context = m_context, .records = size.records, .instances = size.instances, .data = records.data()};
        if (const CuptiStatus status = size.records ? m_cupti.sassFlush(&flush) : 0)
            return status;
        std::map<std::pair<std::string, uint32_t>, std::array<uint64_t, kMetricCount>> instructions;
        for (const SassRecord& record : records)
            for (size_t i = 0; i < size.instances; ++i)
                if (const auto known = m_index.find(record.values[i].metric); known != m_index.end())
                    instructions[{record.function ? record.function : "", record.pcOffset}][known->second] +=
                        record.values[i].value;
        for (const auto& [place, totals] : instructions)
            add(totals, sums);
        return 0;
    }

private:
    static void add(const std::array<uint64_t, kMetricCount>& totals, SharedSums& sums)
    {
        if (totals[Loads] > 0)
            sums.loads = {sums.loads.requests + totals[Loads], sums.loads.wavefronts + totals[Wavefronts]};
        else if (totals[Stores] > 0)
            sums.stores = {sums.stores.requests + totals[Stores], sums.stores.wavefronts + totals[Wavefronts]};
    }

    const Cupti& m_cupti;
    Context m_context;
    std::map<uint64_t, size_t> m_index;
    bool m_configured = false;
    bool m_enabled = false;
};

std::vector<trace::Measurement> describe(LaunchId launch, const SharedSums& sums)
{
    // A request's first wavefront is no conflict.
    const auto conflicts = [](const Sums& of) { return of.wavefronts - std::min(of.wavefronts, of.requests); };
    return {{launch, "shared load wavefronts of addresses", sums.loads.wavefronts},
            {launch, "shared load conflicts of addresses", conflicts(sums.loads)},
            {launch, "shared store wavefronts of addresses", sums.stores.wavefronts},
            {launch, "shared store conflicts of addresses", conflicts(sums.stores)}};
}

}  // namespace

Result<std::vector<trace::Measurement>> countAddresses(const Cupti& cupti, Context context, LaunchId launch,
                                                       const std::function<Result<void>()>& run)
{
    Counting counting(cupti, context);
    if (const CuptiStatus status = counting.start())
        return cupti.error(status, kNotCounted);
    if (Result<void> ran = run(); !ran)
        return ran.error();
    SharedSums sums;
    if (const CuptiStatus status = counting.read(sums))
        return cupti.error(status, kNotCounted);
    return describe(launch, sums);
}

}  // namespace lanescope::cuda
