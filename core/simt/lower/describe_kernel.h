// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What lowering says about a kernel to somebody who runs it elsewhere.
#pragma once

#include <memory>

#include <llvm/IR/Function.h>

#include "core/base/result.h"
#include "core/simt/code/program.h"
#include "core/simt/ir/code_numbers.h"
#include "core/simt/ir/legalise.h"

namespace lanescope::simt {

/// What lowering says about a kernel as it is recorded, variables included; an error for one that it refuses.
/// \p module is prepared; addresses of variables are made up.
Result<std::shared_ptr<const Program>> describeKernel(llvm::Function& kernel, const FunctionAddresses& functions,
                                                      const CodeNumbers& numbers);

}  // namespace lanescope::simt
