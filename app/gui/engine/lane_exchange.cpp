// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/engine/lane_exchange.h"

#include <array>
#include <map>

namespace lanescope::gui {

namespace {

using Kind = ShuffleCall::Kind;

struct Shuffle {
    const char* name;
    Kind kind;
};
constexpr std::array kShuffles{Shuffle{"__shfl_sync", Kind::Index}, Shuffle{"__shfl_up_sync", Kind::Up},
                               Shuffle{"__shfl_down_sync", Kind::Down}, Shuffle{"__shfl_xor_sync", Kind::Xor}};

using Together = CollectiveCall::Kind;
constexpr std::array<std::pair<const char*, Together>, 11> kCollectives{{{"__ballot_sync", Together::Ballot},
                                                                         {"__any_sync", Together::Any},
                                                                         {"__all_sync", Together::All},
                                                                         {"__reduce_add_sync", Together::Add},
                                                                         {"__reduce_min_sync", Together::Min},
                                                                         {"__reduce_max_sync", Together::Max},
                                                                         {"__reduce_and_sync", Together::And},
                                                                         {"__reduce_or_sync", Together::Or},
                                                                         {"__reduce_xor_sync", Together::Xor},
                                                                         {"__match_any_sync", Together::MatchAny},
                                                                         {"__match_all_sync", Together::MatchAll}}};

/// The arguments of the call whose opening bracket is at \p open; empty where it is not closed.
std::vector<std::string> argumentsAt(const std::string& text, size_t open)
{
    std::vector<std::string> arguments(1);
    int depth = 0;
    for (size_t i = open; i < text.size(); ++i) {
        const char c = text[i];
        depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
        if (depth == 0)
            return arguments;
        if (depth == 1 && c == ',')
            arguments.emplace_back();
        else if (i != open)
            arguments.back() += c;
    }
    return {};
}

/// Where \p name is called in \p text, and with which arguments.
std::vector<std::pair<size_t, std::vector<std::string>>> callsOf(const std::string& name, const std::string& text)
{
    std::vector<std::pair<size_t, std::vector<std::string>>> calls;
    for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
        const size_t open = text.find_first_not_of(' ', at + name.size());
        if (open != std::string::npos && text[open] == '(')
            calls.emplace_back(at, argumentsAt(text, open));
    }
    return calls;
}

int64_t sourceOf(Kind kind, int64_t lane, int64_t operand, int64_t width)
{
    const int64_t first = lane / width * width;
    switch (kind) {
    case Kind::Index:
        return first + (operand & (width - 1));
    case Kind::Up:
        return lane - operand < first ? lane : lane - operand;
    case Kind::Down:
        return lane + operand >= first + width ? lane : lane + operand;
    case Kind::Xor:
        // Groups before its own can be read, those after it cannot.
        return (lane ^ operand) >= first + width ? lane : lane ^ operand;
    }
    return lane;
}

}  // namespace

std::vector<ShuffleCall> ShuffleCall::allIn(const std::string& statement)
{
    std::map<size_t, ShuffleCall> calls;
    for (const Shuffle& shuffle : kShuffles)
        for (const auto& [at, arguments] : callsOf(shuffle.name, statement))
            if (arguments.size() == 3 || arguments.size() == 4)
                calls[at] = {shuffle.kind, arguments[2], arguments.size() == 4 ? arguments[3] : std::string()};
    std::vector<ShuffleCall> all;
    for (const auto& [at, call] : calls)
        all.push_back(call);
    return all;
}

std::optional<CollectiveCall> CollectiveCall::in(const std::string& statement)
{
    std::map<size_t, CollectiveCall> calls;
    for (const auto& [name, kind] : kCollectives)
        for (const auto& [at, arguments] : callsOf(name, statement))
            if (arguments.size() == (kind == CollectiveCall::Kind::MatchAll ? 3U : 2U))
                calls[at] = {kind, arguments[1]};
    return calls.empty() ? std::nullopt : std::optional(calls.begin()->second);
}

LaneMask Collective::participants() const
{
    LaneMask lanes = 0;
    for (size_t lane = 0; lane < operands.size(); ++lane)
        lanes |= operands[lane] ? LaneMask{1} << lane : 0;
    return lanes;
}

LaneMask Collective::alike(int lane) const
{
    LaneMask lanes = 0;
    for (size_t other = 0; other < operands.size(); ++other)
        lanes |= operands[other] && operands[other] == operands[static_cast<size_t>(lane)] ? LaneMask{1} << other : 0;
    return lanes;
}

std::optional<Collective> collectiveOf(const CollectiveCall& call, LaneMask active, const LaneNumber& number)
{
    Collective collective{call.kind, {}};
    for (int lane = 0; lane < kWarpSize; ++lane) {
        if (((active >> lane) & 1) == 0)
            continue;
        const auto value = number(call.operand, lane);
        if (!value)
            return std::nullopt;
        collective.operands[static_cast<size_t>(lane)] = collective.isVote() ? int64_t{*value != 0} : *value;
    }
    return active == 0 ? std::nullopt : std::optional(collective);
}

std::vector<LaneArc> arcsOf(const ShuffleCall& call, LaneMask active, const LaneNumber& number)
{
    std::vector<LaneArc> arcs;
    for (int lane = 0; lane < kWarpSize; ++lane) {
        if (((active >> lane) & 1) == 0)
            continue;
        const auto operand = number(call.operand, lane);
        const auto width = call.width.empty() ? std::optional<int64_t>(kWarpSize) : number(call.width, lane);
        const bool isWidth = width && *width > 0 && *width <= kWarpSize && (*width & (*width - 1)) == 0;
        if (!operand || *operand < 0 || !isWidth)
            continue;
        const int64_t source = sourceOf(call.kind, lane, *operand, *width);
        if (source >= 0 && source < kWarpSize && source != lane && ((active >> source) & 1) != 0)
            arcs.push_back({static_cast<int>(source), lane});
    }
    return arcs;
}

}  // namespace lanescope::gui
