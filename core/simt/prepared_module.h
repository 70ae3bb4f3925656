// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A module of device code made ready for lowering, and what is in it. Whoever starts from the same bitcode gets the
// same, instruction for instruction: the simulator, and the pass that instruments the code for a GPU.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include "core/base/result.h"
#include "core/simt/code_numbers.h"
#include "core/simt/legalise.h"
#include "core/simt/program.h"

namespace lanescope::simt {

Result<std::unique_ptr<llvm::Module>> readBitcode(std::span<const std::byte> bitcode, llvm::LLVMContext& context);

FunctionAddresses prepareForLowering(llvm::Module& module);

std::vector<llvm::Function*> kernelsOf(llvm::Module& module);

/// __device__ and __constant__ variables, which the host allocates.
std::vector<llvm::GlobalVariable*> variablesOf(llvm::Module& module);

/// What lowering says about a kernel as it is recorded, variables included; an error for one that it refuses.
/// \p module is prepared; addresses of variables are made up.
Result<std::shared_ptr<const Program>> describeKernel(llvm::Function& kernel, const FunctionAddresses& functions,
                                                      const CodeNumbers& numbers);

}  // namespace lanescope::simt
