// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a shared array is laid out, as a run shows it: where each element of the tile that was copied into it from global
// memory came to lie, and which layout that is; and which elements the lanes of a warp take at each access.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/analysis.h"
#include "core/layout/swizzle.h"
#include "core/replay/replay.h"

namespace lanescope::analysis {

/// A function of one index as nested strides, innermost first: extents (4,8) with strides (2,64) lead from index i to
/// i % 4 * 2 + i / 4 * 64.
struct IndexStrides {
    std::vector<int64_t> extents;
    std::vector<int64_t> strides;

    /// "32:1", "(4,8):(2,64)"
    [[nodiscard]] std::string text() const;
    friend bool operator==(const IndexStrides&, const IndexStrides&) = default;
};
/// \p values: at index 0, 1, …; 0 at the first. None: they are no such function.
std::optional<IndexStrides> stridesOf(const std::vector<int64_t>& values);

/// A map from row and column to an offset in elements.
struct FoundLayout {
    IndexStrides rows, cols;
    std::optional<layout::Swizzle> swizzle;
    int64_t first = 0;  ///< offset of (0,0)

    /// "(64,64):(64,1)", without the swizzle, as core/layout reads it.
    [[nodiscard]] std::string text() const;
    /// "row-major, rows padded by 1", "Swizzle<3,3,3> over row-major"
    [[nodiscard]] std::string name() const;
};
/// \p offsets: [row][col]; −1: not known, and fits anything. None: there is no such layout.
std::optional<FoundLayout> layoutOf(const std::vector<int64_t>& offsets, uint32_t rows, uint32_t cols);

/// One site's first execution by a whole warp, or by as many lanes as ever.
struct AccessLayout {
    SiteId site;
    uint32_t lanes = 0;
    std::optional<IndexStrides> strides;  ///< elements of the buffer from lane to lane; none: irregular
    bool isSwizzled = false;              ///< that is so before the array's swizzle
    uint32_t wavefronts = 0;              ///< Shared: that the request takes, and could take at best
    uint32_t idealWavefronts = 0;
    uint32_t sectors = 0;  ///< Global, likewise
    uint32_t idealSectors = 0;
    LaneMask mask = 0;
    uint32_t bytes = 4;                        ///< per lane
    std::array<uint64_t, kWarpSize> offset{};  ///< bytes in the buffer, by lane
};

struct RunLayout {
    trace::Buffer buffer;
    std::optional<trace::Buffer> source;  ///< that the tile came from; none: nothing was copied into it
    uint64_t firstRow = 0, firstCol = 0;  ///< of the tile, in the source
    uint32_t rows = 0, cols = 0;          ///< of the tile
    std::vector<int64_t>
        offsets;  ///< [row][col], elements in the array (in its first stage, if it has some); −1: unknown
    std::optional<FoundLayout> layout;
    std::vector<AccessLayout> accesses;  ///< by line
};

/// Of \p buffer in \p block, with the accesses of \p warps: where its elements lie is told by whoever copied them.
/// Cost: decodes the block once.
Result<RunLayout> traceLayout(replay::Session& session, LaunchId launch, BlockIndex block, BufferId buffer,
                              const WarpNumbers& warps = {});

}  // namespace lanescope::analysis
