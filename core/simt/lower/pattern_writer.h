// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Notes the patterns of registers in the code, and gives them to the accesses that go by them.
#pragma once

#include "core/simt/lower/function_context.h"
#include "core/simt/lower/lane_patterns.h"

namespace lanescope::simt {

/// Owns the patterns of the function.
class PatternWriter {
public:
    explicit PatternWriter(FunctionContext& context)
        : m_patterns(context.analysis, context.builder.layout(), context.builder.program()), m_values(context.values),
          m_code(context.code), m_handlers(context.builder.handlers())
    {
    }

    /// To be called where the value, or the variable in a register, has just been written.
    void note(const llvm::Value& valueOrVariable);
    /// Gives an access the pattern of its addresses, where one is known. \p info has the address of \p pointer.
    void use(MemoryInfo& info, const llvm::Value& pointer) const;

private:
    const LanePatterns m_patterns;
    const ValueMap& m_values;
    CodeWriter& m_code;
    const HandlerSet& m_handlers;
};

}  // namespace lanescope::simt
