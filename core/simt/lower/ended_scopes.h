// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a block { } of the source ends, whose local variables something may still point to. clang marks no lifetimes
// without optimisation, but says of each instruction which block it is written in.
#pragma once

#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

namespace lanescope::simt {

class EndedScopes {
public:
    using Variables = std::vector<const llvm::AllocaInst*>;

    explicit EndedScopes(const llvm::Function& function);
    /// Whose blocks have been left when \p instr is reached. Only variables whose address is kept somewhere.
    [[nodiscard]] const Variables& before(const llvm::Instruction& instr) const;

private:
    void findEnds(const llvm::Function& function, const llvm::AllocaInst& variable);

    llvm::DenseMap<const llvm::Instruction*, Variables> m_before;
};

}  // namespace lanescope::simt
