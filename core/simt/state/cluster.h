// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks that run together, see each other's shared memory and have a barrier of their own (barrier.cluster).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/base/ids.h"

namespace lanescope::simt {

struct Block;
struct Warp;

struct Cluster {
    static constexpr size_t kMostBlocks = 16;
    static constexpr size_t kMostWarps = 32;
    std::vector<Block*> blocks;  ///< by rank; those that have ended stay until all have
    uint32_t phase = 0;          ///< barriers that are over

    /// Up to when a warp's accesses come before its arrival that releases, by rank and warp.
    using Times = std::array<std::array<uint32_t, kMostWarps>, kMostBlocks>;
    Times arrived{};
    bool hasArrivals = false;  ///< `arrived` says something
    std::array<Times, 2>
        met{};  ///< what the two latest barriers have ordered, by the lowest bit of `phase` behind them

    void begin()
    {
        phase = 0;
        if (!hasArrivals)
            return;
        hasArrivals = false;
        arrived = {};
        met = {};
    }
};

/// Accesses of warp \p other of \p block before this time come before what \p warp does now, by the cluster's barrier;
/// 0: none do.
uint32_t metInCluster(const Warp& warp, uint64_t block, uint32_t other);

}  // namespace lanescope::simt
