// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One mistake shows in several places, and is told as one finding.
#pragma once

#include <vector>

#include "core/trace/model.h"

namespace lanescope::findings {

/// The first of those that are told together. Its count is that of all.
struct ToldFinding : trace::Finding {
    /// All that are told together, the first one (this) too, each with its own count. Of races: the pairs of lines that
    /// the same missing synchronisation leaves unordered. Empty where there is one only.
    std::vector<trace::Finding> together;
};

/// Takes together, of a kernel: the races that one synchronisation can order, which share a line, or whose lines, from
/// the one side to the other, overlap; the accesses of one expression that memory does not allow (`x[i] += 1` reads and
/// writes); all accesses of a buffer that was freed too early. Keeps the order of the first ones.
std::vector<ToldFinding> toldOnce(const std::vector<trace::Finding>& findings);

}  // namespace lanescope::findings
