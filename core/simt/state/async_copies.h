// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asynchronous copies under way (cp.async), for the race check: until the thread that issued one awaits it, nobody may
// touch the cells it fills, whatever barriers lie between. The bytes themselves arrive at once.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/base/ids.h"

namespace lanescope::simt {

struct RaceCells;

/// One lane's copy into shared memory.
struct AsyncCopy {
    uint8_t lane = 0;
    uint32_t group = 0;  ///< how often the lane had committed when it issued the copy
    uint32_t offset = 0;
    uint32_t bytes = 0;
    RaceCells* cells = nullptr;
    uint32_t block = 0;
};

/// Those of a warp that are not awaited yet.
struct AsyncCopies {
    std::vector<AsyncCopy> pending;
    std::array<uint32_t, kWarpSize> committed{};  ///< groups, by lane
};

}  // namespace lanescope::simt
