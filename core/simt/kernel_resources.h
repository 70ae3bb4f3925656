// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a kernel asks of a multiprocessor, as far as its IR says.
#pragma once

#include <cstdint>

namespace llvm {
class Function;
}

namespace lanescope::simt {

struct KernelResources {
    uint64_t staticSharedBytes = 0;
    uint64_t constantBytes = 0;  ///< of __constant__ variables that it uses
    uint32_t maxThreads = 1024;  ///< per block, from __launch_bounds__
    uint32_t minBlocks = 0;      ///< per multiprocessor, from __launch_bounds__; 0: not stated
};

/// Looks through the functions that \p kernel calls directly; calls through pointers count for nothing.
KernelResources resourcesOf(const llvm::Function& kernel);

}  // namespace lanescope::simt
