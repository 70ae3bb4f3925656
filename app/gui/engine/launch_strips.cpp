// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/engine/launch_strips.h"

#include <algorithm>
#include <bit>

namespace lanescope::gui {

namespace {

int launchedLaneCount(const trace::Launch& launch, uint32_t warp)
{
    const uint64_t first = uint64_t{warp} * kWarpSize;
    return static_cast<int>(std::min<uint64_t>(kWarpSize, launch.threadsPerBlock() - first));
}

}  // namespace

const LaunchStrips::Strip* LaunchStrips::stripOf(BlockIndex block) const
{
    const auto after = std::upper_bound(strips.begin(), strips.end(), block,
                                        [](BlockIndex wanted, const Strip& strip) { return wanted < strip.first; });
    return after == strips.begin() ? nullptr : &*std::prev(after);
}

Result<LaunchStrips> LaunchStrips::of(trace::TraceReader& reader, LaunchId launch)
{
    const auto recorded = reader.blocks(launch);
    if (!recorded)
        return recorded.error();
    const trace::Launch& of = reader.catalog().launches[launch.value];
    LaunchStrips all;
    all.blocks = recorded.value().size();
    std::vector<StepIndex> steps;
    for (const BlockIndex block : recorded.value()) {
        const auto count = reader.stepCount(launch, block);
        if (!count)
            return count.error();
        steps.push_back(count.value());
    }
    if (steps.empty())
        return all;
    const auto [shortest, longest] = std::minmax_element(steps.begin(), steps.end());
    all.shortest = *shortest;
    all.shortestBlock = recorded.value()[static_cast<size_t>(shortest - steps.begin())];
    all.longest = *longest;
    all.longestBlock = recorded.value()[static_cast<size_t>(longest - steps.begin())];
    all.stepsPerSlot = std::max<size_t>(1, (all.longest + kMostSlots - 1) / kMostSlots);
    const size_t blocksPerStrip = (all.blocks + kMostStrips - 1) / kMostStrips;
    for (size_t i = 0; i < all.blocks; ++i) {
        if (i % blocksPerStrip == 0)
            all.strips.push_back({recorded.value()[i], 0, 0, {}});
        Strip& strip = all.strips.back();
        ++strip.blocks;
        strip.steps = std::max(strip.steps, steps[i]);
        strip.columns.resize((strip.steps + all.stepsPerSlot - 1) / all.stepsPerSlot);
        bool diverged = false;
        const auto visited = reader.visit(launch, recorded.value()[i], 0, UINT64_MAX, trace::Detail::Headers,
                                          [&](StepIndex step, const trace::Event& event) {
                                              Slot& slot = strip.columns[step / all.stepsPerSlot];
                                              slot.rank = std::max(slot.rank, rankOf(event.kind));
                                              // Threads that are done do not part the others.
                                              const bool parted =
                                                  event.kind != trace::SiteKind::Exit &&
                                                  std::popcount(event.mask) < launchedLaneCount(of, event.warp);
                                              slot.diverged = slot.diverged || parted;
                                              diverged = diverged || parted;
                                              return true;
                                          });
        if (!visited)
            return visited.error();
        all.divergedBlocks += diverged ? 1 : 0;
    }
    return all;
}

}  // namespace lanescope::gui
