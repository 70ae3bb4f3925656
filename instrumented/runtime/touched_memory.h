// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a part of a launch touched in global memory, so that parts which ran apart can be held against each other.
//
// The file holds one JSON object:
//   {"buffers": [{"address": A, "name": "out", "element": 4, "reads": [[0, 64], …], "writes": […], "adds": […]}, …]}
// with ranges of bytes from the buffer's beginning, the second number behind the last. "adds" are atomics whose results
// nobody looks at. A buffer of too many ranges has "unknown": true instead.
#pragma once

#include <cstdint>
#include <string>

#include "instrumented/runtime/runtime.h"

namespace lanescope::runtime {

/// \p raceTime: of the race check, before the launch. Of buffers that no part of the launch can write, as the kernel's
/// code says, the check keeps nothing, and nothing is said.
void writeTouched(Runtime& runtime, uint32_t raceTime, const std::string& path);

}  // namespace lanescope::runtime
