// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "instrumented/include/driver_types.h"

namespace lanescope::runtime {

/// A default stream, or one that was created and not destroyed. Called under the runtime's lock.
bool isStream(cudaStream_t stream);

}  // namespace lanescope::runtime
