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
    size_t words = 0;                ///< of 64 bits per element of `touchers`
    std::vector<uint64_t> touchers;  ///< [element][who / 64], a bit each; empty where that would be too many

    /// Whether \p who, a block or thread, touched the element; of large buffers only the owner is known.
    [[nodiscard]] bool isTouchedBy(uint64_t element, uint32_t who) const
    {
        if (touchers.empty())
            return element < owner.size() && owner[element] == who;
        const uint64_t word = element * words + who / 64;
        return who / 64 < words && word < touchers.size() && ((touchers[word] >> (who % 64)) & 1) != 0;
    }
};
inline constexpr uint64_t kMaxToucherWords = uint64_t{1} << 18;  ///< per buffer: 2 MiB
inline constexpr uint64_t kMaxFootprintElements = uint64_t{1} << 22;

using Footprint = std::map<BufferId, BufferUse>;

/// Global and constant buffers by block, over all recorded blocks: from the trace's tallies, else from the events.
/// Elements as \p buffers say.
Result<Footprint> launchFootprint(trace::TraceReader& reader, LaunchId launch,
                                  const std::vector<trace::Buffer>& buffers);
/// All buffers but local ones, by linear thread of one block.
Result<Footprint> blockFootprint(trace::TraceReader& reader, LaunchId launch, BlockIndex block,
                                 const std::vector<trace::Buffer>& buffers);

}  // namespace lanescope::analysis
