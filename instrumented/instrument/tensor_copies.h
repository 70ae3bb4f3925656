// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of boxes of tensors as loops over their pieces, made where they are started, as the simulator makes them.
#pragma once

#include <functional>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

namespace lanescope::instrument {

/// What moves bytes, where the builder stands.
struct BoxMoves {
    std::function<void(llvm::Value* to, llvm::Value* from, llvm::Value* length)> copy;
    std::function<void(llvm::Value* to, llvm::Value* length)> clear;
};

bool isTensorCopy(const llvm::Instruction& instr);
/// Replaces the call. Throws Refused: copies of that kind are not supported on a GPU.
void expandTensorCopy(llvm::CallInst& call, llvm::IRBuilder<>& build, const BoxMoves& moves);

}  // namespace lanescope::instrument
