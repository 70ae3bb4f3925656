// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What lowering knows about a function before it writes any of its code.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include "core/simt/ir/uniformity.h"

namespace lanescope::simt {

/// Which local variables live in registers, what is the same in all lanes, what is computed where it is used, how long
/// values are needed, and where lanes meet again. Nothing of it changes any more.
class FunctionAnalysis {
public:
    /// As the source declares a variable.
    struct Declaration {
        const llvm::DILocalVariable* variable = nullptr;
        const llvm::DILocation* where = nullptr;
        /// Artificial ones (this, the hidden parts of a range-for) are not the programmer's.
        [[nodiscard]] bool isShown() const { return variable && !variable->isArtificial(); }
    };

    /// What the program is made for.
    struct Purpose {
        bool wholeRows = false;  ///< as of Uniformity
        bool records = false;    ///< values that the source has names for must be in registers
    };
    FunctionAnalysis(llvm::Function& function, bool isKernel, bool isRecursive, Purpose purpose);
    FunctionAnalysis(const FunctionAnalysis&) = delete;
    FunctionAnalysis& operator=(const FunctionAnalysis&) = delete;

    [[nodiscard]] llvm::Function& function() const { return m_function; }
    [[nodiscard]] bool isKernel() const { return m_isKernel; }
    [[nodiscard]] bool isRecursive() const { return m_isRecursive; }

    [[nodiscard]] bool isUniform(const llvm::Value& value) const { return m_uniformity.isUniform(&value); }
    [[nodiscard]] bool mayDiverge(const llvm::Instruction& terminator) const
    {
        return m_uniformity.mayDiverge(&terminator);
    }
    /// The block where lanes that leave \p block by different ways are together again; null: at the function's end.
    [[nodiscard]] const llvm::BasicBlock* joinBehind(const llvm::BasicBlock& block) const;
    /// Whether it is that of a block whose lanes may part.
    [[nodiscard]] bool isJoin(const llvm::BasicBlock& block) const { return m_joins.contains(&block); }
    [[nodiscard]] const llvm::PostDominatorTree& postDominators() const { return m_postDominators; }

    /// The variable in registers that \p pointer is; null when it is none.
    [[nodiscard]] const llvm::AllocaInst* promoted(const llvm::Value* pointer) const;
    /// Empty when the source does not name it. \p variable is promoted.
    [[nodiscard]] Declaration declarationOf(const llvm::AllocaInst& variable) const
    {
        return m_declarations.lookup(&variable);
    }

    /// An address or index computation that its users fold into theirs instead of having it in a register.
    [[nodiscard]] bool isFoldedAddress(const llvm::Instruction& instr) const;
    /// Whether it has no register of its own, here or in other blocks.
    [[nodiscard]] bool isFolded(const llvm::Instruction& instr) const
    {
        return isFoldedAddress(instr) || isSharedAddress(instr) || isSharedIndex(instr);
    }
    /// What an index of an address is the sum of, as it is folded, times \p scale: calls \p add(value, scale) for each.
    template <typename Add>
    void forSummands(const llvm::Value& index, int64_t scale, const Add& add) const
    {
        const auto* instr = llvm::dyn_cast<llvm::Instruction>(&index);
        if (!instr || !isFolded(*instr))
            return add(index, scale);
        forSummands(*instr->getOperand(0), scale, add);
        if (const auto* sum = llvm::dyn_cast<llvm::BinaryOperator>(instr))
            forSummands(*sum->getOperand(1), sum->getOpcode() == llvm::Instruction::Sub ? -scale : scale, add);
    }
    /// Behind which its value is not needed; null when it is used outside of its basic block.
    [[nodiscard]] const llvm::Instruction* lastUse(const llvm::Instruction& instr) const
    {
        return m_lastUse.lookup(&instr);
    }
    /// Of two instructions of one basic block.
    [[nodiscard]] bool isBefore(const llvm::Instruction& a, const llvm::Instruction& b) const
    {
        return m_order.lookup(&a) < m_order.lookup(&b);
    }

private:
    void findDeclarations();
    void findUses();
    void findJoins();
    bool isSharedAddress(const llvm::Instruction& instr) const;
    bool isSharedBase(const llvm::GetElementPtrInst& gep) const;
    bool isSharedIndex(const llvm::Instruction& instr) const;
    bool isWidenedShared(const llvm::Instruction& instr) const;
    bool isSumShared(const llvm::Instruction& instr) const;

    llvm::Function& m_function;
    bool m_isKernel;
    Purpose m_purpose;
    bool m_isRecursive;
    llvm::PostDominatorTree m_postDominators;
    llvm::DenseSet<const llvm::AllocaInst*> m_promoted;
    Uniformity m_uniformity;
    llvm::DenseMap<const llvm::AllocaInst*, Declaration> m_declarations;
    llvm::DenseMap<const llvm::Instruction*, const llvm::Instruction*> m_lastUse;
    llvm::DenseMap<const llvm::Instruction*, unsigned> m_order;  ///< in its basic block
    llvm::DenseSet<const llvm::BasicBlock*> m_joins;
};

}  // namespace lanescope::simt
