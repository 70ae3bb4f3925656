// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which variables have been recorded with which values when a basic block begins, on every way there: a flow over the
// debug records of optimised code.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/DebugProgramInstruction.h>

#include "core/simt/lower/function_analysis.h"

namespace lanescope::simt {

/// The value that a debug record gives to a variable as a whole; null when it says something else.
const llvm::Value* writtenBy(const llvm::DbgVariableRecord& record);

/// Of one function.
class CarriedValues {
public:
    /// Of each variable the value, none twice.
    using Held = std::vector<std::pair<const llvm::DILocalVariable*, const llvm::Value*>>;

    explicit CarriedValues(const FunctionAnalysis& analysis);

    /// When \p block begins. A phi of its own stands for what came in with it.
    [[nodiscard]] const Held& at(const llvm::BasicBlock& block) const;

private:
    [[nodiscard]] bool isRecorded(const llvm::Value& value, const llvm::Instruction& position) const;
    [[nodiscard]] std::optional<Held> meetAt(const llvm::BasicBlock& block) const;
    [[nodiscard]] Held behind(const llvm::BasicBlock& block, Held held) const;

    const FunctionAnalysis& m_analysis;
    llvm::DenseMap<const llvm::BasicBlock*, size_t> m_order;  ///< in which code is written
    struct Ends {
        Held begin, end;
    };
    llvm::DenseMap<const llvm::BasicBlock*, Ends> m_blocks;
};

}  // namespace lanescope::simt
