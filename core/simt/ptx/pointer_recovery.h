// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX keeps addresses in integer registers. Here they become pointers again, with offsets from what they point into, so
// that whoever reads the IR sees which parameter, array or variable an access is of, as in IR of a compiler.
#pragma once

#include <llvm/IR/Function.h>

namespace lanescope::simt {

/// Of a function whose registers are values already. What is no sum of a pointer and an offset stays a number, and
/// what is left of kToWindow and kFromWindow (ptx_translator.h) becomes arithmetic.
void recoverPointers(llvm::Function& function);

}  // namespace lanescope::simt
