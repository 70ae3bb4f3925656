// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inline PTX to LLVM IR, statement by statement.
#pragma once

#include <llvm/IR/Instructions.h>

namespace lanescope::simt {

/// Metadata of a call that stands for PTX that is not known: a string that names it.
inline constexpr llvm::StringLiteral kPtxProblem = "lanescope.ptx.problem";

/// Replaces \p call by IR that does the same. Leaves it as it is when it holds anything that is not known; lowering
/// then names it (ptxProblem says what).
void rewriteInlinePtx(llvm::CallInst& call);
/// What is not known of an inline assembly call, or of what one stands for that has kPtxProblem: "the inline assembly
/// instruction 'foo.bar'". Empty: it is no such call.
std::string ptxProblem(const llvm::CallInst& call);

}  // namespace lanescope::simt
