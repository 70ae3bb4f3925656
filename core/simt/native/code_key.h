// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which machine code a job's is: jobs with one key have the same, in whatever process.
#pragma once

#include <string>

#include "core/simt/native/native_job.h"

namespace lanescope::simt {

/// Hexadecimal digits: of all that making code of \p job reads (instructions, side tables, what the job says), and of
/// this processor. \p builds says which libraries make and run it.
std::string keyOf(const NativeJob& job, const std::string& builds);

}  // namespace lanescope::simt
