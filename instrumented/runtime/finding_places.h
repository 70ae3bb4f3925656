// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What only the host's side knows of a launch's findings: where it made the buffers, and where it launched.
#pragma once

#include <vector>

#include "instrumented/runtime/runtime.h"

namespace lanescope::runtime {

/// Has the messages about accesses outside or after a buffer say where the program allocated it, and those about races
/// where it calls it otherwise than the kernel. \p given: addresses that the launch got as arguments; of buffers that
/// bear one name it tells which is meant.
void addAllocationPlaces(Runtime& runtime, std::vector<trace::Finding>& findings, const std::vector<uint64_t>& given);

/// Findings in kernels of a library, which no line of the program in the kernel itself leads to, get the call on the
/// host that does.
void addHostCalls(Runtime& runtime, std::vector<trace::Finding>& findings);

}  // namespace lanescope::runtime
