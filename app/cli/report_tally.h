// SPDX-License-Identifier: GPL-3.0-or-later
// Counts over a trace's events, per launch and per site.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/base/result.h"
#include "core/trace/reader.h"

namespace lanescope::cli {

/// One site's numbers. A request is one site run by one warp; a sector is 32 bytes; a wavefront serves each of the 32
/// four-byte banks once.
struct SiteTally {
    uint64_t accesses = 0;  ///< by lanes
    uint64_t requests = 0;
    uint64_t sectors = 0;       ///< global and constant
    uint64_t idealSectors = 0;  ///< what the same bytes would take side by side
    uint64_t wavefronts = 0;    ///< shared
    uint64_t conflicts = 0;     ///< wavefronts beyond one per request
    uint32_t maxDegree = 0;     ///< shared: most wavefronts of one request
};

struct LaunchTally {
    uint64_t accesses = 0;
    uint64_t globalBytes = 0;
    uint64_t sharedBytes = 0;
    uint64_t barriers = 0;
    uint64_t divergentBranches = 0;
    std::map<SiteId, SiteTally> sites;  ///< accesses only
};

/// Reads every event of the launch: O(events).
Result<LaunchTally> tally(trace::TraceReader& reader, LaunchId launch);

}  // namespace lanescope::cli
