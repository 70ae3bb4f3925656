// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a kernel asks of a multiprocessor, as far as its IR says.
#pragma once

#include <cstdint>

#include "core/device/module.h"

namespace llvm {
class Function;
}

namespace lanescope::simt {

/// Looks through the functions that \p kernel calls directly; calls through pointers count for nothing.
device::KernelResources resourcesOf(const llvm::Function& kernel);

}  // namespace lanescope::simt
