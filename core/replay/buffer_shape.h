// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Guesses the row-major shape of buffers of which only a size is known, from how neighbouring threads use them.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "core/replay/replay.h"

namespace lanescope::replay {

/// What a look at a few blocks' beginnings tells.
struct ShapeEvidence {
    std::set<BufferId> touched;
    /// Outermost first; only for buffers with consistent evidence of more than one dimension.
    std::map<BufferId, std::vector<uint64_t>> dims;
    /// Type of the accesses; only where all of them agree.
    std::map<BufferId, trace::ValueType> elements;
};

/// Reads the first chunks of a few blocks of the launch.
Result<ShapeEvidence> gatherShapes(trace::TraceReader& reader, LaunchId launch);

/// Differences, in elements, between the cells of neighbouring threads of one execution of one site.
struct ThreadStrides {
    std::optional<int64_t> x;
    std::optional<int64_t> y;
    std::optional<int64_t> z;
    std::optional<int64_t> loop;  ///< between two executions by the same threads
};

/// Dims of a buffer of \p count elements that threads of a \p block in a \p grid use with these strides; empty when
/// they do not speak for a shape.
std::vector<uint64_t> dimsFromStrides(const ThreadStrides& strides, uint64_t count, Dim3 grid, Dim3 block);

/// Dims {rows, columns} of a buffer of \p count elements of which the lanes of a whole warp of a one-dimensional block
/// use \p cells (32 of them), as `out[(row + lane / 4) * width + lane % 4 * 2]` does: groups of neighbours, equally far
/// from each other, a row for each group or a column. Empty when they do not speak for a shape.
std::vector<uint64_t> dimsFromLanes(std::span<const int64_t> cells, uint64_t count);

}  // namespace lanescope::replay
