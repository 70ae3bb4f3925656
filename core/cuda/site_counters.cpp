// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/cuda/site_counters.h"

#include <algorithm>

namespace lanescope::cuda {

using trace::SiteCounts;
using trace::Space;

namespace {

void add(SiteCounter& sum, const SiteCounter& part)
{
    sum.requests += part.requests;
    sum.lanes += part.lanes;
    sum.cost += part.cost;
    sum.ideal += part.ideal;
    sum.notLowest = std::max(sum.notLowest, part.notLowest);
    sum.end = std::max(sum.end, part.end);
    for (uint32_t i = 0; i < kDegrees; ++i)
        sum.degrees[i] += part.degrees[i];
}

/// Which buffer the lowest address lies in, and how far the footprint goes from there.
void placeFootprint(SiteCounts& counts, const SiteCounter& sum, const LaunchTables& tables,
                    const device::DeviceMemory& memory)
{
    const uint64_t lowest = ~sum.notLowest;
    if (!device::DeviceMemory::isDeviceAddress(lowest))
        return;
    counts.buffer = tables.bufferAt(lowest);
    counts.firstByte = static_cast<uint32_t>(lowest);
    counts.endByte = counts.firstByte + (sum.end - lowest);
    // The host allocates constant memory with all other; only its address tells.
    if (const auto allocation = memory.find(lowest); allocation && allocation->constant)
        counts.space = Space::Constant;
}

SiteCounts countsOf(const CountEntry& entry, const SiteCounter& sum, const LaunchTables& tables,
                    const device::DeviceMemory& memory)
{
    SiteCounts counts;
    counts.launch = tables.launch().id;
    counts.site = tables.siteOf(entry.place);
    counts.bytes = entry.bytes;
    counts.requests = sum.requests;
    counts.laneAccesses = sum.lanes;
    const auto space = static_cast<CountSpace>(entry.space);
    if (space == CountSpace::Global) {
        counts.space = Space::Global;
        placeFootprint(counts, sum, tables, memory);
        if (counts.space == Space::Global) {
            counts.sectors = sum.cost;
            counts.idealSectors = sum.ideal;
        }
    } else if (space == CountSpace::Shared) {
        counts.space = Space::Shared;
        counts.wavefronts = sum.cost;
        counts.idealWavefronts = sum.ideal;
        counts.degrees.assign(sum.degrees, sum.degrees + kDegrees);
        uint64_t others = 0;
        for (const uint64_t requests : counts.degrees)
            others += requests;
        counts.degrees[0] = sum.requests - others;
    } else {
        const Space stated = tables.spaceOf(counts.site);
        counts.space = stated == Space::Constant ? Space::Constant : Space::Local;
        counts.divergent = sum.cost;
    }
    return counts;
}

}  // namespace

std::vector<SiteCounts> countsOf(std::span<const CountEntry> entries, std::span<const SiteCounter> counters,
                                 const LaunchTables& tables, const device::DeviceMemory& memory)
{
    std::vector<SiteCounts> result;
    for (size_t entry = 0; entry < entries.size(); ++entry) {
        if (tables.siteOf(entries[entry].place) == kNoSite)
            continue;  // of another kernel
        SiteCounter sum{};
        for (size_t at = entry; at < counters.size(); at += entries.size())
            add(sum, counters[at]);
        if (sum.requests != 0)
            result.push_back(countsOf(entries[entry], sum, tables, memory));
    }
    std::stable_sort(result.begin(), result.end(), [](const SiteCounts& a, const SiteCounts& b) {
        return std::pair(a.site, a.space) < std::pair(b.site, b.space);
    });
    return result;
}

SiteCounters::~SiteCounters()
{
    if (m_memory)
        m_driver.free(m_memory);
}

Result<void> SiteCounters::prepare(DeviceCode& code)
{
    if (m_entries.empty()) {
        Result<std::vector<CountEntry>> entries = code.countEntries();
        if (!entries)
            return entries.error();
        m_entries = std::move(entries).value();
        int processors = 0;
        m_driver.deviceAttribute(&processors, kMultiprocessors, 0);
        m_parts = static_cast<uint32_t>(std::max(processors, 1));
        m_bytes = m_parts * m_entries.size() * sizeof(SiteCounter);
        if (m_bytes != 0)
            if (const DriverStatus status = m_driver.allocate(&m_memory, m_bytes))
                return m_driver.error(status, "the GPU has no memory for the counts");
    }
    if (m_bytes != 0)
        if (const DriverStatus status = m_driver.fill(m_memory, 0, m_bytes))
            return m_driver.error(status, "the counts cannot be cleared");
    return code.setCounters({m_memory, m_parts, static_cast<uint32_t>(m_entries.size())});
}

Result<std::vector<SiteCounts>> SiteCounters::read(const LaunchTables& tables, const device::DeviceMemory& memory) const
{
    std::vector<SiteCounter> counters(m_bytes / sizeof(SiteCounter));
    if (m_bytes != 0)
        if (const DriverStatus status = m_driver.copyToHost(counters.data(), m_memory, m_bytes))
            return m_driver.error(status, "the counts cannot be read");
    return countsOf(m_entries, counters, tables, memory);
}

}  // namespace lanescope::cuda
