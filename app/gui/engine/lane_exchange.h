// SPDX-License-Identifier: GPL-3.0-or-later
// What lanes of a warp give each other: which value a shuffle brings to which lane, and who votes, adds or matches.
#pragma once

#include <array>
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

    /// The calls of `__shfl_sync`, `__shfl_up_sync`, `__shfl_down_sync` and `__shfl_xor_sync` in \p statement, in their
    /// order; those of which it does not hold all are left out.
    static std::vector<ShuffleCall> allIn(const std::string& statement);
};

/// A lane's value of an expression; none where it has none.
using LaneNumber = std::function<std::optional<int64_t>(const std::string& expression, int lane)>;

/// What \p call brings from another of the lanes in \p active, as the CUDA C++ Programming Guide says (Warp Shuffle
/// Functions): lanes are taken in groups of `width`, and one whose source lies outside its group keeps its own value.
/// By receiving lane.
std::vector<LaneArc> arcsOf(const ShuffleCall& call, LaneMask active, const LaneNumber& number);

/// A call in which all lanes that take part decide something together: a vote, a reduction, a match.
struct CollectiveCall {
    enum class Kind : uint8_t { Ballot, Any, All, Add, Min, Max, And, Or, Xor, MatchAny, MatchAll };
    Kind kind = Kind::Ballot;
    std::string operand;  ///< predicate or value

    /// The first call of `__ballot_sync`, `__any_sync`, `__all_sync`, `__reduce_*_sync` or `__match_*_sync` in
    /// \p statement; none where there is none, or not all of it.
    static std::optional<CollectiveCall> in(const std::string& statement);
};

/// What the lanes that take part bring to such a call.
struct Collective {
    CollectiveCall::Kind kind = CollectiveCall::Kind::Ballot;
    std::array<std::optional<int64_t>, kWarpSize> operands;  ///< of votes 0 or 1; none: the lane does not take part

    [[nodiscard]] bool isVote() const { return kind <= CollectiveCall::Kind::All; }
    [[nodiscard]] bool isMatch() const { return kind >= CollectiveCall::Kind::MatchAny; }
    [[nodiscard]] LaneMask participants() const;
    /// The lanes that bring what \p lane brings.
    [[nodiscard]] LaneMask alike(int lane) const;
};

/// Empty where some lane of \p active has no value: half a vote would mislead.
std::optional<Collective> collectiveOf(const CollectiveCall& call, LaneMask active, const LaneNumber& number);

}  // namespace lanescope::gui
