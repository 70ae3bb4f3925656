// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which cells a launch's blocks, and one block's threads, touch: thread-to-data mappings, halos and heat.
#pragma once

#include <map>
#include <vector>

#include "core/base/result.h"
#include "core/replay/replay.h"

namespace lanescope::analysis {

inline constexpr uint32_t kNobody = UINT32_MAX;

/// Per element of one buffer; empty when nobody touched it. Larger buffers are followed up to kMaxFootprintElements.
struct BufferUse {
    std::vector<uint32_t>
        owner;  ///< block (of a launch) or thread (of a block) that wrote it first, else read it first
    std::vector<uint8_t> sharers;  ///< how many touched it: 0, 1 or 2 for more
    std::vector<uint32_t> reads;   ///< by lanes
    std::vector<uint32_t> writes;
};
inline constexpr uint64_t kMaxFootprintElements = uint64_t{1} << 22;

using Footprint = std::map<BufferId, BufferUse>;

/// Global and constant buffers by block, over all recorded blocks. Streams over the launch; elements as \p buffers say.
Result<Footprint> launchFootprint(trace::TraceReader& reader, LaunchId launch,
                                  const std::vector<trace::Buffer>& buffers);
/// All buffers but local ones, by linear thread of one block.
Result<Footprint> blockFootprint(trace::TraceReader& reader, LaunchId launch, BlockIndex block,
                                 const std::vector<trace::Buffer>& buffers);

}  // namespace lanescope::analysis
