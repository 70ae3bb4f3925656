// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The barrier of a cluster's threads: barrier.cluster.arrive and .wait.
#include <algorithm>
#include <bit>

#include "core/simt/checks/block_checks.h"
#include "core/simt/checks/race_check.h"
#include "core/simt/checks/sync_order.h"
#include "core/simt/machine/handlers.h"
#include "core/simt/machine/scheduler.h"
#include "core/simt/state/cluster.h"
#include "core/trace/writer.h"

namespace lanescope::simt {
namespace {

/// Whether all threads that live have arrived, and any at all.
bool haveArrived(const Cluster& cluster)
{
    bool any = false;
    for (const Block* block : cluster.blocks)
        for (const Warp& warp : block->warps) {
            if (warp.live & ~warp.clusterArrived)
                return false;
            any |= warp.clusterArrived != 0;
        }
    return any;
}

/// Lets lanes go on that wait. A block whose threads all do begins its next epoch.
void release(Block& block)
{
    const bool all = block.atClusterBarrier != 0 && block.atClusterBarrier == block.liveLanes;
    for (Warp& warp : block.warps) {
        warp.clusterArrived = 0;
        for (Split& split : warp.splits)
            if (split.state == Split::State::AtClusterBarrier) {
                split.state = Split::State::Ready;
                warp.clusterPhase = block.cluster->phase;
            }
    }
    block.atClusterBarrier = 0;
    if (!all)
        return;
    ++block.epoch;
    meetBlock(block);
    for (SharedDefinedness& shared : block.checks->sharedDefined)
        shared.settle();
}

}  // namespace

bool settleClusterBarrier(Cluster& cluster)
{
    if (!haveArrived(cluster))
        return false;
    ++cluster.phase;
    cluster.met[cluster.phase & 1] = cluster.arrived;
    for (Block* block : cluster.blocks)
        if (!block->ended)
            release(*block);
    for (const Block* block : cluster.blocks)
        if (SyncOrder* order = block->checks->order; order && !block->ended) {
            order->meetCluster(cluster, cluster.arrived);
            break;
        }
    return true;
}

/// imm: whether it releases what the threads did before.
const Instr* runClusterArrive(const Instr* instr, Warp& warp)
{
    Block& block = *warp.block;
    enterReads(block);
    block.cluster->hasArrivals = true;
    uint32_t& arrived = block.cluster->arrived[block.rank][warp.id];
    // Without a release, what was done before a fence is ordered all the same.
    arrived = std::max(arrived, instr->imm ? ++block.checks->time : warp.fencedAt);
    warp.clusterArrived |= warp.mask;
    return instr + 1;
}

const Instr* runClusterWait(const Instr* instr, Warp& warp)
{
    Split& split = warp.splits[warp.current];
    if (warp.recorder)
        warp.recorder->barrier(SiteId{instr->c}, warp.id, warp.mask);
    if (!(warp.mask & warp.clusterArrived)) {
        // The phase that it has arrived in is over.
        warp.clusterPhase = warp.block->cluster->phase;
        return instr + 1;
    }
    split.state = Split::State::AtClusterBarrier;
    split.ip = instr + 1;
    split.barrierSite = SiteId{instr->c};
    warp.block->atClusterBarrier += laneCount(warp.mask);
    warp.current = Warp::kNoSplit;
    return nullptr;
}

}  // namespace lanescope::simt
