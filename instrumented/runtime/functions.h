// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The model GPU's limits per block and multiprocessor, and what a kernel may have of them.
#pragma once

#include "instrumented/runtime/runtime.h"

namespace lanescope::runtime {

inline constexpr int kMultiprocessors = 132;
inline constexpr uint64_t kMaxThreadsPerBlock = 1024;
inline constexpr int kMaxThreadsPerMultiprocessor = 2048;
inline constexpr int kMaxBlocksPerMultiprocessor = 32;
inline constexpr uint64_t kDefaultSharedBytes = 48 * 1024;  ///< per block, not opted in
inline constexpr uint64_t kMaxSharedBytes = 227 * 1024;     ///< per block, opted in
inline constexpr uint64_t kSharedBytesPerMultiprocessor = 228 * 1024;
inline constexpr uint64_t kReservedSharedBytes = 1024;  ///< that the system takes from each block

/// Static and dynamic shared bytes that a block of \p kernel may have.
uint64_t sharedLimit(const Kernel& kernel);

/// Blocks of this size that a multiprocessor holds at a time; 0 when not even one.
int activeBlocks(const Kernel& kernel, const device::KernelInfo& info, int threads, uint64_t dynamicSharedBytes);

}  // namespace lanescope::runtime
