// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recorded bytes as numbers.
#pragma once

#include "core/trace/model.h"

namespace lanescope::replay {

/// The first \p size bytes, at most 8, little-endian.
uint64_t unsignedOf(const uint8_t* bytes, uint32_t size);
int64_t signedOf(const uint8_t* bytes, uint32_t size);
/// Of a Float type of 2 (half, or bfloat16 by its name), 4 or 8 bytes; exact. 0 for other sizes.
double realOf(const trace::ValueType& type, const uint8_t* bytes);

}  // namespace lanescope::replay
