// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Headers of an installed CUDA toolkit that are read instead of ours: those that clang can read and that do not
// describe the runtime, which is ours.
#pragma once

#include <string>
#include <vector>

#include "instrumented/compiler/cache.h"

namespace lanescope::compiler {

/// A folder of links to them, for -isystem: Thrust, CUB and libcu++, narrow floats, cuRAND's device side, as far as
/// \p toolkit has them; what they include beside these is found among ours. Kept in the cache. Errors: Io.
Result<std::string> toolkitHeaders(const Cache& cache, const std::string& toolkit);

/// The same for the libraries alone, \p include being the folder of headers in which they are (cccl.h).
Result<std::string> ccclHeaders(const Cache& cache, const std::string& include);

/// What clang is told so that it reads them, and calls each by where it really is. \p headers: what toolkitHeaders or
/// ccclHeaders gave.
std::vector<std::string> toolkitFlags(const std::string& headers);

}  // namespace lanescope::compiler
