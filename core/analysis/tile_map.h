// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which block of a launch writes which tile of a matrix, in what order, and who is idle when the last ones work.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "core/analysis/analysis.h"
#include "core/base/result.h"
#include "core/replay/replay.h"

namespace lanescope::analysis {

/// What a block writes in one go: its stores without a long pause between them.
struct TileWrite {
    BlockIndex block;
    uint32_t order = 0;                 ///< of the block's tiles
    StepIndex first = 0, last = 0;      ///< of the block's steps
    uint64_t firstRow = 0, endRow = 0;  ///< bounding box of the cells
    uint64_t firstCol = 0, endCol = 0;
    uint64_t cells = 0;  ///< written, counted as often as they are

    [[nodiscard]] bool isWhole() const { return cells == (endRow - firstRow) * (endCol - firstCol); }
};

struct BlockWork {
    BlockIndex block;
    StepIndex steps = 0;
    uint32_t slot = 0;            ///< the place that runs it
    uint64_t start = 0;           ///< in steps, after those that the slot ran before
    std::vector<uint32_t> tiles;  ///< in their order; indexes into TileMap::tiles
};

struct TileMap {
    std::optional<BufferId> buffer;  ///< none: the launch writes no global memory
    std::set<BufferId> written;      ///< all that could have been chosen
    uint64_t rows = 0, cols = 0;     ///< of the matrix; outer dimensions below each other
    std::vector<TileWrite> tiles;    ///< by block, in their order
    std::vector<BlockWork> blocks;   ///< recorded ones, ascending
    /// Blocks are handed out in their order, the next one to the slot that is free first, as many slots as the model
    /// GPU holds blocks of the launch; a step counts as one unit of time.
    uint32_t places = 0;  ///< that have work
    uint64_t length = 0;  ///< until the last one is done
    uint64_t idle = 0;    ///< steps of places that are done before, together

    /// A picture of at most kMostPixels a side: tile + 1 that wrote last there, 0: nobody.
    static constexpr uint64_t kMostPixels = 512;
    uint32_t pictureRows = 0, pictureCols = 0;
    std::vector<uint32_t> picture;
};

/// Of \p buffer, or, where that is none of those written, of the one that most is written to; of what \p warps of each
/// block write. Cost: decodes the launch's writes to global memory, twice where there are more than some millions.
Result<TileMap> traceTileMap(replay::Session& session, LaunchId launch, std::optional<BufferId> buffer,
                             const WarpNumbers& warps = {});

}  // namespace lanescope::analysis
