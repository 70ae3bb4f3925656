// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registers, lane by lane.
#pragma once

#include <bit>
#include <cstring>

#include "core/simt/state/warp.h"

namespace lanescope::simt {

/// Whether lanes hold it in 8 bytes each.
inline bool isWide(uint8_t bits)
{
    return bits > 32;
}

/// The lowest \p bits.
inline uint64_t maskOf(unsigned bits)
{
    return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
}

/// f of each lane in \p mask.
template <typename F>
void forActive(LaneMask mask, F f)
{
    for (LaneMask rest = mask; rest; rest &= rest - 1)
        f(static_cast<size_t>(std::countr_zero(rest)));
}

inline uint64_t valueOf(const Warp& warp, const FlowOperand& operand, size_t lane)
{
    uint64_t value = 0;
    if (operand.at.form == Form::Scalar)
        value = warp.scalars[operand.at.reg];
    else if (isWide(operand.bits))
        std::memcpy(&value, warp.regs + operand.at.reg + lane * 8, 8);
    else
        std::memcpy(&value, warp.regs + operand.at.reg + lane * 4, 4);
    return value & maskOf(operand.bits);
}

}  // namespace lanescope::simt
