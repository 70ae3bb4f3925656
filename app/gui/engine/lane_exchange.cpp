// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/engine/lane_exchange.h"

#include <array>

namespace lanescope::gui {

namespace {

using Kind = ShuffleCall::Kind;

struct Shuffle {
    const char* name;
    Kind kind;
};
constexpr std::array kShuffles{Shuffle{"__shfl_sync", Kind::Index}, Shuffle{"__shfl_up_sync", Kind::Up},
                               Shuffle{"__shfl_down_sync", Kind::Down}, Shuffle{"__shfl_xor_sync", Kind::Xor}};

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

std::optional<ShuffleCall> ShuffleCall::in(const std::string& statement)
{
    for (const Shuffle& shuffle : kShuffles) {
        const std::string name(shuffle.name);
        const size_t at = statement.find(name);
        const size_t open = at == std::string::npos ? at : statement.find_first_not_of(' ', at + name.size());
        if (open == std::string::npos || statement[open] != '(')
            continue;
        const std::vector<std::string> arguments = argumentsAt(statement, open);
        if (arguments.size() == 3 || arguments.size() == 4)
            return ShuffleCall{shuffle.kind, arguments[2], arguments.size() == 4 ? arguments[3] : std::string()};
    }
    return std::nullopt;
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
