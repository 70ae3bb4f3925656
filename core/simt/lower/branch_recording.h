// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which branches get events of their own. Those that lanes may take differently always; uniform ones only where a step
// by source line would otherwise pass over their line. A counting loop needs none: its counter's writes are on the
// line.
#pragma once

#include <optional>

#include "core/simt/lower/function_analysis.h"
#include "core/simt/lower/program_builder.h"

namespace lanescope::simt {

/// Of one function; says, and changes nothing.
class BranchRecording {
public:
    BranchRecording(const FunctionAnalysis& analysis, const LoweringOptions& options)
        : m_analysis(analysis), m_options(options)
    {
    }

    [[nodiscard]] bool records(const llvm::BranchInst& branch) const;

private:
    bool isRecorded(const llvm::Instruction& instr) const;
    std::optional<unsigned> lastRecordedLine(const llvm::BasicBlock& block) const;

    const FunctionAnalysis& m_analysis;
    const LoweringOptions& m_options;
};

}  // namespace lanescope::simt
