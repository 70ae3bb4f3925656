// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long a kernel runs, from CUPTI's activity records.
#pragma once

#include <functional>

#include "core/cuda/cupti.h"

namespace lanescope::cuda {

/// Nanoseconds between start and end of what \p run starts and waits for, on the GPU's clock. No two at a time.
Result<uint64_t> timeKernels(const Cupti& cupti, const std::function<Result<void>()>& run);

}  // namespace lanescope::cuda
