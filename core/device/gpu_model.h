// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The GPU that the simulator models, compute capability 9.0: limits per block and multiprocessor. Registers are not
// modelled.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base/ids.h"

namespace lanescope::device {

inline constexpr int kMultiprocessors = 132;
inline constexpr uint64_t kMaxThreadsPerBlock = 1024;
inline constexpr int kMaxThreadsPerMultiprocessor = 2048;
inline constexpr int kMaxBlocksPerMultiprocessor = 32;
inline constexpr uint64_t kMostBlocksOfPortableCluster = 8;
inline constexpr uint64_t kMostBlocksOfCluster = 16;        ///< where the kernel's attribute allows it
inline constexpr uint64_t kDefaultSharedBytes = 48 * 1024;  ///< per block, not opted in
inline constexpr uint64_t kMaxSharedBytes = 227 * 1024;     ///< per block, opted in
inline constexpr uint64_t kSharedBytesPerMultiprocessor = 228 * 1024;
inline constexpr uint64_t kReservedSharedBytes = 1024;  ///< that the system takes from each block

/// Blocks of \p threads and \p sharedBytes (static and dynamic) that a multiprocessor holds at a time; 0: not even one.
constexpr int blocksPerMultiprocessor(uint64_t threads, uint64_t sharedBytes)
{
    const uint64_t warpThreads = (threads + kWarpSize - 1) / kWarpSize * kWarpSize;
    return static_cast<int>(
        std::min({uint64_t{kMaxBlocksPerMultiprocessor}, uint64_t{kMaxThreadsPerMultiprocessor} / warpThreads,
                  kSharedBytesPerMultiprocessor / (sharedBytes + kReservedSharedBytes)}));
}

}  // namespace lanescope::device
