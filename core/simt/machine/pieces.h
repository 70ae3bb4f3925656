// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bytes on their way from one memory to another, 16 of a lane at a time, with what is not defined of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/simt/state/warp.h"

namespace lanescope::simt {

struct Piece {
    uint64_t addresses[kWarpSize];
    std::array<std::array<std::byte, 16>, kWarpSize> data{};
    std::array<std::array<uint64_t, 2>, kWarpSize> undefined{};
};

/// Moves up to 16 bytes per lane between memory and \p piece, and records them as one access of the lanes of \p mask.
/// What may not be accessed is reported and left.
void movePiece(Warp& warp, const MemoryInfo& access, LaneMask mask, unsigned bytes, Piece& piece, bool isWrite);

}  // namespace lanescope::simt
