// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What may be asked of the CUDA driver in a callback of the Sanitizer API: it looks only at what nobody else holds
// then.
#pragma once

#include <cstdint>
#include <string>

#include "core/attach/memory_map.h"
#include "core/cuda/driver.h"
#include "core/trace/model.h"

namespace lanescope::attach {

inline constexpr int kThreadsOfMultiprocessor = 39;  ///< CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR
inline constexpr int kReservedShared = 111;          ///< CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK

class DeviceQuestions {
public:
    /// In a process that has loaded the driver.
    explicit DeviceQuestions(int device = 0);

    /// 0: unknown.
    [[nodiscard]] uint32_t attribute(int which) const;
    [[nodiscard]] std::string name() const;
    [[nodiscard]] trace::DeviceProperties properties() const;
    /// Where a module's variable lies; no bytes: unknown.
    [[nodiscard]] Region variable(cuda::CodeModule module, const std::string& name) const;

private:
    int m_device;
    int (*m_attribute)(int*, int, int) = nullptr;
    int (*m_name)(char*, int, int) = nullptr;
    int (*m_global)(uint64_t*, size_t*, cuda::CodeModule, const char*) = nullptr;
};

}  // namespace lanescope::attach
