// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who has met whom since when: the order that barriers and warp-wide operations make.
#pragma once

#include <cstdint>

#include "core/base/ids.h"

namespace lanescope::simt {

/// Which lanes of a warp have met since when, when they met in smaller groups than the whole warp.
struct LaneOrder {
    uint32_t met[kWarpSize][kWarpSize] = {};
};

/// Which warps of a block have met since when, when they met at barriers that are not for all of them.
struct WarpOrder {
    static constexpr unsigned kMostWarps = 32;
    uint32_t met[kMostWarps][kMostWarps] = {};
};

}  // namespace lanescope::simt
