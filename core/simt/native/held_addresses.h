// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether code is of one process only.
#pragma once

#include <llvm/IR/Module.h>

namespace lanescope::simt::native {

/// Whether some constant of \p module is an address of this process: such code cannot be kept.
bool holdsAddresses(const llvm::Module& module);

}  // namespace lanescope::simt::native
