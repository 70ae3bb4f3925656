// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values that only ways out of a function want: most of what a stretch computes for whoever goes on where it leaves
// off.
#pragma once

#include <llvm/IR/Function.h>

namespace lanescope::simt::native {

/// Has them computed there.
void computeWhereWanted(llvm::Function& function);

}  // namespace lanescope::simt::native
