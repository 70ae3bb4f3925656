// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When kernels become machine code.
#pragma once

#include <cstdint>

#include "core/simt/code/program.h"

namespace lanescope::simt {

/// \p program is about to be launched, and maybe recorded: makes its code first where LANESCOPE_NATIVE says `always`.
/// \p leavesProcessors: fewer host threads run it than there are processors.
void prepareNative(const Program& program, bool isRecorded, bool leavesProcessors);

/// Blocks of \p program, which were recorded or not, have run \p instructions more, of a warp. From some seconds' worth
/// on its code is made, beside what goes on; says so once, on the error stream, where that turns out not to be
/// possible. Any thread.
void noteExecuted(const Program& program, uint64_t instructions, bool isRecorded);

}  // namespace lanescope::simt
