// SPDX-License-Identifier: GPL-3.0-or-later
// What a block does from barrier to barrier, small enough to be named: what each warp's steps are between two
// barriers, which epochs do the same, and which of them come again and again.
#pragma once

#include <array>
#include <vector>

#include "core/replay/replay.h"

namespace lanescope::gui {

struct BlockPhases {
    static constexpr size_t kRanks = 7;       ///< see rankOf()
    static constexpr size_t kMost = 1 << 18;  ///< phases that are kept, of all warps

    /// One warp between two barriers.
    struct Phase {
        std::array<uint32_t, kRanks> steps{};  ///< by rank
        StepIndex first = 0;
        StepIndex last = 0;  ///< one past

        [[nodiscard]] uint32_t total() const;
    };

    /// Epochs whose steps are as many of each site.
    struct Pattern {
        uint32_t source = 0;
        uint32_t line = 0;  ///< most of the steps are of it; 0: there are none
        size_t epochs = 0;
    };

    /// Epochs that come again and again, in turn.
    struct Loop {
        size_t first = 0;  ///< epoch
        size_t every = 1;  ///< epochs in a turn
        size_t times = 1;
    };

    size_t warps = 0;
    std::vector<Phase> phases;        ///< [epoch][warp]; empty where there are more than kMost
    std::vector<Pattern> patterns;    ///< in the order in which they are met
    std::vector<uint32_t> patternOf;  ///< [epoch] index into `patterns`
    std::vector<Loop> loops;          ///< ascending; of at least three times
    std::vector<uint64_t> sameSteps;  ///< [warp] equal for warps that run the same steps with the same lanes

    /// One pass over the steps.
    static BlockPhases of(const std::vector<replay::StepSummary>& steps, size_t warps, const trace::Catalog& catalog);

    [[nodiscard]] size_t epochs() const { return patternOf.size(); }
    [[nodiscard]] const Phase& phase(size_t epoch, size_t warp) const { return phases[epoch * warps + warp]; }
};

}  // namespace lanescope::gui
