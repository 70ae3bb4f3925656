// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "grid_too_small.h"

namespace lanescope::runtime {

namespace {

/// Cells of a buffer, and which of them are written.
struct Cells {
    const device::DeviceMemory& memory;
    uint64_t address;
    uint64_t count;
    uint64_t bytes;

    /// How many from \p first on have been written whole.
    [[nodiscard]] uint64_t written(uint64_t first) const
    {
        return memory.writtenPrefix(address + first * bytes, (count - first) * bytes) / bytes;
    }
    /// How many from \p first on have no byte that has been written.
    [[nodiscard]] uint64_t unwritten(uint64_t first) const
    {
        return memory.unwrittenPrefix(address + first * bytes, (count - first) * bytes) / bytes;
    }
};

/// The end is missing: after \p written cells nothing has been written.
std::optional<LeftOut> tail(const Cells& cells, uint64_t written, const LaunchSize& launch)
{
    if (written == launch.count())
        return LeftOut{written};
    const uint64_t missing = cells.count - written;
    if (const uint64_t each = written / launch.count(); each > 1 && written % launch.count() == 0)
        return missing < each * launch.block.count() ? std::optional(LeftOut{written, 0, false, each}) : std::nullopt;
    // Rows of a matrix or slices of a volume: the inner dimensions are rounded up, the outer one is not.
    const Dim3 threads = launch.threads();
    const bool hasSlices = threads.z > 1;
    const uint64_t outer = hasSlices ? threads.z : threads.y;
    const uint64_t outerOfBlock = hasSlices ? launch.block.z : launch.block.y;
    const uint64_t most = hasSlices ? uint64_t{threads.x} * threads.y : threads.x;
    const uint64_t least = hasSlices ? uint64_t{threads.x - launch.block.x + 1} * (threads.y - launch.block.y + 1)
                                     : threads.x - launch.block.x + 1;
    const uint64_t row = written / outer;
    if (outer == 1 || written % outer != 0 || row < least || row > most || cells.count % row != 0 ||
        missing / row >= outerOfBlock)
        return std::nullopt;
    return LeftOut{written, row};
}

/// The end of each row of \p row cells is missing, and perhaps the last rows.
std::optional<LeftOut> columns(const Cells& cells, uint64_t written, uint64_t row, const LaunchSize& launch)
{
    const Dim3 threads = launch.threads();
    if (written != threads.x || row - written >= launch.block.x || cells.count % row != 0 || threads.z > 1)
        return std::nullopt;
    const uint64_t rows = cells.count / row;
    if (rows >= uint64_t{threads.y} + launch.block.y)
        return std::nullopt;
    for (uint64_t y = 0; y < rows; ++y) {
        const uint64_t here = y < threads.y ? written : 0;
        if (cells.written(y * row) != here || cells.unwritten(y * row + here) < row - here)
            return std::nullopt;
    }
    return LeftOut{written, row, true};
}

}  // namespace

std::optional<LeftOut> leftOut(const device::DeviceMemory& memory, uint64_t address, uint64_t cells, uint64_t cellBytes,
                               const LaunchSize& launch)
{
    const Cells all{memory, address, cells, cellBytes};
    const uint64_t written = all.written(0);
    if (written == 0 || written == cells)
        return std::nullopt;
    const uint64_t next = written + all.unwritten(written);
    return next == cells ? tail(all, written, launch) : columns(all, written, next, launch);
}

}  // namespace lanescope::runtime
