// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the blocks of one cluster do to each other's shared memory, and where they meet. Derived from the recorded
// events of its blocks alone.
#pragma once

#include <optional>
#include <vector>

#include "core/base/result.h"
#include "core/replay/replay.h"

namespace lanescope::analysis {

struct ClusterBlock {
    BlockIndex block;
    Dim3 position;
    bool isRecorded = false;
    StepIndex steps = 0;
    /// Of the cluster's barrier: the step behind the last wait for each phase, ascending.
    std::vector<StepIndex> meetings;
    std::vector<StepIndex> barriers;  ///< the same of the block's own, all its threads'

    /// In which interval between the cluster's barriers \p step lies, from 0.
    [[nodiscard]] uint32_t epochOf(StepIndex step) const;
    /// Where in that interval: from 0 to 1.
    [[nodiscard]] double placeOf(StepIndex step) const;
};

/// Accesses of one line of a block to one array of other blocks, between two of the cluster's barriers.
struct RemoteAccess {
    enum class Way : uint8_t { Load, Store, Atomic, Copy, Arrival };
    uint32_t from = 0;         ///< rank of who makes them
    std::vector<uint32_t> to;  ///< ranks, ascending
    Way way = Way::Load;
    SiteId site;
    std::vector<uint16_t> warps;  ///< ascending
    uint32_t epoch = 0;
    StepIndex first = 0;  ///< of the steps of the block `from`
    StepIndex last = 0;
    double place = 0;               ///< of the first, in its epoch of that block: from 0 to 1
    std::optional<BufferId> array;  ///< none: not known
    uint64_t begin = 0;             ///< bytes of the array that are touched, up to the one behind the highest
    uint64_t end = 0;
    uint64_t accesses = 0;  ///< of lanes
};

struct Cluster {
    Dim3 extent;                         ///< in blocks
    std::vector<ClusterBlock> blocks;    ///< by rank
    std::vector<RemoteAccess> accesses;  ///< by rank of who makes them, then by step

    [[nodiscard]] uint32_t epochs() const;  ///< intervals between barriers that some block is in
};

/// Rank of a block in its cluster.
uint32_t rankInCluster(Dim3 block, Dim3 cluster);

/// Of the cluster that \p block is in; without blocks where the launch has none. Cost: decodes its recorded blocks.
Result<Cluster> traceCluster(replay::Session& session, LaunchId launch, BlockIndex block);

}  // namespace lanescope::analysis
