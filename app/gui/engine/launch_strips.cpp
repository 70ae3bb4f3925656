// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/engine/launch_strips.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "core/analysis/tallied_launch.h"

namespace lanescope::gui {

namespace {

int launchedLaneCount(const trace::Launch& launch, uint32_t warp)
{
    const uint64_t first = uint64_t{warp} * kWarpSize;
    return static_cast<int>(std::min<uint64_t>(kWarpSize, launch.threadsPerBlock() - first));
}

/// Puts what blocks do into the columns of their strips, and finds those that do the same.
class StripFiller {
public:
    using Slot = LaunchStrips::Slot;

    StripFiller(LaunchStrips& all, const std::vector<StepIndex>& steps, const trace::Launch& launch,
                size_t blocksPerStrip)
        : m_all(all), m_steps(steps), m_launch(launch), m_blocksPerStrip(blocksPerStrip),
          m_patternOf(all.recorded.size())
    {
    }

    /// False: of a block that is not there.
    bool add(const trace::BlockTally& tally)
    {
        if (!begin(tally.block))
            return false;
        // Most blocks do what the one before did.
        const StepIndex steps = m_steps[*m_current];
        if (m_last.steps == steps && m_last.stepsEach == tally.stepsEach && m_last.kinds == tally.kinds) {
            m_columns = m_last.columns;
            m_parted = m_last.parted;
            return true;
        }
        for (size_t i = 0; i < tally.kinds.size(); ++i) {
            const trace::StepKinds& kinds = tally.kinds[i];
            const size_t end = std::min(m_columns.size(), ((i + 1) * tally.stepsEach - 1) / m_all.stepsPerSlot + 1);
            for (size_t column = i * tally.stepsEach / m_all.stepsPerSlot; column < end; ++column)
                put(m_columns[column], rankOf(kinds), kinds.diverged);
        }
        m_last = {steps, tally.stepsEach, tally.kinds, m_columns, m_parted};
        return true;
    }

    void add(BlockIndex block, StepIndex step, const trace::Event& event)
    {
        // Threads that are done do not part the others.
        const bool parted =
            event.kind != trace::SiteKind::Exit && std::popcount(event.mask) < launchedLaneCount(m_launch, event.warp);
        if (begin(block))
            put(m_columns[step / m_all.stepsPerSlot], gui::rankOf(event.kind), parted);
    }

    /// After the last block.
    void finish()
    {
        end();
        m_all.divergedBlocks = m_divergedBlocks;
        if (m_patterns.size() > LaunchStrips::kMostPatterns)
            return;
        std::vector<size_t> order(m_patterns.size());
        std::iota(order.begin(), order.end(), size_t{0});
        std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
            return std::pair(m_patterns[a].blocks, m_patterns[a].first) <
                   std::pair(m_patterns[b].blocks, m_patterns[b].first);
        });
        std::vector<uint32_t> placeOf(order.size());
        for (size_t place = 0; place < order.size(); ++place) {
            placeOf[order[place]] = static_cast<uint32_t>(place);
            m_all.patterns.push_back(std::move(m_patterns[order[place]]));
        }
        for (const uint32_t pattern : m_patternOf)
            m_all.patternOfEach.push_back(placeOf[pattern]);
    }

private:
    /// What follows is of \p block; blocks come one after the other.
    bool begin(BlockIndex block)
    {
        if (m_current && m_all.recorded[*m_current] == block)
            return true;
        end();
        const auto at = std::lower_bound(m_all.recorded.begin(), m_all.recorded.end(), block);
        if (at == m_all.recorded.end() || *at != block)
            return false;
        m_current = static_cast<size_t>(at - m_all.recorded.begin());
        m_columns.assign((m_steps[*m_current] + m_all.stepsPerSlot - 1) / m_all.stepsPerSlot, {});
        m_parted = false;
        return true;
    }

    void end()
    {
        if (!m_current)
            return;
        LaunchStrips::Strip& strip = m_all.strips[*m_current / m_blocksPerStrip];
        for (size_t i = 0; i < m_columns.size(); ++i)
            put(strip.columns[i], m_columns[i].rank, m_columns[i].diverged);
        m_divergedBlocks += m_parted ? 1 : 0;
        m_all.divergedOfEach[*m_current] = m_parted;
        notePattern();
        m_current.reset();
    }

    void notePattern()
    {
        if (m_patterns.size() > LaunchStrips::kMostPatterns)
            return;  // too many to tell apart
        const StepIndex steps = m_steps[*m_current];
        auto known = std::find_if(m_patterns.begin(), m_patterns.end(), [&](const LaunchStrips::Strip& pattern) {
            return pattern.steps == steps && pattern.columns == m_columns;
        });
        if (known == m_patterns.end())
            known = m_patterns.insert(known, {m_all.recorded[*m_current], 0, steps, m_columns});
        ++known->blocks;
        known->first = std::min(known->first, m_all.recorded[*m_current]);
        m_patternOf[*m_current] = static_cast<uint32_t>(known - m_patterns.begin());
    }

    static int8_t rankOf(const trace::StepKinds& kinds)
    {
        int8_t rank = -1;
        for (unsigned kind = 0; kind <= static_cast<unsigned>(trace::SiteKind::Return); ++kind)
            if ((kinds.kinds >> kind & 1) != 0)
                rank = std::max(rank, gui::rankOf(static_cast<trace::SiteKind>(kind)));
        return rank;
    }

    void put(Slot& slot, int8_t rank, bool parted)
    {
        slot.rank = std::max(slot.rank, rank);
        slot.diverged = slot.diverged || parted;
        m_parted = m_parted || parted;
    }

    /// What a tally came to.
    struct Tallied {
        StepIndex steps = 0;
        uint64_t stepsEach = 0;
        std::vector<trace::StepKinds> kinds;
        std::vector<Slot> columns;
        bool parted = false;
    };

    LaunchStrips& m_all;
    const std::vector<StepIndex>& m_steps;  ///< of each recorded block
    const trace::Launch& m_launch;
    size_t m_blocksPerStrip;
    size_t m_divergedBlocks = 0;
    std::vector<LaunchStrips::Strip> m_patterns;  ///< in the order in which they were met
    std::vector<uint32_t> m_patternOf;            ///< [recorded block]

    Tallied m_last;

    // of the block that is added now
    std::optional<size_t> m_current;  ///< its place among the recorded
    std::vector<Slot> m_columns;
    bool m_parted = false;
};

}  // namespace

const LaunchStrips::Strip* LaunchStrips::stripOf(BlockIndex block) const
{
    const auto after = std::upper_bound(strips.begin(), strips.end(), block,
                                        [](BlockIndex wanted, const Strip& strip) { return wanted < strip.first; });
    return after == strips.begin() ? nullptr : &*std::prev(after);
}

std::optional<size_t> LaunchStrips::patternOf(BlockIndex block) const
{
    const auto at = std::lower_bound(recorded.begin(), recorded.end(), block);
    if (patterns.empty() || at == recorded.end() || *at != block)
        return std::nullopt;
    return patternOfEach[static_cast<size_t>(at - recorded.begin())];
}

Result<LaunchStrips> LaunchStrips::of(trace::TraceReader& reader, LaunchId launch, const analysis::WarpNumbers& warps)
{
    const auto recorded = reader.blocks(launch);
    if (!recorded)
        return recorded.error();
    const trace::Launch& of = reader.catalog().launches[launch.value];
    LaunchStrips all;
    all.blocks = recorded.value().size();
    all.recorded = recorded.value();
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
    all.stepsOfEach = steps;
    all.divergedOfEach.assign(all.blocks, false);
    StripFiller filler(all, steps, of, blocksPerStrip);
    const Result<void> visited = analysis::visitLaunch(
        reader, launch, trace::Detail::Headers,
        // A tally has the steps of all warps.
        [&](const trace::BlockTally& tally) { return warps.empty() && filler.add(tally); },
        [&](BlockIndex block, StepIndex step, const trace::Event& event) {
            if (analysis::isAmong(warps, event.warp))
                filler.add(block, step, event);
        });
    if (!visited)
        return visited.error();
    filler.finish();
    return all;
}

}  // namespace lanescope::gui
