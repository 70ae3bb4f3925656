// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which cells a launch's blocks, and one block's threads, touch: thread-to-data mappings, halos and heat.
#pragma once

#include <array>
#include <map>
#include <vector>

#include "core/base/result.h"
#include "core/replay/replay.h"

namespace lanescope::analysis {

inline constexpr uint32_t kNobody = UINT32_MAX;

/// Who touched one element of a buffer, and how often.
struct CellUse {
    uint32_t owner = kNobody;  ///< block (of a launch) or thread (of a block) that wrote it first, else read it first
    uint32_t sharers = 0;      ///< how many touched it: 0, 1 or 2 for more
    uint32_t accesses = 0;     ///< by lanes; an atomic one reads and writes, and counts as two

    friend bool operator==(const CellUse&, const CellUse&) = default;
};

/// Of one buffer; larger ones are followed up to kMaxFootprintElements.
class BufferUse {
public:
    /// Nobody touched it.
    [[nodiscard]] bool empty() const { return m_groups.empty(); }
    /// Nobody's, where nobody touched it or it is not followed.
    [[nodiscard]] CellUse at(uint64_t element) const
    {
        const uint64_t number = element / Group::kCells;
        if (number >= m_groupOf.size() || m_groupOf[number] == kNobody)
            return {};
        const Group& group = m_groups[m_groupOf[number]];
        const size_t i = element % Group::kCells;
        return {group.owner[i], group.sharers[i], group.accesses[i]};
    }
    /// The most accesses to one element.
    [[nodiscard]] uint32_t mostAccesses() const;

    /// Whether \p who, a block or thread, touched the element; of large buffers only the owner is known.
    [[nodiscard]] bool isTouchedBy(uint64_t element, uint32_t who) const
    {
        if (touchers.empty())
            return who != kNobody && at(element).owner == who;
        const uint64_t word = element * words + who / 64;
        return who / 64 < words && word < touchers.size() && ((touchers[word] >> (who % 64)) & 1) != 0;
    }

    size_t words = 0;                ///< of 64 bits per element of `touchers`
    std::vector<uint64_t> touchers;  ///< [element][who / 64], a bit each; empty where that would be too many

private:
    friend class FootprintCollector;
    /// Neighbouring elements: a block touches few of a large buffer's, and those that nobody touched have no group.
    struct Group {
        static constexpr size_t kCells = 16;
        std::array<uint32_t, kCells> owner;
        std::array<uint32_t, kCells> accesses;
        std::array<uint8_t, kCells> sharers;

        friend bool operator==(const Group&, const Group&) = default;
    };
    std::vector<uint32_t> m_groupOf;  ///< by element / Group::kCells; kNobody: none. Equal ones are mostly one
    std::vector<Group> m_groups;
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
