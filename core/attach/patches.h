// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Patches for one GPU, made of their PTX by the toolkit's assembler.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace lanescope::attach {

/// Machine code for compute capability \p capability (90: 9.0). Errors: the assembler's own words.
Result<std::vector<char>> assemblePatches(const std::string& toolkit, const std::string& ptx, int capability);

}  // namespace lanescope::attach
