// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM's constants as registers that hold them from the launch on.
#pragma once

#include <llvm/IR/Constant.h>

#include "core/simt/lower/program_builder.h"

namespace lanescope::simt {

/// The scalars that hold \p constant, one per leaf. Places a shared array that is named for the first time. Throws
/// Unsupported for a constant that has no value here.
Parts partsOfConstant(const llvm::Constant& constant, ProgramBuilder& builder);

}  // namespace lanescope::simt
