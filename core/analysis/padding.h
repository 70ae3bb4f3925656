// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cells beside a buffer that a block's threads would have touched, had they not been kept from it: the padding that a
// convolution or a ragged tile reads as 0. Derived from the accesses of any kernel, in two ways:
//  - The block copies a part of a buffer to shared memory, each cell by the same shift, and fills other cells of the
//    shared array with something that it did not read. What lies outside under that shift is padding.
//  - The cells that one read takes lie regularly over its threads, and exactly the threads whose cell would lie outside
//    the buffer did not take part, though they do at other times: a guard kept them out.
#pragma once

#include <array>
#include <map>
#include <vector>

#include "core/analysis/flow.h"

namespace lanescope::analysis {

/// A cell outside; the buffer's last dim are the columns, all others its rows.
struct PaddingCell {
    int64_t row = 0;
    int64_t column = 0;
    bool known = false;     ///< what stands in for it was written to shared memory
    trace::ValueType type;  ///< of the value
    std::array<uint8_t, 16> value{};
};
using Padding = std::map<BufferId, std::vector<PaddingCell>>;
inline constexpr size_t kMaxPaddingCells = 4096;  ///< per buffer

/// Of all epochs of the block that \p flow is of. Decodes the block once. Buffers without padding have no entry.
Result<Padding> blockPadding(trace::TraceReader& reader, const Flow& flow, LaunchId launch, BlockIndex block,
                             const std::vector<trace::Buffer>& buffers);

}  // namespace lanescope::analysis
