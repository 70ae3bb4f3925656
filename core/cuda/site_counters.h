// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sums of a launch that counts: their memory on the device, and what they say by site.
#pragma once

#include <vector>

#include "core/cuda/device_code.h"
#include "core/cuda/device_counts.h"
#include "core/cuda/launch_tables.h"

namespace lanescope::cuda {

/// \p counters: of all multiprocessors, [part][entry]. Sums by site and space, ascending; nothing for what did not run.
std::vector<trace::SiteCounts> countsOf(std::span<const CountEntry> entries, std::span<const SiteCounter> counters,
                                        const LaunchTables& tables, const device::DeviceMemory& memory);

class SiteCounters {
public:
    explicit SiteCounters(const Driver& driver) : m_driver(driver) {}
    ~SiteCounters();
    SiteCounters(const SiteCounters&) = delete;
    SiteCounters& operator=(const SiteCounters&) = delete;

    /// All sums zero, and \p code told where they are.
    Result<void> prepare(DeviceCode& code);
    [[nodiscard]] std::span<const CountEntry> entries() const { return m_entries; }
    [[nodiscard]] Result<std::vector<trace::SiteCounts>> read(const LaunchTables& tables,
                                                              const device::DeviceMemory& memory) const;

private:
    const Driver& m_driver;
    std::vector<CountEntry> m_entries;
    DevicePointer m_memory = 0;
    uint64_t m_bytes = 0;
    uint32_t m_parts = 0;
};

}  // namespace lanescope::cuda
