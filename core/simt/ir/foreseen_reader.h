// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the accesses of a kernel that can be foreseen, and the branches on the way to them.
#pragma once

#include <optional>
#include <utility>

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include "core/simt/ir/affine_reader.h"
#include "core/simt/ir/foreseen.h"

namespace lanescope::simt {

/// Of a kernel for blocks whose warps are rows (Program::wholeRows).
class ForeseenReader {
public:
    explicit ForeseenReader(llvm::Function& kernel);

    struct Place {
        uint32_t index;  ///< in ForeseenAccesses::accesses
        uint32_t group;  ///< in ForeseenAccesses::groups
        bool isRow;      ///< else all lanes access the same
    };
    [[nodiscard]] std::optional<Place> placeOf(const llvm::Instruction& access) const;
    /// Which way all threads are expected to go: that of the condition being so.
    [[nodiscard]] std::optional<bool> wayOf(const llvm::BranchInst& branch) const;
    /// What was found. To be called once.
    ForeseenAccesses take() { return std::move(m_found); }

private:
    class Reading;

    ForeseenAccesses m_found;
    llvm::DenseMap<const llvm::Instruction*, Place> m_places;
    llvm::DenseMap<const llvm::Instruction*, bool> m_ways;
};

}  // namespace lanescope::simt
