// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who waits for whom when a block's recording ends.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "core/analysis/ring.h"

namespace lanescope::analysis {

/// Threads that have arrived at a barrier.
struct BarrierThreads {
    std::set<uint32_t> arrived;  ///< in the phase that runs
    std::set<uint32_t> before;   ///< in an earlier one
};

class HangFinder {
public:
    /// \p threads: by barrier.
    HangFinder(const std::vector<RingBarrier>& barriers, const std::vector<BarrierThreads>& threads)
        : m_barriers(barriers), m_threads(threads)
    {
    }

    /// Where a thread stands at the end; every one of the block, ascending.
    void add(const RingHang::Missing& thread) { m_all.push_back(thread); }
    /// Those on a cycle first.
    [[nodiscard]] std::vector<RingHang> find() const;

private:
    [[nodiscard]] std::map<uint32_t, RingHang> waits() const;
    [[nodiscard]] std::vector<uint32_t> missingAt(uint32_t barrier) const;

    const std::vector<RingBarrier>& m_barriers;
    const std::vector<BarrierThreads>& m_threads;
    std::vector<RingHang::Missing> m_all;
};

}  // namespace lanescope::analysis
