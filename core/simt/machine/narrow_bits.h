// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Halves and bfloat16s to floats and back, to nearest even, by their bits. Without branches, so that compilers make
// vectors of them.
#pragma once

#include <bit>
#include <cstdint>

namespace lanescope::simt {

/// A half that is no number becomes one NaN, as on a GPU.
[[gnu::always_inline]] constexpr uint32_t floatOfHalf(uint32_t bits)
{
    const uint32_t sign = (bits & 0x8000) << 16, magnitude = bits & 0x7fff;
    // A subnormal is a whole number of 2⁻²⁴; a float holds it exactly.
    const auto small = std::bit_cast<uint32_t>(static_cast<float>(static_cast<int32_t>(magnitude & 0x3ff)) * 0x1p-24f);
    const uint32_t normal = (magnitude << 13) + (112u << 23), infinite = 0x7f800000;
    const uint32_t finite = magnitude < 0x400 ? small : normal;
    const uint32_t number = sign | (magnitude >= 0x7c00 ? infinite : finite);
    return magnitude > 0x7c00 ? 0x7fffffff : number;
}

[[gnu::always_inline]] constexpr uint32_t floatOfBFloat(uint32_t bits)
{
    return bits << 16;
}

[[gnu::always_inline]] constexpr uint32_t halfOfFloat(uint32_t bits)
{
    const uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    // Below 2⁻¹⁴: adding ½ leaves the subnormal's bits at the end.
    const uint32_t small = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3f000000;
    const uint32_t normal = (magnitude + 0xc8000fff + (magnitude >> 13 & 1)) >> 13;
    const uint32_t finite = magnitude < 0x38800000 ? small : normal;
    const uint32_t number = sign | (magnitude >= 0x477ff000 ? 0x7c00 : finite);  // 65520 and more
    return magnitude > 0x7f800000 ? 0x7fff : number;
}

[[gnu::always_inline]] constexpr uint32_t bfloatOfFloat(uint32_t bits)
{
    const uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    return (bits & 0x7fffffff) > 0x7f800000 ? 0x7fff : rounded;
}

}  // namespace lanescope::simt
