// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One missing synchronisation leaves several pairs of lines unordered, and is told as one finding.
#pragma once

#include <vector>

#include "core/trace/model.h"

namespace lanescope::findings {

/// The first of those that are told together. Its count is that of all.
struct ToldFinding : trace::Finding {
    /// The pairs of lines that the same missing synchronisation leaves unordered, the first one (this) too, each with
    /// its own count. Empty where there is one pair only, and for what is no race.
    std::vector<trace::Finding> pairs;
};

/// Takes together the races of a kernel that one synchronisation can order: those that share a line, or whose lines,
/// from the one side to the other, overlap. Keeps the order of the first ones.
std::vector<ToldFinding> toldOnce(const std::vector<trace::Finding>& findings);

}  // namespace lanescope::findings
