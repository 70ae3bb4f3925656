// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asynchronous copies that are late: as if they were under way until somebody waits for them. A copy into shared memory
// is made where it is issued; one that is late is taken back, and made again at its wait. Who has not waited finds what
// was there before. A copy from shared to global memory that is late reads at its wait: what was written over by then
// is what it takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "core/simt/state/block.h"

namespace lanescope::simt {

/// Of one block: what its lanes have begun, and what its mbarriers count.
class LateCopies {
public:
    static constexpr unsigned kShares = 256;

    /// \p late of kShares copies are late, which ones says \p seed.
    LateCopies(unsigned late, uint64_t seed) : m_late(late), m_random(seed) {}

    /// A lane of the block is about to copy \p bytes to \p address.
    void begin(const Warp& warp, int lane, uint64_t address, uint64_t bytes);
    /// The latest copy that the lane has begun was one of cp.async, in its group \p group.
    void finishGrouped(const Warp& warp, int lane, uint32_t group);
    /// That copy was one in bulk, which completes a phase of the mbarrier at \p barrier, in whatever block that lies.
    void finishBulk(const Warp& warp, int lane, uint64_t barrier);
    /// The lane waits for its groups before \p end.
    void arriveGrouped(const Warp& warp, int lane, uint32_t end);
    /// A piece of what the lane copies to global memory comes next: \p bytes from \p from to \p to.
    void beginWrite(const Warp& warp, int lane, uint64_t to, uint64_t from, uint64_t bytes);
    /// The pieces that the lane has begun are a copy of its group \p group, and have been made. Takes late ones back.
    void finishWrites(const Warp& warp, int lane, uint32_t group);
    /// Whether what is issued next shall be late.
    [[nodiscard]] bool isNextLate() { return m_random() % kShares < m_late; }
    /// A reduction of the lane's group \p group that is late: each element of \p bytes at \p from updates the one at
    /// \p to at the wait, by the operation and the width that \p update says.
    void postponeUpdate(const Warp& warp, int lane, uint32_t group, uint64_t to, uint64_t from, uint64_t bytes,
                        const AtomicInfo& update);
    /// The lane waits for its groups of such copies and reductions before \p end.
    void arriveWrites(const Warp& warp, int lane, uint32_t end);
    /// The block ends, and its shared memory with it.
    void arriveAllWrites();
    /// A lane of \p warp has seen that a phase of the mbarrier at \p barrier is over.
    static void arriveBulk(const Warp& warp, uint64_t barrier);

private:
    struct Copy {
        std::byte* to = nullptr;
        std::vector<std::byte> before, after;

        /// Only what it changes: a box leaves bytes between its rows alone, which somebody else may have written since.
        void make() const;
    };
    struct Grouped {
        uint16_t warp = 0;
        int lane = 0;
        uint32_t group = 0;
        Copy copy;
    };
    struct Bulk {
        uint64_t barrier = 0;  ///< address, without the rank of a block
        uint32_t phase = 0;
        Copy copy;
    };
    /// What a reduction does to each element.
    struct Update {
        AtomicOp operation = AtomicOp::Add;
        bool isFloat = false;
        uint8_t bytes = 0;
    };
    /// Of a copy to global memory, or a reduction.
    struct Written {
        uint16_t warp = 0;
        int lane = 0;
        uint32_t group = 0;
        std::byte* to = nullptr;
        const std::byte* from = nullptr;
        std::vector<std::byte> before;  ///< of a reduction only its size counts
        std::optional<Update> update;

        void make() const;
    };
    /// What the lane has begun, taken back; nothing in `to` where it is not late.
    Copy take(const Warp& warp, int lane);

    unsigned m_late;
    std::minstd_rand m_random;
    std::map<std::pair<uint16_t, int>, Copy> m_begun;
    std::vector<Grouped> m_grouped;
    std::vector<Bulk> m_bulk;
    std::vector<Written> m_begunWrites;
    std::vector<Written> m_written;
};

}  // namespace lanescope::simt
