// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the files of the tracker of undefined values have in common.
#pragma once

#include <cstdint>
#include <span>

#include "core/simt/code/flow.h"

namespace lanescope::simt {

inline constexpr uint32_t kComputed = 1u << 31;  ///< of an origin: the value was computed from what the origin gave
inline constexpr uint32_t kOriginMask = kComputed - 1;

/// One lane's operand: a value of \p bits bits, of which those in \p undefined could be anything.
struct PartlyDefined {
    uint64_t value = 0;
    uint64_t undefined = 0;
    uint8_t bits = 32;
};

/// Which bits of a result of \p bits bits differ with the undefined bits of the operands. All of them do where a
/// condition or the amount of a shift has an undefined bit, and for Combine and Branch where any operand has one;
/// elsewhere the answer is exact. Kinds that say it themselves (flow.h) are defined here.
uint64_t undefinedResult(FlowKind kind, std::span<const PartlyDefined> operands, unsigned bits);

}  // namespace lanescope::simt
