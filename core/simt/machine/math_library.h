// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Math functions that are no LLVM intrinsics, by the host's libm (so with its accuracy: at most 1 ulp for most).
#pragma once

#include <string>

#include "core/simt/machine/handlers.h"

namespace lanescope::simt {

/// Address of a host function float(float), double(double, double), …; the handler from runMath knows which.
using MathFunction = const void*;

/// \p name: "tanhf", "tanh" or either behind the prefix "__ls_math_". Null when there is no such function.
MathFunction mathFunction(const std::string& name, LaneType lane, size_t arguments);
/// The handler that calls such a function for every active lane; null for a number of arguments it does not know.
Handler runMath(LaneType lane, size_t arguments);

}  // namespace lanescope::simt
