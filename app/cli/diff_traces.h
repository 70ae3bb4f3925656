// SPDX-License-Identifier: GPL-3.0-or-later
// Compares two traces access for access.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/trace/reader.h"

namespace lanescope::cli {

struct TraceDifferences {
    uint64_t threadsCompared = 0;
    uint64_t accessesCompared = 0;
    uint64_t differences = 0;        ///< threads that differ, and launches that cannot be compared
    std::vector<std::string> first;  ///< the first few, one line each
};

/// Each thread's accesses in its own order: kind, buffer (by its name, or its place among the arguments), byte offset,
/// and the value where both traces hold it. How warps and blocks were interleaved does not count. Reads all events of
/// both: O(events), memory of one block.
Result<TraceDifferences> compareTraces(trace::TraceReader& a, trace::TraceReader& b, size_t maxShown);

}  // namespace lanescope::cli
