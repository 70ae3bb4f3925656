// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which blocks of a launch run, in what order, and how many of them at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/simt/launch/launch_plan.h"

namespace lanescope::simt {

/// Numbers of the blocks that are to run, in the order in which they are started: those of a cluster one behind the
/// other, by rank.
std::vector<uint64_t> blockOrder(const LaunchPlan& plan);

/// Blocks that the model GPU runs at the same time.
size_t residentBlocks(const LaunchPlan& plan);

}  // namespace lanescope::simt
