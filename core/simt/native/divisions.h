// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole numbers divided as vectors.
#pragma once

#include <llvm/IR/Function.h>

namespace lanescope::simt::native {

/// Has vectors of 32-bit numbers divided by doubles (wholeQuotient() in machine/ops_integer.inl says why that is
/// exact): processors have no such division, and take each lane alone. Where divisors are constants LLVM knows better.
/// No divisor is 0, and nothing overflows.
void divideByDoubles(llvm::Function& function);

}  // namespace lanescope::simt::native
