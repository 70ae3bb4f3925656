// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which registers' patterns (LanePattern) are worth noting: those that alone make the addresses of several accesses
// differ between lanes, or of accesses in a deeper loop. Then what the lanes' addresses have in common is found out
// once and not at every access.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/DataLayout.h>

#include "core/simt/code/program.h"
#include "core/simt/lower/function_analysis.h"

namespace lanescope::simt {

/// The patterns of one function, numbered in Program::patterns. Says which there are; who writes the code notes and
/// uses them (PatternWriter).
class LanePatterns {
public:
    /// What makes an address differ between lanes: a value, or the variable that holds it; in bytes of the address.
    struct Part {
        const llvm::Value* value = nullptr;
        int64_t scale = 1;
    };
    using ByScale = std::map<int64_t, uint32_t>;

    LanePatterns(const FunctionAnalysis& analysis, const llvm::DataLayout& layout, Program& program);

    /// The numbers of its patterns, times each scale that addresses have it with; null when there are none.
    [[nodiscard]] const ByScale* of(const llvm::Value& valueOrVariable) const;
    /// What alone makes an address differ between lanes; none if nothing does, or more than one thing.
    [[nodiscard]] Part onlyPartOf(const llvm::Value& pointer) const;
    /// How much further on \p value is in each lane than in the one before, where warps have whole rows of threads: but
    /// for wrapping around. None: that differs, or is not known.
    [[nodiscard]] std::optional<int32_t> rowStepOf(const llvm::Value& value) const { return rowStepOf(value, 0); }

private:
    [[nodiscard]] std::optional<int32_t> rowStepOf(const llvm::Value& value, unsigned depth) const;
    [[nodiscard]] std::optional<int32_t> rowStepOfAddress(const llvm::GetElementPtrInst& gep, unsigned depth) const;
    void addParts(const llvm::Value* pointer, std::vector<Part>& parts) const;

    const FunctionAnalysis& m_analysis;
    const llvm::DataLayout& m_layout;
    const bool m_wholeRows;
    llvm::DenseMap<const llvm::Value*, ByScale> m_patterns;  ///< by value or variable
};

}  // namespace lanescope::simt
