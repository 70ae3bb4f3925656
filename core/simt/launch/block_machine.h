// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory and state of one running block.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "core/device/launch.h"
#include "core/simt/checks/block_checks.h"
#include "core/simt/launch/launch_plan.h"
#include "core/simt/machine/late_copies.h"
#include "core/simt/machine/scheduler.h"
#include "core/simt/memory/arena.h"
#include "core/simt/state/cluster.h"

namespace lanescope::simt {

/// Puts blocks, warps or lanes, given in order, in the order in which the schedule runs them. \p salt: which of several
/// sequences of the same seed.
template <typename Iterator>
void arrange(Iterator begin, Iterator end, const device::LaunchOptions& options, uint64_t salt)
{
    const bool lanes = options.schedule == device::Schedule::Lanes;
    if (options.schedule == device::Schedule::Reverse || (lanes && options.seed == 1))
        std::reverse(begin, end);
    if (options.schedule == device::Schedule::Random || (lanes && options.seed > 1)) {
        std::mt19937_64 random(options.seed ^ salt);
        for (auto i = static_cast<size_t>(end - begin); i > 1; --i)
            std::swap(begin[static_cast<std::ptrdiff_t>(i - 1)], begin[static_cast<std::ptrdiff_t>(random() % i)]);
    }
}

/// A block on its way: memory for its warps, reused for block after block.
class BlockMachine {
public:
    explicit BlockMachine(const LaunchPlan& plan);

    /// Puts block \p index at its start. \p cluster: that it is in, as \p rank; null: it is alone.
    void begin(uint64_t index, trace::BlockRecorder* recorder, Cluster* cluster = nullptr, uint32_t rank = 0);
    /// Runs block \p index, which has nothing to do with others, from its start to its end. \p maxInstructions: the
    /// launch may still use; 0: nothing runs.
    BlockEnd runWhole(uint64_t index, trace::BlockRecorder* recorder, uint64_t maxInstructions);
    /// \p maxInstructions: it may still use. \p slice: after which it makes way for other blocks; 0: never.
    BlockEnd run(uint64_t maxInstructions, uint64_t slice);

    Block& block() { return m_block; }
    /// Others than this launch may write what it reads from now on; and what is known of them is the plan's.
    void goOnBesideOthers();

private:
    [[nodiscard]] uint64_t sharedSlot(size_t index) const { return m_plan.program.shared[index].slot; }

    void placeObjects();
    void placeThreads();
    void placeNextWarps();
    void foresee();
    void placeRaces();
    void prepareBlock(uint64_t index);
    void prepare(uint64_t index, trace::BlockRecorder* recorder);
    [[nodiscard]] bool runsApart() const;
    void runApart();
    void standSideBySide();
    void goOnTogether(uint32_t running);
    void setThreads(Warp& warp, uint32_t id) const;
    void clearLocals();
    void beginWarp(Warp& warp, uint32_t id, trace::BlockRecorder* recorder);
    [[nodiscard]] bool isAsBegun(const Warp& warp) const;
    [[nodiscard]] bool leavesNothing() const;
    void beginNext(Warp& warp, uint32_t id) const;
    void placeWarp(Warp& warp, Split& split, uint32_t id) const;
    void setScalars(Split& split, Warp& warp) const;
    void orderWarps();

    /// Each lane goes its own way from the start, which is legal: nothing but a barrier or a warp-wide operation makes
    /// lanes of a warp meet.
    void separateLanes(Warp& warp, uint64_t salt);

    const LaunchPlan& m_plan;
    uint32_t m_warps;
    std::vector<ThreadIndexes> m_threads;
    NextWarps m_nextWarps;
    std::vector<ForeseenBlock::Place> m_places;
    ForeseenBlock m_foreseen;
    Arena m_registers;
    std::vector<LanePattern> m_patterns;  ///< by warp, by pattern
    Arena m_shared;
    /// Vectors that a warp's beginning clears; all of them where the program may look at others, too.
    std::vector<std::pair<uint32_t, uint32_t>> m_cleared;
    uint64_t m_localStride;
    Arena m_local;
    Arena m_sharedDefined;
    Arena m_localDefined;
    ObjectTable m_objects;
    std::vector<std::unique_ptr<RaceArena>> m_races;  ///< by index in Program::shared
    BlockChecks m_checks;
    Block m_block;
    std::optional<LateCopies> m_late;
    WordsAhead m_ahead;
    Cluster m_alone;
};

}  // namespace lanescope::simt
