// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One mistake shows in several runs of a program, the ranks of a job or the parts of a campaign, and is told once.
#pragma once

#include <cstddef>
#include <vector>

#include "core/findings/told_once.h"

namespace lanescope::findings {

/// What one run has to tell.
struct RunFindings {
    const trace::Catalog* catalog = nullptr;
    std::vector<ToldFinding> told;
};

/// What several runs tell alike: as the first of them tells it.
struct MergedFinding {
    ToldFinding finding;
    std::vector<size_t> runs;  ///< that have it, ascending; the first one's catalog names its places
};

/// How often something was seen, in all: runs that do other work each add, runs of the same work do not.
enum class Counts { Added, Largest };

/// Of the same kind, in a kernel of the same name, at the same places (path, line, column, what is done there), or with
/// a pair of those in common. Findings without places are the same when their words are. Keeps the order of runs, and
/// that within a run.
std::vector<MergedFinding> merge(const std::vector<RunFindings>& runs, Counts counts);

}  // namespace lanescope::findings
