// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/launch/block_order.h"

#include <algorithm>
#include <numeric>

#include "core/device/gpu_model.h"
#include "core/simt/launch/block_machine.h"

namespace lanescope::simt {
namespace {

/// The blocks of cluster \p number, by rank.
void addBlocksOfCluster(uint64_t number, const LaunchPlan& plan, std::vector<uint64_t>& blocks)
{
    const Dim3 grid = plan.launch.grid, size = plan.options.cluster;
    const Dim3 at = positionOf(number, {grid.x / size.x, grid.y / size.y, grid.z / size.z});
    for (uint64_t rank = 0; rank < size.count(); ++rank) {
        const Dim3 inside = positionOf(rank, size);
        const uint64_t x = uint64_t{at.x} * size.x + inside.x, y = uint64_t{at.y} * size.y + inside.y;
        const uint64_t z = uint64_t{at.z} * size.z + inside.z;
        blocks.push_back(x + grid.x * (y + grid.y * z));
    }
}

/// Whether the block is recorded. Clusters are, as a whole.
bool isSelected(const LaunchPlan& plan, uint64_t index)
{
    const auto& selects = plan.options.selects;
    const Dim3 at = positionOf(index, plan.launch.grid);
    const Dim3 size = plan.options.cluster;
    if (!selects || plan.blocksPerCluster() == 1)
        return !selects || selects(at);
    for (uint64_t rank = 0; rank < size.count(); ++rank) {
        const Dim3 inside = positionOf(rank, size);
        if (selects({at.x / size.x * size.x + inside.x, at.y / size.y * size.y + inside.y,
                     at.z / size.z * size.z + inside.z}))
            return true;
    }
    return false;
}

/// Of clusters (blocks, where there are none) ascending those of the part that is to run.
void keepPart(const LaunchPlan& plan, std::vector<uint64_t>& clusters)
{
    const device::LaunchPart& part = plan.options.part;
    if (part.of == 0)
        return;
    std::erase_if(clusters, [&](uint64_t cluster) {
        std::vector<uint64_t> blocks{cluster};
        if (plan.blocksPerCluster() > 1) {
            blocks.clear();
            addBlocksOfCluster(cluster, plan, blocks);
        }
        return !isSelected(plan, blocks.front());
    });
    const auto at = [&](uint64_t number) {
        return clusters.begin() + static_cast<std::ptrdiff_t>(clusters.size() * number / part.of);
    };
    clusters = std::vector<uint64_t>(at(part.number), at(part.number + 1));
}

}  // namespace

std::vector<uint64_t> blockOrder(const LaunchPlan& plan)
{
    std::vector<uint64_t> order(plan.launch.grid.count() / plan.blocksPerCluster());
    std::iota(order.begin(), order.end(), uint64_t{0});
    keepPart(plan, order);
    arrange(order.begin(), order.end(), plan.options, 0);
    if (plan.blocksPerCluster() == 1)
        return order;
    std::vector<uint64_t> blocks;
    for (const uint64_t cluster : order)
        addBlocksOfCluster(cluster, plan, blocks);
    return blocks;
}

size_t residentBlocks(const LaunchPlan& plan)
{
    const int perMultiprocessor = device::blocksPerMultiprocessor(plan.launch.block.count(), plan.sharedBytes);
    const size_t blocks =
        static_cast<size_t>(device::kMultiprocessors) * static_cast<size_t>(std::max(perMultiprocessor, 1));
    const size_t perCluster = plan.blocksPerCluster();
    return std::max<size_t>(blocks / perCluster, 1) * perCluster;
}

}  // namespace lanescope::simt
