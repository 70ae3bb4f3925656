// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the host calls the memory that it allocates, read off the call's source line.
#pragma once

#include <string>

#include "core/simt/ir/code_places.h"

namespace lanescope::runtime {

/// "d_x" where "cudaMalloc((void**)&d_x, n)" is called at \p place. Empty where the call's first argument is not the
/// address of something with a name, or the line cannot be read.
std::string allocatedNameAt(const simt::CodePlace& place);

}  // namespace lanescope::runtime
