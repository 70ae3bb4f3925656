// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which blocks of a launch are foreseen (core/simt/state/foreseen_block.h), and where their accesses lie.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/simt/ir/foreseen.h"
#include "core/simt/memory/object_table.h"
#include "core/simt/state/foreseen_block.h"

namespace lanescope::simt {

/// Of one launch; read-only while its blocks run.
class ForeseenBlocks {
public:
    /// What of \p accesses there is in \p launch. That may be nothing: if one is not where it is expected, or its
    /// buffer is watched.
    /// \p isPartlyUndefined: whether some of what lies in the buffer of a slot has never been written.
    ForeseenBlocks(const ForeseenAccesses& accesses, LaunchNumbers launch, const ObjectTable& objects,
                   const std::function<bool(uint64_t slot)>& isPartlyUndefined);

    [[nodiscard]] bool isEmpty() const { return m_accesses.empty(); }
    [[nodiscard]] size_t places() const { return m_accesses.size(); }
    /// As of ForeseenBlock.
    [[nodiscard]] const int64_t* ways() const { return m_ways.data(); }
    /// Whether the block at \p position is. \p places gets where accesses lie there, of which it has as many; anything
    /// if it is not.
    bool look(Dim3 position, std::span<ForeseenBlock::Place> places) const;

private:
    using OfBlocks = std::array<int64_t, 3>;  ///< what blockIdx.x, y and z are multiplied with

    struct Guard {
        OfBlocks times;
        int64_t lowest, highest;  ///< in the first block
        ForeseenGuard::Sign sign;
    };
    struct Access {
        OfBlocks times;
        int64_t first;                  ///< in the first block, of its first thread
        int64_t before, behind;         ///< from the first thread's to the block's lowest byte and behind the highest
        uint64_t bytes;                 ///< of the buffer
        uint64_t unaligned;             ///< bits that are to be 0 in each place
        ForeseenBlock::Place ofBuffer;  ///< offset 0
    };
    bool add(const ForeseenGuard& guard, const LaunchNumbers& launch);
    bool add(const ForeseenAccess& access, const LaunchNumbers& launch, const ObjectTable& objects,
             const std::function<bool(uint64_t slot)>& isPartlyUndefined);
    bool addWays(const std::array<LaunchSum, 3>& group, const LaunchNumbers& launch);

    std::vector<Guard> m_guards;
    std::vector<Access> m_accesses;
    std::vector<int64_t> m_ways;
};

}  // namespace lanescope::simt
