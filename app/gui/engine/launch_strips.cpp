// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/engine/launch_strips.h"

#include <algorithm>
#include <bit>
#include <unordered_set>

#include "core/analysis/tallied_launch.h"

namespace lanescope::gui {

namespace {

int launchedLaneCount(const trace::Launch& launch, uint32_t warp)
{
    const uint64_t first = uint64_t{warp} * kWarpSize;
    return static_cast<int>(std::min<uint64_t>(kWarpSize, launch.threadsPerBlock() - first));
}

/// Puts what blocks do into the columns of their strips.
class StripFiller {
public:
    StripFiller(LaunchStrips& all, const std::vector<BlockIndex>& recorded, const trace::Launch& launch,
                size_t blocksPerStrip)
        : m_all(all), m_recorded(recorded), m_launch(launch), m_blocksPerStrip(blocksPerStrip)
    {
    }

    /// False: of a block that is not there.
    bool add(const trace::BlockTally& tally)
    {
        LaunchStrips::Strip* const strip = stripOf(tally.block);
        if (strip == nullptr)
            return false;
        for (size_t i = 0; i < tally.kinds.size(); ++i) {
            const trace::StepKinds& kinds = tally.kinds[i];
            const size_t end =
                std::min(strip->columns.size(), ((i + 1) * tally.stepsEach - 1) / m_all.stepsPerSlot + 1);
            for (size_t column = i * tally.stepsEach / m_all.stepsPerSlot; column < end; ++column)
                put(strip->columns[column], tally.block, rankOf(kinds), kinds.diverged);
        }
        return true;
    }

    void add(BlockIndex block, StepIndex step, const trace::Event& event)
    {
        // Threads that are done do not part the others.
        const bool parted =
            event.kind != trace::SiteKind::Exit && std::popcount(event.mask) < launchedLaneCount(m_launch, event.warp);
        put(stripOf(block)->columns[step / m_all.stepsPerSlot], block, gui::rankOf(event.kind), parted);
    }

    [[nodiscard]] size_t divergedBlocks() const { return m_diverged.size(); }

private:
    LaunchStrips::Strip* stripOf(BlockIndex block)
    {
        const auto at = std::lower_bound(m_recorded.begin(), m_recorded.end(), block);
        if (at == m_recorded.end() || *at != block)
            return nullptr;
        return &m_all.strips[static_cast<size_t>(at - m_recorded.begin()) / m_blocksPerStrip];
    }

    static int8_t rankOf(const trace::StepKinds& kinds)
    {
        int8_t rank = -1;
        for (unsigned kind = 0; kind <= static_cast<unsigned>(trace::SiteKind::Return); ++kind)
            if ((kinds.kinds >> kind & 1) != 0)
                rank = std::max(rank, gui::rankOf(static_cast<trace::SiteKind>(kind)));
        return rank;
    }

    void put(LaunchStrips::Slot& slot, BlockIndex block, int8_t rank, bool parted)
    {
        slot.rank = std::max(slot.rank, rank);
        slot.diverged = slot.diverged || parted;
        if (parted)
            m_diverged.insert(block.value);
    }

    LaunchStrips& m_all;
    const std::vector<BlockIndex>& m_recorded;
    const trace::Launch& m_launch;
    size_t m_blocksPerStrip;
    std::unordered_set<uint64_t> m_diverged;
};

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
    }
    StripFiller filler(all, recorded.value(), of, blocksPerStrip);
    const Result<void> visited = analysis::visitLaunch(
        reader, launch, trace::Detail::Headers, [&](const trace::BlockTally& tally) { return filler.add(tally); },
        [&](BlockIndex block, StepIndex step, const trace::Event& event) { filler.add(block, step, event); });
    if (!visited)
        return visited.error();
    all.divergedBlocks = filler.divergedBlocks();
    return all;
}

}  // namespace lanescope::gui
