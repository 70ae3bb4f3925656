// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All that decides what a block does next, but for memory and for whose turn it is: kept, and compared later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/simt/state/block.h"

namespace lanescope::simt {

class WarpSnapshot {
public:
    void take(const Warp& warp);
    [[nodiscard]] bool is(const Warp& warp) const;

private:
    [[nodiscard]] bool joinsAre(const std::vector<Join>& joins) const;

    size_t m_current = 0;
    std::vector<Split> m_splits;
    std::vector<Join> m_joins;
    std::vector<std::vector<uint64_t>> m_spilled;
    std::vector<std::byte> m_registers;
};

class BlockSnapshot {
public:
    void take(const Block& block);
    [[nodiscard]] bool is(const Block& block) const;

private:
    std::vector<WarpSnapshot> m_warps;
    std::vector<uint32_t> m_votes;
};

}  // namespace lanescope::simt
