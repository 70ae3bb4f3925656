// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Paths in a trace that was recorded in a copy of somebody's folders.
#pragma once

#include <string>

#include "core/base/result.h"

namespace lanescope::trace {

/// Takes \p prefix out of all paths that the finished trace at \p path names: of its sources, its program and command
/// line, and where buffers are declared. Errors: as of opening it.
Result<void> removePathPrefix(const std::string& path, const std::string& prefix);

}  // namespace lanescope::trace
