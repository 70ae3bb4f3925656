// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which functions of a module are kernels, as code for PTX marks them.
#pragma once

#include <vector>

#include <llvm/IR/Module.h>

namespace lanescope::simt {

/// By metadata and by calling convention, each once.
std::vector<llvm::Function*> kernelsOf(llvm::Module& module);

}  // namespace lanescope::simt
