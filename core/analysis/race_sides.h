// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When the earlier side of a race happened: the checks remember who touched a cell last, not at which step.
#pragma once

#include "core/trace/reader.h"

namespace lanescope::analysis {

/// Fills in step and epoch of the first side of each race among \p findings, as far as its block was recorded and is
/// not very long: the
/// thread's last access of the cell at that place, before the other side where both are in one block. Reads a block of
/// the trace per race.
Result<void> placeFirstSides(trace::TraceReader& reader, std::vector<trace::Finding>& findings);

}  // namespace lanescope::analysis
