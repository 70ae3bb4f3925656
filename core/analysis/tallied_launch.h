// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A launch's events, as tallies where the trace has them, one by one where it does not.
#pragma once

#include <functional>

#include "core/trace/reader.h"

namespace lanescope::analysis {

/// Gives each recorded block of \p launch to \p tally when that returns true for what the trace has of it, else each
/// of its events to \p event.
Result<void> visitLaunch(trace::TraceReader& reader, LaunchId launch, trace::Detail detail,
                         const std::function<bool(const trace::BlockTally&)>& tally,
                         const std::function<void(BlockIndex, StepIndex, const trace::Event&)>& event);

/// Where addresses in the buffer begin: in device memory, or in the block's shared memory.
uint64_t baseOf(const trace::Buffer& buffer);

}  // namespace lanescope::analysis
