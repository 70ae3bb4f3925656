// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a block { } of the source begins and ends, whose local variables something may still point to. With
// optimisation LLVM marks lifetimes; without, clang says of each instruction which block it is written in.
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
    [[nodiscard]] const Variables& endedBefore(const llvm::Instruction& instr) const { return at(m_ended, instr); }
    /// Whose blocks are entered with \p instr: of those that end.
    [[nodiscard]] const Variables& begunBefore(const llvm::Instruction& instr) const { return at(m_begun, instr); }

private:
    using Places = llvm::DenseMap<const llvm::Instruction*, Variables>;

    static const Variables& at(const Places& places, const llvm::Instruction& instr);
    void findMarks(const llvm::Function& function);
    void findEnds(const llvm::Function& function, const llvm::AllocaInst& variable);

    Places m_ended;
    Places m_begun;
};

}  // namespace lanescope::simt
