// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Subscripts outside the declared extents of the array that they are written for.
#pragma once

#include "core/simt/state/warp.h"

namespace lanescope::simt {

/// Notes the active lanes whose subscripts are outside the declared extents.
void reportShape(Warp& warp, const ShapeCheck& check);

}  // namespace lanescope::simt
