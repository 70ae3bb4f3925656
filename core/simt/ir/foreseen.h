// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses whose places are known before a block runs: each lane's behind that of the lane before, or all lanes' the
// same, at a sum of coordinates (affine.h). Of a block in which all of them are inside their buffers, and in which all
// threads take the ways that lead to them, nobody has to look at single ones.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/simt/ir/affine.h"

namespace lanescope::simt {

struct ForeseenAccess {
    LaunchNumber base;  ///< a pointer
    Affine offset;      ///< in bytes from there; of coordinates of threads and blocks alone
    uint32_t bytes = 0;
    bool isStore = false;
};

/// A branch that all threads of a block take the same way: where that number has this sign.
struct ForeseenGuard {
    enum class Sign : uint8_t { Negative, NotPositive, Positive, NotNegative, NotZero };
    Affine number;
    Sign sign = Sign::NotZero;
};

/// Those of one kernel.
struct ForeseenAccesses {
    std::vector<ForeseenAccess> accesses;
    std::vector<ForeseenGuard> guards;
    /// What threadIdx.x, y and z are multiplied with, in accesses that have that in common.
    std::vector<std::array<LaunchSum, 3>> groups;
    std::vector<Fits> provided;  ///< of accesses and guards: else nothing is foreseen in the launch
    ComputedNumbers computed;
};

}  // namespace lanescope::simt
