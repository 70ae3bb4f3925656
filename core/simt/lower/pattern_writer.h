// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Notes the patterns of registers in the code, and gives them to the accesses that go by them.
#pragma once

#include "core/simt/lower/code_writer.h"
#include "core/simt/lower/lane_patterns.h"
#include "core/simt/lower/value_map.h"
#include "core/simt/machine/handlers.h"

namespace lanescope::simt {

class PatternWriter {
public:
    PatternWriter(const LanePatterns& patterns, const ValueMap& values, CodeWriter& code, const HandlerSet& handlers)
        : m_patterns(patterns), m_values(values), m_code(code), m_handlers(handlers)
    {
    }

    /// To be called where the value, or the variable in a register, has just been written.
    void note(const llvm::Value& valueOrVariable);
    /// Gives an access the pattern of its addresses, where one is known. \p info has the address of \p pointer.
    void use(MemoryInfo& info, const llvm::Value& pointer) const;

private:
    const LanePatterns& m_patterns;
    const ValueMap& m_values;
    CodeWriter& m_code;
    const HandlerSet& m_handlers;
};

}  // namespace lanescope::simt
