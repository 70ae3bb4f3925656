// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places behind conditional barriers: threads that come there have left out the barrier, but have not returned.
#pragma once

#include <llvm/ADT/DenseMap.h>

#include "core/simt/code/program.h"
#include "core/simt/lower/function_analysis.h"

namespace lanescope::simt {

/// The marks of one function, numbered from 1 in Program::passedMarks; 0 is none.
class PassedMarks {
public:
    PassedMarks(const FunctionAnalysis& analysis, Program& program);

    /// The mark that threads which leave out the barriers in \p block come to.
    [[nodiscard]] uint32_t ofBarriersIn(const llvm::BasicBlock& block) const { return m_ofBarriers.lookup(&block); }
    /// The mark that stands at the beginning of \p block.
    [[nodiscard]] uint32_t at(const llvm::BasicBlock& block) const { return m_at.lookup(&block); }

private:
    llvm::DenseMap<const llvm::BasicBlock*, uint32_t> m_at;
    llvm::DenseMap<const llvm::BasicBlock*, uint32_t> m_ofBarriers;
};

}  // namespace lanescope::simt
