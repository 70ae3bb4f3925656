// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory of a kernel's log: pages where the host sees them even after the GPU has failed, counters on the device.
#pragma once

#include <memory>
#include <vector>

#include "core/base/ids.h"
#include "core/cuda/driver.h"
#include "core/cuda/log_drain.h"

namespace lanescope::cuda {

/// Pages for twice the warps that can be resident: what some of them hold stops nobody.
[[nodiscard]] LogShape logShapeFor(uint32_t residentWarps);

/// Fills in which blocks of a launch are recorded: those of the half-open box that are in the grid. How many warps
/// those have; 0: none is.
uint64_t selectBlocks(LogControl& control, Dim3 grid, Dim3 block, Dim3 first, Dim3 last);

class LogMemory {
public:
    static Result<std::unique_ptr<LogMemory>> create(const Driver& driver, const LogShape& shape);
    ~LogMemory();
    LogMemory(const LogMemory&) = delete;
    LogMemory& operator=(const LogMemory&) = delete;

    /// Ready for a launch of that many warps that are recorded; earlier ones' records are no longer taken for its own.
    Result<void> reset(uint64_t recordedWarps);
    /// After a launch. \p uses: LogDrain::uses().
    void noteUses(uint64_t uses) { m_firstUse = uses; }
    /// Fills in the memory's part of \p control.
    void describe(LogControl& control) const;
    [[nodiscard]] PoolView view() const;
    /// What each recorded warp has in hand; empty when the device does not answer any more.
    [[nodiscard]] std::vector<OpenPage> openPages() const;

private:
    LogMemory(const Driver& driver, const LogShape& shape) : m_driver(driver), m_shape(shape) {}
    Result<void> allocate();
    [[nodiscard]] uint64_t freedCount() const { return uint64_t{2} * m_shape.pageCount; }
    [[nodiscard]] uint64_t writtenCount() const { return uint64_t{m_shape.queueCount} * m_shape.pageCount; }

    const Driver& m_driver;
    LogShape m_shape;
    DevicePointer m_device = 0;  ///< the grid's barrier, `taken`, `writtenEnd`
    DevicePointer m_openPages = 0;
    uint64_t m_openPageCapacity = 0;
    uint64_t m_warps = 0;  ///< recorded ones of this launch
    uint64_t m_firstUse = 0;
    std::byte* m_host = nullptr;  ///< the pages, `freed`, `written`
};

}  // namespace lanescope::cuda
