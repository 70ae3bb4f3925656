// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When kernels become machine code.
#pragma once

#include <cstdint>

#include "core/simt/code/program.h"

namespace lanescope::simt {

/// \p program is about to be launched: makes its code first where LANESCOPE_NATIVE says `always`.
void prepareNative(const Program& program);

/// Blocks of \p program have run \p instructions more, of a warp. From some seconds' worth on its code is made, beside
/// what goes on; says so once, on the error stream, where that turns out not to be possible. Any thread.
void noteExecuted(const Program& program, uint64_t instructions);

}  // namespace lanescope::simt
