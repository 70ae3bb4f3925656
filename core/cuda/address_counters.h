// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What CUPTI counts of the addresses of shared memory's accesses, by instrumenting the kernel's machine code. The
// multiprocessor's own counters of wavefronts and conflicts also count those that other work in its pipeline adds,
// which come and go from run to run.
#pragma once

#include <functional>
#include <vector>

#include "core/cuda/cupti.h"
#include "core/trace/model.h"

namespace lanescope::cuda {

/// Runs the kernel once more by \p run. Once in a process: the records that CUPTI 13.0 gives end with the first kernel.
/// Errors: CUPTI has no such counters for this GPU, or may not count.
Result<std::vector<trace::Measurement>> countAddresses(const Cupti& cupti, Context context, LaunchId launch,
                                                       const std::function<Result<void>()>& run);

}  // namespace lanescope::cuda
