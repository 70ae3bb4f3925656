// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether threads of a launch meet in a buffer. Where an access lies is a sum of steps: each coordinate of the thread,
// or round of a loop, times so many bytes. Two accesses are at one byte where the difference of two such sums is next
// to 0. From the largest step down there are few numbers of it for which what is left can make up for them: mostly one,
// as where x < n in y * n + x, so that both threads have the same y, and then the same x; or none.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/simt/ir/affine.h"

namespace lanescope::simt {

/// An upper bound of a sum of coordinates, in one launch.
struct PlacedBound {
    std::array<int64_t, kOthers> times{};
    int64_t most = 0;
};

/// Where one access of a launch touches an object.
struct PlacedAccess {
    PlacedAffine offset;  ///< in bytes
    uint32_t bytes = 0;
    bool isWrite = true;
    std::vector<PlacedBound> bounds;  ///< that hold for whoever gets there
};

/// Whether no byte that a thread of a launch writes by these accesses is touched by another. False: perhaps.
bool areApart(const std::vector<PlacedAccess>& accesses, const LastCoordinates& last);

}  // namespace lanescope::simt
