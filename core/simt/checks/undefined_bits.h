// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the files of the tracker of undefined values have in common.
#pragma once

#include <cstdint>

namespace lanescope::simt {

inline constexpr uint32_t kComputed = 1u << 31;  ///< of an origin: the value was computed from what the origin gave
inline constexpr uint32_t kOriginMask = kComputed - 1;

}  // namespace lanescope::simt
