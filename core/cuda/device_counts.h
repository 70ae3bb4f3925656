// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels that count write and the host reads: for each place a few sums, once per multiprocessor. Plain C++
// without the standard library's classes, compiled for the GPU and for the host.
#pragma once

#include <stdint.h>

namespace lanescope::cuda {

enum class CountSpace : uint32_t {
    Global,
    Shared,
    Other,   ///< local or constant memory, a branch, a barrier: executions only
    Unknown  ///< found out by each lane: three entries, in the order above
};

/// One line of the table of entries in the device code.
struct CountEntry {
    uint32_t place;
    uint16_t bytes;  ///< of each lane's access; 0: no access
    uint16_t space;  ///< CountSpace; never Unknown
};

inline constexpr uint32_t kDegrees = 32;

/// Sums of one entry. The first four are one sector, which a full warp adds to with one instruction.
struct SiteCounter {
    uint64_t requests;
    uint64_t lanes;
    uint64_t cost;   ///< Global: sectors. Shared: wavefronts. A branch: executions in which lanes went both ways
    uint64_t ideal;  ///< the same at best
    // Global: the lowest address, as its complement, and the end of the highest access; then a copy of both that may
    // be behind but is never ahead, which is read through the cache.
    uint64_t notLowest;
    uint64_t end;
    uint64_t cachedNotLowest;
    uint64_t cachedEnd;
    uint64_t degrees[kDegrees];  ///< Shared: [conflict degree - 1], requests; degree 1 is what the others leave
};
static_assert(sizeof(SiteCounter) == 320);

/// Constant during a launch.
struct CountControl {
    uint64_t table;  ///< address of SiteCounter[parts][entries]
    uint32_t parts;  ///< one for each multiprocessor
    uint32_t entries;
};

}  // namespace lanescope::cuda
