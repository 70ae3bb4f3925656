// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/cuda/log_memory.h"

#include <cstring>

namespace lanescope::cuda {

namespace {

constexpr unsigned kPortableMapped = 1 | 2;  // CU_MEMHOSTALLOC_PORTABLE, …_DEVICEMAP
constexpr uint64_t kPageAlignment = 4096;
constexpr uint64_t kBarrierBytes = 8;

}  // namespace

Result<std::unique_ptr<LogMemory>> LogMemory::create(const Driver& driver, uint32_t rings, const RingShape& shape)
{
    std::unique_ptr<LogMemory> memory(new LogMemory(driver, rings, shape));
    if (Result<void> allocated = memory->allocate(); !allocated)
        return allocated.error();
    return memory;
}

Result<void> LogMemory::allocate()
{
    m_deviceBytes = m_rings * (sizeof(RingDevice) + m_shape.pageCount * sizeof(uint32_t)) + kBarrierBytes;
    m_hostHeaderBytes = m_rings * (sizeof(RingHost) + m_shape.pageCount * sizeof(uint64_t));
    m_hostHeaderBytes = (m_hostHeaderBytes + kPageAlignment - 1) / kPageAlignment * kPageAlignment;
    if (const DriverStatus status = m_driver.allocate(&m_device, m_deviceBytes))
        return m_driver.error(status, "the GPU has no memory for the log");
    void* host = nullptr;
    const uint64_t bytes = m_hostHeaderBytes + m_rings * m_shape.pageCount * pageBytes();
    if (const DriverStatus status = m_driver.allocateHost(&host, bytes, kPortableMapped))
        return m_driver.error(status, "the host has no memory for the log");
    m_host = static_cast<std::byte*>(host);
    return {};
}

LogMemory::~LogMemory()
{
    if (m_device)
        m_driver.free(m_device);
    if (m_host)
        m_driver.freeHost(m_host);
}

Result<void> LogMemory::reset()
{
    std::memset(m_host, 0, m_hostHeaderBytes);
    auto* hosts = reinterpret_cast<RingHost*>(m_host);
    auto* full = reinterpret_cast<uint64_t*>(m_host + m_rings * sizeof(RingHost));
    std::vector<std::byte> device(m_deviceBytes);
    const uint64_t committed = m_device + m_rings * sizeof(RingDevice);
    for (uint32_t i = 0; i < m_rings; ++i) {
        RingDevice ring{};
        ring.pageUnitsCommitted = committed + i * m_shape.pageCount * sizeof(uint32_t);
        ring.units = reinterpret_cast<uint64_t>(m_host + m_hostHeaderBytes + i * m_shape.pageCount * pageBytes());
        ring.host = reinterpret_cast<uint64_t>(hosts + i);
        std::memcpy(device.data() + i * sizeof ring, &ring, sizeof ring);
        hosts[i].full = reinterpret_cast<uint64_t>(full + size_t{i} * m_shape.pageCount);
        // Tags of an earlier launch must not be taken for this one's.
        std::memset(m_host + m_hostHeaderBytes + i * m_shape.pageCount * pageBytes(), 0,
                    m_shape.pageCount * pageBytes());
    }
    const DriverStatus status = m_driver.copyToDevice(m_device, device.data(), m_deviceBytes);
    return status == 0 ? Result<void>() : m_driver.error(status, "the log cannot be reset");
}

void LogMemory::describe(LogControl& control) const
{
    control.ringCount = m_rings;
    control.pageUnits = m_shape.pageUnits;
    control.pageCount = m_shape.pageCount;
    control.rings = m_device;
    control.gridBarrier = m_device + m_deviceBytes - kBarrierBytes;
}

std::vector<RingView> LogMemory::views() const
{
    std::vector<RingView> views;
    auto* hosts = reinterpret_cast<RingHost*>(m_host);
    for (uint32_t i = 0; i < m_rings; ++i)
        views.push_back({hosts + i, reinterpret_cast<uint64_t*>(hosts[i].full),
                         m_host + m_hostHeaderBytes + i * m_shape.pageCount * pageBytes()});
    return views;
}

std::vector<uint64_t> LogMemory::heads() const
{
    std::vector<RingDevice> rings(m_rings);
    if (m_driver.copyToHost(rings.data(), m_device, m_rings * sizeof(RingDevice)) != 0)
        return {};
    std::vector<uint64_t> heads;
    for (const RingDevice& ring : rings)
        heads.push_back(ring.head);
    return heads;
}

}  // namespace lanescope::cuda
