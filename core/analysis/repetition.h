// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What comes again and again in a sequence: the turns of a loop, as what its epochs do shows them.
#pragma once

#include <cstddef>
#include <vector>

namespace lanescope::analysis {

struct Repetition {
    size_t every = 1;  ///< elements in a turn
    size_t times = 1;  ///< 1: nothing repeats

    [[nodiscard]] size_t length() const { return every * times; }
};

/// Of those from \p first on that come at least three times in turn, the one that covers most.
/// Cost: at most 16 passes over what repeats.
template <typename Pattern>
Repetition repetitionAt(const std::vector<Pattern>& patterns, size_t first)
{
    constexpr size_t kLongest = 16;  // elements of a turn
    constexpr size_t kFewest = 3;    // turns
    Repetition best;
    for (size_t every = 1; every <= kLongest && first + kFewest * every <= patterns.size(); ++every) {
        size_t last = first + every;
        while (last < patterns.size() && patterns[last] == patterns[last - every])
            ++last;
        const size_t times = (last - first) / every;
        if (times >= kFewest && times * every > best.length())
            best = {every, times};
    }
    return best;
}

}  // namespace lanescope::analysis
