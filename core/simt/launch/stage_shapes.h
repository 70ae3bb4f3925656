// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shapes of arrays in shared memory, as the boxes that were copied into them tell.
#pragma once

#include <cstdint>
#include <map>

#include "core/simt/state/grid_state.h"
#include "core/trace/model.h"

namespace lanescope::simt {

/// Where \p buffer, whose first byte is at \p address, is made of whole boxes of one form, side by side: gives it their
/// extents, behind how many they are. True: it has other extents now. \p boxes: by address, of the whole launch.
bool shapeByBoxes(trace::Buffer& buffer, uint64_t address, const std::map<uint64_t, CopiedBox>& boxes);

}  // namespace lanescope::simt
