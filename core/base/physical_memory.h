// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include <unistd.h>

namespace lanescope {

/// Bytes of this machine's memory; UINT64_MAX where it does not tell.
inline uint64_t physicalMemory()
{
    const long pages = sysconf(_SC_PHYS_PAGES);
    return pages > 0 ? static_cast<uint64_t>(pages) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) : UINT64_MAX;
}

}  // namespace lanescope
