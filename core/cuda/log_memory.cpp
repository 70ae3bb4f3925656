// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/cuda/log_memory.h"

#include <algorithm>
#include <cstring>

namespace lanescope::cuda {

namespace {

constexpr unsigned kPortableMapped = 1 | 2;  // CU_MEMHOSTALLOC_PORTABLE, …_DEVICEMAP

/// Words of the device's small memory: the grid's barrier, uses begun, then one for each queue.
enum DeviceWord : uint64_t { kGridBarrier, kTaken, kWrittenEnd };

/// Enough that the threads which empty them have equal parts.
constexpr uint32_t kQueues = 64;
constexpr uint32_t kPageUnits = 512;
/// At least so many pages, 64 MiB: what one block logs seldom has to wait.
constexpr uint32_t kMinPages = 8192;

}  // namespace

LogShape logShapeFor(uint32_t residentWarps)
{
    return {kPageUnits, std::max(2 * residentWarps, kMinPages), kQueues};
}

uint64_t selectBlocks(LogControl& control, Dim3 grid, Dim3 block, Dim3 first, Dim3 last)
{
    const uint32_t bounds[2][3] = {{first.x, first.y, first.z},
                                   {std::min(last.x, grid.x), std::min(last.y, grid.y), std::min(last.z, grid.z)}};
    std::copy_n(bounds[0], 3, control.firstBlock);
    std::copy_n(bounds[1], 3, control.lastBlock);
    control.warpsPerBlock = static_cast<uint32_t>((block.count() + kWarpSize - 1) / kWarpSize);
    uint64_t warps = control.warpsPerBlock;
    for (size_t axis = 0; axis < 3; ++axis)
        warps *= bounds[0][axis] < bounds[1][axis] ? bounds[1][axis] - bounds[0][axis] : 0;
    control.enabled = warps > 0;
    return warps;
}

Result<std::unique_ptr<LogMemory>> LogMemory::create(const Driver& driver, const LogShape& shape)
{
    std::unique_ptr<LogMemory> memory(new LogMemory(driver, shape));
    if (Result<void> allocated = memory->allocate(); !allocated)
        return allocated.error();
    return memory;
}

Result<void> LogMemory::allocate()
{
    if (const DriverStatus status = m_driver.allocate(&m_device, (kWrittenEnd + m_shape.queueCount) * sizeof(uint64_t)))
        return m_driver.error(status, "the GPU has no memory for the log");
    const uint64_t pageBytes = uint64_t{m_shape.pageCount} * m_shape.pageUnits * kUnitBytes;
    const uint64_t bytes = pageBytes + (freedCount() + writtenCount()) * sizeof(uint64_t);
    void* host = nullptr;
    if (const DriverStatus status = m_driver.allocateHost(&host, bytes, kPortableMapped))
        return m_driver.error(status, "the host has no memory for the log");
    m_host = static_cast<std::byte*>(host);
    // Tags of what lay there before must not be taken for a launch's. Queues are empty before a launch, as after one.
    std::memset(m_host, 0, bytes);
    return {};
}

LogMemory::~LogMemory()
{
    if (m_device)
        m_driver.free(m_device);
    if (m_openPages)
        m_driver.free(m_openPages);
    if (m_host)
        m_driver.freeHost(m_host);
}

Result<void> LogMemory::reset(uint64_t recordedWarps)
{
    m_warps = recordedWarps;
    if (m_warps > m_openPageCapacity) {
        if (m_openPages)
            m_driver.free(m_openPages);
        m_openPages = 0;
        m_openPageCapacity = 0;
        if (const DriverStatus status = m_driver.allocate(&m_openPages, m_warps * sizeof(uint64_t)))
            return m_driver.error(status, "the GPU has no memory to log so many blocks at a time (see --blocks)");
        m_openPageCapacity = m_warps;
    }
    const std::vector<uint64_t> zeros(std::max<uint64_t>(m_warps, kWrittenEnd + m_shape.queueCount));
    DriverStatus status =
        m_driver.copyToDevice(m_device, zeros.data(), (kWrittenEnd + m_shape.queueCount) * sizeof(uint64_t));
    if (status == 0 && m_warps > 0)
        status = m_driver.copyToDevice(m_openPages, zeros.data(), m_warps * sizeof(uint64_t));
    return status == 0 ? Result<void>() : m_driver.error(status, "the log cannot be reset");
}

void LogMemory::describe(LogControl& control) const
{
    const PoolView host = view();
    const auto word = [this](uint64_t number) { return m_device + number * sizeof(uint64_t); };
    control.pool = {reinterpret_cast<uint64_t>(host.pages),
                    word(kTaken),
                    reinterpret_cast<uint64_t>(host.freed.data()),
                    reinterpret_cast<uint64_t>(host.written.data()),
                    word(kWrittenEnd),
                    m_firstUse,
                    m_shape.pageUnits,
                    m_shape.pageCount,
                    static_cast<uint32_t>(freedCount()),
                    m_shape.queueCount};
    control.openPages = m_openPages;
    control.gridBarrier = word(kGridBarrier);
}

PoolView LogMemory::view() const
{
    const uint64_t pageBytes = uint64_t{m_shape.pageCount} * m_shape.pageUnits * kUnitBytes;
    auto* words = reinterpret_cast<uint64_t*>(m_host + pageBytes);
    return {m_shape, m_host, {words, freedCount()}, {words + freedCount(), writtenCount()}, m_firstUse};
}

std::vector<OpenPage> LogMemory::openPages() const
{
    static_assert(sizeof(OpenPage) == sizeof(uint64_t));
    std::vector<OpenPage> pages(m_warps);
    if (m_warps > 0 && m_driver.copyToHost(pages.data(), m_openPages, m_warps * sizeof(OpenPage)) != 0)
        return {};
    return pages;
}

}  // namespace lanescope::cuda
