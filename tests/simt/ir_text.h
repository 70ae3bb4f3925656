// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules from text, for suites of what reads and rewrites LLVM IR.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <llvm/IR/Module.h>

namespace lanescope::test {

/// Null when \p text is no module that LLVM's verifier accepts; says why on stderr.
std::unique_ptr<llvm::Module> moduleOf(llvm::LLVMContext& context, const std::string& text);

/// What LLVM's verifier says; empty: nothing.
std::string verifierProblem(const llvm::Module& module);

/// The instruction of that name in a function; null when there is none.
llvm::Instruction* instructionNamed(llvm::Function& function, llvm::StringRef name);

/// The bits that \p function, of one block, returns, where LLVM can compute them from constants; the first element of a
/// vector is the lowest. Folds what it can in place.
std::optional<uint64_t> returnedBits(llvm::Function& function);

}  // namespace lanescope::test
