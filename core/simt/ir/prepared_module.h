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
#include "core/simt/ir/legalise.h"
#include "core/simt/ptx/kernel_functions.h"

namespace lanescope::simt {

/// Of an access that a library's code makes: the program's own place that led to it. Who steps through a recording is
/// there; a finding tells both.
inline constexpr char kOwnPlace[] = "lanescope.own-place";

Result<std::unique_ptr<llvm::Module>> readBitcode(std::span<const std::byte> bitcode, llvm::LLVMContext& context);

/// One module of \p parts, in their order.
Result<std::unique_ptr<llvm::Module>> linkBitcode(std::span<const std::vector<std::byte>> parts,
                                                  llvm::LLVMContext& context);

FunctionAddresses prepareForLowering(llvm::Module& module);

/// __device__ and __constant__ variables, which the host allocates.
std::vector<llvm::GlobalVariable*> variablesOf(llvm::Module& module);

}  // namespace lanescope::simt
