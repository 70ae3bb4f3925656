// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What becomes of a word when an atomic changes it.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/simt/code/instruction.h"
#include "core/simt/machine/lane_functions.h"

namespace lanescope::simt {

template <typename Float, typename Bits>
Bits addFloat(Bits a, Bits b)
{
    return std::bit_cast<Bits>(std::bit_cast<Float>(a) + std::bit_cast<Float>(b));
}

template <typename Bits>
Bits addFloating(Bits a, Bits b)
{
    if constexpr (sizeof(Bits) == 8)
        return addFloat<double>(a, b);
    else if constexpr (sizeof(Bits) == 4)
        return addFloat<float>(a, b);
    else
        return a;  // narrower floats have sums of their own
}

inline double narrowValue(uint64_t bits, NarrowFloat kind)
{
    return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(widened(bits & 0xffff, kind))));
}

/// The sum of each half or bfloat16 of a word. As doubles the sums are exact, or one summand is too small to matter.
template <typename Bits>
Bits addNarrow(Bits a, Bits b, NarrowFloat kind)
{
    uint64_t sum = 0;
    for (size_t shift = 0; shift < 8 * sizeof(Bits); shift += 16)
        sum |= narrowed(narrowValue(uint64_t{a} >> shift, kind) + narrowValue(uint64_t{b} >> shift, kind), kind,
                        RoundMode::Nearest)
               << shift;
    return static_cast<Bits>(sum);
}

/// Of one half or bfloat16; a number where one of them is none.
template <typename Bits>
Bits extremeNarrow(Bits a, Bits b, NarrowFloat kind, bool larger)
{
    const double x = narrowValue(a, kind), y = narrowValue(b, kind);
    if (std::isnan(x) || std::isnan(y))
        return std::isnan(x) ? b : a;
    return (larger ? x < y : y < x) ? b : a;
}

template <typename Float, typename Bits>
Bits extremeOf(Bits a, Bits b, bool larger)
{
    Float x = std::bit_cast<Float>(a), y = std::bit_cast<Float>(b);
    return larger ? (x < y ? b : a) : (y < x ? b : a);
}

template <typename Bits>
Bits extremeFloating(Bits a, Bits b, bool larger)
{
    if constexpr (sizeof(Bits) == 8)
        return extremeOf<double>(a, b, larger);
    else if constexpr (sizeof(Bits) == 4)
        return extremeOf<float>(a, b, larger);
    else
        return a;
}

/// Of \p old, the operand, and what a CompareExchange compares with.
template <typename Bits>
Bits combine(const AtomicInfo& info, Bits old, Bits value, Bits compare)
{
    using Signed = std::make_signed_t<Bits>;
    auto less = [](Bits a, Bits b) { return static_cast<Signed>(a) < static_cast<Signed>(b); };
    switch (info.op) {
    case AtomicOp::Exchange:
        return value;
    case AtomicOp::Add:
        return static_cast<Bits>(old + value);
    case AtomicOp::Sub:
        return static_cast<Bits>(old - value);
    case AtomicOp::And:
        return old & value;
    case AtomicOp::Or:
        return old | value;
    case AtomicOp::Xor:
        return old ^ value;
    case AtomicOp::Max:
        return info.isFloat ? extremeFloating(old, value, true) : less(old, value) ? value : old;
    case AtomicOp::Min:
        return info.isFloat ? extremeFloating(old, value, false) : less(value, old) ? value : old;
    case AtomicOp::UMax:
        return old < value ? value : old;
    case AtomicOp::UMin:
        return value < old ? value : old;
    case AtomicOp::Inc:
        return old >= value ? Bits{0} : static_cast<Bits>(old + 1);
    case AtomicOp::Dec:
        return old == 0 || old > value ? value : static_cast<Bits>(old - 1);
    case AtomicOp::FAdd:
        return addFloating(old, value);
    case AtomicOp::HalfAdd:
        return addNarrow(old, value, NarrowFloat::Half);
    case AtomicOp::BFloatAdd:
        return addNarrow(old, value, NarrowFloat::BFloat);
    case AtomicOp::HalfMax:
    case AtomicOp::HalfMin:
        return extremeNarrow(old, value, NarrowFloat::Half, info.op == AtomicOp::HalfMax);
    case AtomicOp::BFloatMax:
    case AtomicOp::BFloatMin:
        return extremeNarrow(old, value, NarrowFloat::BFloat, info.op == AtomicOp::BFloatMax);
    case AtomicOp::CompareExchange:
        return old == compare ? value : old;
    }
    return old;
}

}  // namespace lanescope::simt
