// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The PTX that a program carries: the same device code for several purposes, one after the other.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace lanescope::cuda {

enum class Purpose {
    Record,   ///< everything is logged, of blocks that are recorded
    Count,    ///< costs are summed up by place, of the same blocks
    Races,    ///< that, and accesses are held against those of other threads
    Measure,  ///< nothing is added: for hardware's counters
};
inline constexpr std::array kPurposes{Purpose::Record, Purpose::Count, Purpose::Races, Purpose::Measure};

inline std::string headOf(Purpose purpose)
{
    return "//lanescope image " + std::to_string(static_cast<int>(purpose)) + "\n";
}

inline std::string imageOf(Purpose purpose, const std::string& ptx)
{
    return headOf(purpose) + ptx;
}

/// The PTX for \p purpose; empty when there is none.
inline std::string ptxFor(Purpose purpose, std::string_view images)
{
    const size_t head = images.find(headOf(purpose));
    if (head == std::string_view::npos)
        return {};
    const std::string_view rest = images.substr(head + headOf(purpose).size());
    return std::string(rest.substr(0, rest.find("//lanescope image ")));
}

}  // namespace lanescope::cuda
