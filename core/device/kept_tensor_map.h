// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The 128 bytes that programs hand around as a tensor map. Plain C++ without the standard library's classes, compiled
// for the GPU and for the host.
#pragma once

#include <stdint.h>

namespace lanescope::device {

inline constexpr uint64_t kTensorMapMark = 0x70614d736e655431;  ///< "1TensMap"

/// The rest of the 128 bytes is zero. See TensorMap for what the fields say.
struct KeptTensorMap {
    static constexpr uint32_t kDimensions = 5;

    uint64_t mark;
    uint64_t check;  ///< of what follows
    uint64_t address;
    uint64_t strides[kDimensions - 1];
    uint32_t lastElements[kDimensions];  ///< extents less one
    uint16_t channels;
    uint16_t pixels;
    uint8_t lastOfBox[kDimensions];
    uint8_t elementStrides[kDimensions];
    int8_t lowerCorner[kDimensions - 2][2];  ///< low and high byte
    int8_t upperCorner[kDimensions - 2][2];
    uint8_t type, rank, interleave, swizzle, flags;
};

enum TensorMapFlags : uint8_t { kMapFillsWithNaN = 1, kMapIsIm2col = 2 };

}  // namespace lanescope::device
