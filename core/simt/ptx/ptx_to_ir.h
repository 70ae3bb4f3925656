// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inline PTX to LLVM IR, statement by statement.
#pragma once

#include <llvm/IR/Instructions.h>

namespace lanescope::simt {

/// Replaces \p call by IR that does the same. Leaves it as it is when it holds anything that is not known; lowering
/// then names it (ptxProblem says what).
void rewriteInlinePtx(llvm::CallInst& call);
/// What of an inline assembly call is not known: "the PTX instruction 'foo.bar'".
std::string ptxProblem(const llvm::CallInst& call);

}  // namespace lanescope::simt
