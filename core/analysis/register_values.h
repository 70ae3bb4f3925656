// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the registers of a product of matrices (mma, wgmma) held: operands and sums of a warp's latest execution, as far
// as the trace's events tell them (trace::Site::registers).
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/fragments.h"
#include "core/replay/replay.h"

namespace lanescope::analysis {

/// One register of a warp's lanes.
struct RegisterValue {
    LaneMask known = 0;
    std::array<uint64_t, kWarpSize> bits{};
};

struct RegisterValues {
    /// [fragment][register], in the order of fragmentsOf; none of a fragment whose registers are not told.
    std::vector<std::vector<RegisterValue>> fragments;
    trace::SourceLocation where;    ///< of the product
    std::optional<StepIndex> step;  ///< of the event that has the last of its sums; none: nothing is known

    /// The bits of an element, the lowest first; none: they are not known.
    [[nodiscard]] std::optional<uint64_t> bitsOf(const MatrixInstruction& matrices, size_t fragment,
                                                 const FragmentElement& element) const;
};

/// Of the latest execution of \p instruction (an opcode, as trace::Site has it) by \p warp before \p step. Values of
/// code of which no events tell them are missing: of optimised code mostly. Cost: reads the events of the 65,536 steps
/// before, and moves a cursor over those of the execution.
Result<RegisterValues> traceRegisterValues(replay::Session& session, LaunchId launch, BlockIndex block, uint16_t warp,
                                           StepIndex step, const std::string& instruction);

/// "-1.5": the text of an element's \p bits as a value of \p type, of those that opcodes name ("f16", "tf32", "e4m3",
/// "s8"). Empty: there is no such type.
std::string elementText(const std::string& type, uint64_t bits);

}  // namespace lanescope::analysis
