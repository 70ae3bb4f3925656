// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A trace as it is at one moment, while it is written or read.
#pragma once

#include <string>

#include "core/base/result.h"

namespace lanescope::trace {

/// Makes the trace at \p to, which may be there and open for reading, what the one at \p from is between two of its
/// writer's transactions. Equal pages stay equal. Errors: Io.
Result<void> copyTrace(const std::string& from, const std::string& to);

}  // namespace lanescope::trace
