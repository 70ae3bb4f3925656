// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text form of a focus: "launch=0 block=(1,0,0) step=137 thread=(2,1,0)".
#pragma once

#include <optional>
#include <string>

#include "core/replay/replay.h"

namespace lanescope::replay {

/// The parts that a text gives; nothing is checked against a trace yet.
struct FocusParts {
    /// A step as a number, or as a share of the block's steps in percent ("first" is 0, "last" is 100).
    struct Step {
        StepIndex number = 0;
        std::optional<double> percent;
    };
    std::optional<LaunchId> launch;
    std::optional<Dim3> block;
    std::optional<Step> step;
    std::optional<uint32_t> epoch;  ///< the step at which this many barriers of the block have been completed
    std::optional<Dim3> thread;
    std::optional<BufferId> buffer;
    std::optional<uint64_t> cell;
};

Result<FocusParts> parseFocusParts(const std::string& text);

}  // namespace lanescope::replay
