// SPDX-License-Identifier: GPL-3.0-or-later
// Levels of detail of a timeline row: what stands for 64, 256, 1024 … steps, so that painting costs pixels, not steps.
#pragma once

#include <vector>

#include "core/replay/replay.h"

namespace lanescope::gui {

/// The most telling of some steps of one warp. Barriers tell most, then atomics, stores, loads, branches, variables.
struct StepBucket {
    int8_t rank = -1;    ///< see rankOf(); -1: the warp has none of the steps
    uint8_t lanes = 32;  ///< fewest lanes in one of them

    void add(const replay::StepSummary& step);
    void add(const StepBucket& other);
    friend bool operator==(const StepBucket&, const StepBucket&) = default;
};

int8_t rankOf(trace::SiteKind kind);
trace::SiteKind kindOfRank(int8_t rank);

/// Buckets of one row, the finest first.
class StepLevels {
public:
    static constexpr size_t kFinest = 64;  ///< steps a bucket
    static constexpr size_t kFactor = 4;   ///< from level to level

    /// Of each of \p warps warps whose steps are interleaved in \p steps. One pass over the steps.
    static std::vector<StepLevels> of(const std::vector<replay::StepSummary>& steps, size_t warps);

    /// The coarsest level whose buckets hold at most \p steps steps; null where even the finest one's hold more.
    [[nodiscard]] const std::vector<StepBucket>* levelFor(double steps, size_t& bucketSteps) const;

private:
    std::vector<std::vector<StepBucket>> m_levels;
};

}  // namespace lanescope::gui
