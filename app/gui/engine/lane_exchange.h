// SPDX-License-Identifier: GPL-3.0-or-later
// Which lane's value a warp shuffle brings to which lane.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/ids.h"

namespace lanescope::gui {

/// A value's way between two lanes of a warp, 0 to 31.
struct LaneArc {
    int from = 0;
    int to = 0;
    friend bool operator==(const LaneArc&, const LaneArc&) = default;
};

/// A call of a shuffle as a statement has it: what its arguments are called there.
struct ShuffleCall {
    enum class Kind : uint8_t { Index, Up, Down, Xor };
    Kind kind = Kind::Index;
    std::string operand;  ///< source lane, distance or mask
    std::string width;    ///< empty: the warp's

    /// The first call of `__shfl_sync`, `__shfl_up_sync`, `__shfl_down_sync` or `__shfl_xor_sync` in \p statement; none
    /// where there is none, or not all of it.
    static std::optional<ShuffleCall> in(const std::string& statement);
};

/// A lane's value of an expression; none where it has none.
using LaneNumber = std::function<std::optional<int64_t>(const std::string& expression, int lane)>;

/// What \p call brings from another of the lanes in \p active, as the CUDA C++ Programming Guide says (Warp Shuffle
/// Functions): lanes are taken in groups of `width`, and one whose source lies outside its group keeps its own value.
/// By receiving lane.
std::vector<LaneArc> arcsOf(const ShuffleCall& call, LaneMask active, const LaneNumber& number);

}  // namespace lanescope::gui
