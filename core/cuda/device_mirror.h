// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host's view of device memory (simt::DeviceMemory), on the GPU: every allocation lies at the same address there,
// so that pointers inside buffers mean the same to both.
#pragma once

#include <functional>
#include <map>

#include "core/cuda/driver.h"
#include "core/simt/device_memory.h"

namespace lanescope::cuda {

class DeviceMirror {
public:
    explicit DeviceMirror(const Driver& driver) : m_driver(driver) {}
    ~DeviceMirror();
    DeviceMirror(const DeviceMirror&) = delete;
    DeviceMirror& operator=(const DeviceMirror&) = delete;

    /// Makes the GPU's memory what \p memory is. Errors: out of device memory, an address that the driver refuses.
    Result<void> upload(const simt::DeviceMemory& memory);
    /// Takes back what a kernel may have written.
    Result<void> download(simt::DeviceMemory& memory, const std::function<bool(uint64_t address)>& mayBeWritten);

private:
    struct Mapping {
        BufferId buffer;
        uint64_t bytes = 0;       ///< mapped, whole pages of the GPU
        MemoryHandle handle = 0;  ///< 0: memory of the host, registered
        bool failed = false;
    };

    Result<void> create(const simt::Allocation& allocation, const simt::DeviceMemory::Slot& slot);
    Result<void> createOnDevice(const simt::Allocation& allocation, Mapping& mapping);
    void release(simt::DeviceAddress address, const Mapping& mapping);
    void releaseFreed(const simt::DeviceMemory& memory);

    const Driver& m_driver;
    std::map<simt::DeviceAddress, Mapping> m_mappings;
};

}  // namespace lanescope::cuda
