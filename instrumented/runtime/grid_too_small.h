// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cells that a kernel has left out because its grid was rounded down.
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/ids.h"
#include "core/device/device_memory.h"

namespace lanescope::runtime {

/// A launch that got a buffer.
struct LaunchSize {
    Dim3 grid;
    Dim3 block;

    [[nodiscard]] Dim3 threads() const { return {grid.x * block.x, grid.y * block.y, grid.z * block.z}; }
    [[nodiscard]] uint64_t count() const { return grid.count() * block.count(); }
    friend bool operator==(const LaunchSize&, const LaunchSize&) = default;
};

struct LeftOut {
    uint64_t first = 0;        ///< cell, of the first row where it is the same in each
    uint64_t row = 0;          ///< cells of a row; 0: they are not seen as rows
    bool isOfEachRow = false;  ///< the end of each row, not the end of the buffer
    uint64_t cellsOfThread = 1;
};

/// What of the \p cells cells of \p cellBytes bytes each from \p address on nobody has written although they look like
/// what \p launch was for: all of their beginning has been written, cell by thread (some each, or row by row), and what
/// is missing is less than a block in that direction. Nothing where anything else may have been meant.
std::optional<LeftOut> leftOut(const device::DeviceMemory& memory, uint64_t address, uint64_t cells, uint64_t cellBytes,
                               const LaunchSize& launch);

}  // namespace lanescope::runtime
