// SPDX-License-Identifier: GPL-3.0-or-later
// What every block of a launch does, step by step, small enough to be seen at once: a strip of columns for each block,
// or for several neighbours where there are very many.
#pragma once

#include <optional>
#include <vector>

#include "app/gui/engine/step_levels.h"
#include "core/analysis/analysis.h"
#include "core/replay/replay.h"

namespace lanescope::gui {

struct LaunchStrips {
    static constexpr size_t kMostStrips = 512;
    static constexpr size_t kMostSlots = 4096;
    static constexpr size_t kMostPatterns = 64;

    /// The most telling of some steps.
    struct Slot {
        int8_t rank = -1;       ///< see rankOf(); -1: the block has no such step
        bool diverged = false;  ///< some warp ran one of them with fewer lanes than it has
        friend bool operator==(const Slot&, const Slot&) = default;
    };

    struct Strip {
        BlockIndex first;     ///< of the recorded blocks it stands for
        size_t blocks = 1;    ///< how many
        StepIndex steps = 0;  ///< of the longest
        std::vector<Slot> columns;
    };

    std::vector<Strip> strips;
    /// Blocks that do the same in the same steps, however many: the rarest first, of equally many the first in the
    /// grid. Empty where there are more than kMostPatterns.
    std::vector<Strip> patterns;
    std::vector<BlockIndex> recorded;     ///< ascending
    std::vector<uint32_t> patternOfEach;  ///< of `recorded`: index into `patterns`
    std::vector<StepIndex> stepsOfEach;   ///< of `recorded`
    std::vector<bool> divergedOfEach;     ///< of `recorded`: some warp parted
    size_t stepsPerSlot = 1;
    StepIndex longest = 0;  ///< steps
    BlockIndex longestBlock;
    StepIndex shortest = 0;
    BlockIndex shortestBlock;
    size_t blocks = 0;          ///< recorded
    size_t divergedBlocks = 0;  ///< in which some warp parted

    /// Strip that a recorded block is part of; none for others.
    [[nodiscard]] const Strip* stripOf(BlockIndex block) const;

    /// Index into `patterns`; none where there are none, or for a block that was not recorded.
    [[nodiscard]] std::optional<size_t> patternOf(BlockIndex block) const;

    /// Of what \p warps of each block do: of all from the trace's tallies; of some, and of blocks without a tally,
    /// about 0.1 µs per event.
    static Result<LaunchStrips> of(trace::TraceReader& reader, LaunchId launch,
                                   const analysis::WarpNumbers& warps = {});
};

}  // namespace lanescope::gui
