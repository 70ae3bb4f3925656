// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every value that a variable of one thread took, and what the thread had read to compute it.
#pragma once

#include <array>
#include <vector>

#include "core/base/result.h"
#include "core/replay/replay.h"
#include "core/trace/reader.h"

namespace lanescope::analysis {

struct VariableRead {
    BufferId buffer;
    uint64_t offset = 0;  ///< bytes
    StepIndex step = 0;   ///< the read's event
};

struct VariableWrite {
    StepIndex step = 0;  ///< the write's event
    SiteId site;
    bool known = false;
    std::array<uint8_t, 16> value{};
    std::vector<VariableRead> reads;  ///< since the thread last wrote or branched; at most kMaxVariableReads
};
using VariableHistory = std::vector<VariableWrite>;
inline constexpr size_t kMaxVariableReads = 16;

/// In step order, at most \p limit. \p thread: linear, in the block. Cost: decodes the block once, with values.
Result<VariableHistory> variableHistory(trace::TraceReader& reader, LaunchId launch, BlockIndex block, uint64_t thread,
                                        VariableId variable, size_t limit);

/// Fills in what the trace does not hold, since replay computes it. \p cursor is of the history's block, and ends
/// anywhere. Cost: runs the block once.
Result<void> computeValues(VariableHistory& history, replay::BlockCursor& cursor, uint64_t thread, VariableId variable);

}  // namespace lanescope::analysis
