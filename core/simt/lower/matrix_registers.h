// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the registers of a function's matrix products come from and go to, as far as events tell it: what was loaded
// for them, the variables that hold them, and where their sums are stored (trace::Site::registers).
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Instructions.h>

#include "core/simt/lower/function_analysis.h"
#include "core/simt/lower/program_builder.h"

namespace lanescope::simt {

/// Is told what is lowered, in its order. Of functions without products it keeps nothing.
class MatrixRegisters {
public:
    MatrixRegisters(ProgramBuilder& builder, const FunctionAnalysis& analysis);

    /// \p load gives events of \p site.
    void noteLoad(const llvm::Instruction& load, SiteId site);
    /// From here on in the basic block, \p variable holds \p value.
    void noteHeld(const llvm::Value& value, VariableId variable);
    /// Where a basic block begins: who holds what is not known.
    void forget() { m_held.clear(); }
    /// \p product is the call that the site at \p index of Program::sites was added for. Its results are as many as its
    /// last arguments, the addends; the others are its operands.
    void noteProduct(const llvm::CallInst& product, uint32_t index);
    /// An event of \p site has \p value, in a register of its own or in a variable.
    void noteWritten(const llvm::Value& value, SiteId site);

private:
    [[nodiscard]] trace::RegisterPlace placeOf(const llvm::Value& value, const llvm::Instruction& use) const;

    ProgramBuilder& m_builder;
    const FunctionAnalysis& m_analysis;
    bool m_hasProducts = false;
    llvm::DenseMap<const llvm::Value*, SiteId> m_loads;
    llvm::DenseMap<const llvm::Value*, VariableId> m_held;
    llvm::DenseMap<const llvm::Value*, uint32_t> m_products;  ///< index of the site
};

}  // namespace lanescope::simt
