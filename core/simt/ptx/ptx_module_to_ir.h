// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A PTX module as a module of IR, of the kind that a compiler of CUDA makes.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include "core/base/result.h"

namespace lanescope::simt {

/// \p name: how the text is called in messages, "module.ptx". Error BadInput, with the line, when the text is damaged.
/// What a function has that is not known stays in it, named (kPtxProblem).
Result<std::unique_ptr<llvm::Module>> readPtxModule(std::string_view text, const std::string& name,
                                                    llvm::LLVMContext& context);

}  // namespace lanescope::simt
