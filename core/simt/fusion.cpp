// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/fusion.h"

#include <llvm/IR/IntrinsicInst.h>

namespace lanescope::simt {

bool onlyMultiplyAddReads(const llvm::Instruction& instr)
{
    if (!instr.hasOneUse())
        return false;
    const auto* user = llvm::dyn_cast<llvm::IntrinsicInst>(*instr.user_begin());
    return user && user->getParent() == instr.getParent() &&
           (user->getIntrinsicID() == llvm::Intrinsic::fmuladd || user->getIntrinsicID() == llvm::Intrinsic::fma);
}

}  // namespace lanescope::simt
