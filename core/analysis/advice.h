// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Advice: what in a trace is right but slow or of no use, with its numbers. Computed from the recorded accesses of the
// first blocks of each kernel; a kernel with an error among its findings gets none (first right, then fast).
#pragma once

#include <string>
#include <vector>

#include "core/analysis/analysis.h"

namespace lanescope::analysis {

/// Below these nothing is said. Chosen so that a good program hears nothing.
struct AdviceThresholds {
    /// Mean wavefronts per ideal wavefront of a line: from 2 on, the line takes at least twice as long.
    double bankConflict = 2;
    /// Sectors moved per sector needed. Up to 3 are usual for rows of structs and small tiles, whose other bytes the
    /// next line takes from the cache; a line that moves fewer than 12 sectors a request is never named.
    double uncoalesced = 4;
    /// Share of all lane slots of the kernel that idle because of one branch, in per cent.
    double divergentBranch = 25;
    /// Share of a shared array that nobody touches, in per cent: padding and ragged edges stay below.
    double unusedShared = 50;
    /// Share of a line's stores that repeat what another line stored, in per cent.
    double redundantStore = 50;
};

/// Sets the threshold of a kind: "bank-conflict", "uncoalesced", "divergent-branch", "unused-shared" or
/// "redundant-store". Error BadInput for others.
Result<void> setThreshold(AdviceThresholds& thresholds, const std::string& kind, double value);

/// Ordered by launch, kind and place. About 1 µs per event looked at, at most some million events.
Result<std::vector<trace::Finding>> adviceOn(trace::TraceReader& reader, const AdviceThresholds& thresholds);

}  // namespace lanescope::analysis
