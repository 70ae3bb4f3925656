// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/state/cluster.h"

#include "core/simt/state/block.h"

namespace lanescope::simt {

uint32_t metInCluster(const Warp& warp, uint64_t block, uint32_t other)
{
    const Cluster& cluster = *warp.block->cluster;
    for (size_t rank = 0; rank < cluster.blocks.size(); ++rank)
        if (cluster.blocks[rank]->cellIndex == block)
            return cluster.met[warp.clusterPhase & 1][rank][other];
    return 0;
}

}  // namespace lanescope::simt
