// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the checks of blocks have reported, gathered for the launch.
#pragma once

#include <cstddef>
#include <vector>

#include "core/simt/checks/block_checks.h"
#include "core/simt/launch/launch_plan.h"

namespace lanescope::simt {

/// What \p block has reported, added to what others have.
void addReports(const Block& block, device::DeviceOutcome& outcome);

/// Reports ascending by block, as they are judged.
void sortReports(device::DeviceOutcome& outcome);

/// Kinds of mistakes at places, each counted once.
size_t countReports(const device::DeviceOutcome& outcome);

/// Whether a block found anything.
bool hasReports(const BlockChecks& checks);

/// What operations the recorded blocks have run, by place.
std::vector<trace::LineOperations> operationsOf(const LaunchPlan& plan, const std::vector<RunCount>& runs);

}  // namespace lanescope::simt
