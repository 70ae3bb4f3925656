// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What handlers of several instructions (ops_fused.inl) have to know of the program.
#pragma once

namespace llvm {
class Instruction;
}

namespace lanescope::simt {

/// Whether nobody but one multiply-add of the same block reads what \p instr makes: fused with that, it need not be
/// kept.
bool onlyMultiplyAddReads(const llvm::Instruction& instr);

}  // namespace lanescope::simt
