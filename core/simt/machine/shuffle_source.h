// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where lanes look in a shuffle, as the PTX manual has it for shfl.sync.
#pragma once

#include <cstdint>

namespace lanescope::simt {

enum class ShuffleMode : uint8_t { Index, Up, Down, Butterfly };

struct ShuffleSource {
    int32_t lane;
    bool isInside;  ///< else the lane keeps what it has
};

/// Of a lane whose operands b and c are these: b says where, c has the clamp in bits 0 to 4 and the segment's mask in
/// bits 8 to 12.
constexpr ShuffleSource sourceOf(ShuffleMode mode, int32_t lane, uint32_t b, uint32_t c)
{
    const auto segment = static_cast<int32_t>(c >> 8 & 0x1f), clamp = static_cast<int32_t>(c & 0x1f);
    const auto offset = static_cast<int32_t>(b & 0x1f);
    const int32_t bound = (lane & segment) | (clamp & ~segment);
    switch (mode) {
    case ShuffleMode::Up:
        return {lane - offset, lane - offset >= bound};
    case ShuffleMode::Down:
        return {lane + offset, lane + offset <= bound};
    case ShuffleMode::Butterfly:
        return {lane ^ offset, (lane ^ offset) <= bound};
    case ShuffleMode::Index:
        break;
    }
    const int32_t from = (lane & segment) | (offset & ~segment);
    return {from, from <= bound};
}

}  // namespace lanescope::simt
