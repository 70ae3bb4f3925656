// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory of the rings: pages where the host sees them even after the GPU has failed, counters on the device.
#pragma once

#include <memory>
#include <vector>

#include "core/cuda/driver.h"
#include "core/cuda/log_rings.h"

namespace lanescope::cuda {

class LogMemory {
public:
    static Result<std::unique_ptr<LogMemory>> create(const Driver& driver, uint32_t rings, const RingShape& shape);
    ~LogMemory();
    LogMemory(const LogMemory&) = delete;
    LogMemory& operator=(const LogMemory&) = delete;

    /// All rings empty, from position 0.
    Result<void> reset();
    /// Fills in the rings' part of \p control.
    void describe(LogControl& control) const;
    [[nodiscard]] std::vector<RingView> views() const;
    /// How far each ring is written; empty when the device does not answer any more.
    [[nodiscard]] std::vector<uint64_t> heads() const;
    [[nodiscard]] const RingShape& shape() const { return m_shape; }

private:
    LogMemory(const Driver& driver, uint32_t rings, const RingShape& shape)
        : m_driver(driver), m_rings(rings), m_shape(shape)
    {
    }
    Result<void> allocate();
    [[nodiscard]] uint64_t pageBytes() const { return uint64_t{m_shape.pageUnits} * kUnitBytes; }

    const Driver& m_driver;
    uint32_t m_rings;
    RingShape m_shape;
    DevicePointer m_device = 0;   ///< RingDevice[rings], then uint32_t[rings][pageCount], then the grid's barrier
    std::byte* m_host = nullptr;  ///< RingHost[rings], uint64_t[rings][pageCount], then the pages
    uint64_t m_deviceBytes = 0;
    uint64_t m_hostHeaderBytes = 0;
};

}  // namespace lanescope::cuda
