// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Takes rights away from the process that the program runs in, before the program's own code runs.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"

namespace lanescope::runtime {

/// No network, and no writing outside \p writable (files or folders; those that do not exist are left out). Error
/// Unsupported when the kernel does not allow it; then nothing may be relied upon.
Result<void> enterSandbox(const std::vector<std::string>& writable);

}  // namespace lanescope::runtime
