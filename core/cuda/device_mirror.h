// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host's view of device memory (device::DeviceMemory), on the GPU: every allocation lies at the same address there,
// so that pointers inside buffers mean the same to both.
#pragma once

#include <functional>
#include <map>

#include "core/cuda/driver.h"
#include "core/device/device_memory.h"

namespace lanescope::cuda {

class DeviceMirror {
public:
    explicit DeviceMirror(const Driver& driver) : m_driver(driver) {}
    ~DeviceMirror();
    DeviceMirror(const DeviceMirror&) = delete;
    DeviceMirror& operator=(const DeviceMirror&) = delete;

    /// Makes the GPU's memory what \p memory is. Errors: out of device memory, an address that the driver refuses.
    Result<void> upload(const device::DeviceMemory& memory);
    /// Takes back what a kernel may have written.
    Result<void> download(device::DeviceMemory& memory, const std::function<bool(uint64_t address)>& mayBeWritten);

private:
    struct Mapping {
        BufferId buffer;
        uint64_t bytes = 0;       ///< mapped, whole pages of the GPU
        MemoryHandle handle = 0;  ///< 0: memory of the host, registered
        bool failed = false;
    };

    Result<void> create(const device::Allocation& allocation, const device::DeviceMemory::Slot& slot);
    Result<void> createOnDevice(const device::Allocation& allocation, Mapping& mapping);
    void release(device::DeviceAddress address, const Mapping& mapping);
    void releaseFreed(const device::DeviceMemory& memory);

    const Driver& m_driver;
    std::map<device::DeviceAddress, Mapping> m_mappings;
};

}  // namespace lanescope::cuda
