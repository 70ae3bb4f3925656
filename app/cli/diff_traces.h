// SPDX-License-Identifier: GPL-3.0-or-later
// Compares two traces access for access.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/trace/reader.h"

namespace lanescope::cli {

enum class Compared : uint8_t {
    Accesses,  ///< each thread's in its own order: kind, buffer, byte offset, value
    Cells,     ///< which bytes of each buffer a thread reads before it writes them, writes, and leaves with which value
};

struct TraceDifferences {
    uint64_t threadsCompared = 0;
    uint64_t accessesCompared = 0;   ///< or bytes
    uint64_t differences = 0;        ///< threads that differ, and launches that cannot be compared
    std::vector<std::string> first;  ///< the first few, one line each
};

/// Each thread's accesses, or cells, with the value where both traces hold it. Buffers are the same by name, or by
/// their place among the arguments. How warps and blocks were interleaved does not count; of cells, neither do the
/// width, order and number of accesses, which compilers choose. Reads all events of both: O(events), memory of one
/// block.
Result<TraceDifferences> compareTraces(trace::TraceReader& a, trace::TraceReader& b, Compared compared,
                                       size_t maxShown);

}  // namespace lanescope::cli
