// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a kernel may have of the model GPU's limits.
#pragma once

#include "core/device/gpu_model.h"
#include "instrumented/runtime/runtime.h"

namespace lanescope::runtime {

/// Static and dynamic shared bytes that a block of \p kernel may have.
uint64_t sharedLimit(const Kernel& kernel);

/// Blocks of this size that a multiprocessor holds at a time; 0 when not even one.
int activeBlocks(const Kernel& kernel, const device::KernelInfo& info, int threads, uint64_t dynamicSharedBytes);

}  // namespace lanescope::runtime
