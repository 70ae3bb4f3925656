// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/engine/block_phases.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "app/gui/engine/step_levels.h"
#include "core/analysis/repetition.h"

namespace lanescope::gui {

namespace {

std::vector<BlockPhases::Loop> loopsOf(const std::vector<uint32_t>& patterns)
{
    std::vector<BlockPhases::Loop> loops;
    for (size_t epoch = 0; epoch < patterns.size();) {
        const analysis::Repetition found = analysis::repetitionAt(patterns, epoch);
        if (found.times > 1)
            loops.push_back({epoch, found.every, found.times});
        epoch += found.length();
    }
    return loops;
}

/// As Fowler and Noll and Vo do it with bytes, but a word at a time, whose high bits have to come down.
void addTo(uint64_t& hash, uint64_t word)
{
    constexpr uint64_t kPrime = 0x100000001b3;
    hash = (hash ^ word) * kPrime;
    hash ^= hash >> 29;
}

constexpr size_t kMostCounts = size_t{1} << 22;

/// [site] steps in one epoch.
using Sites = std::vector<uint32_t>;

BlockPhases::Pattern patternOf(const Sites& sites, const trace::Catalog& catalog)
{
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> lines;
    for (size_t site = 0; site < sites.size(); ++site)
        if (sites[site] > 0)
            lines[{catalog.sites[site].where.source.value, catalog.sites[site].where.line}] += sites[site];
    const auto most =
        std::max_element(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most == lines.end())
        return {};
    return {most->first.first, most->first.second, 0};
}

}  // namespace

uint32_t BlockPhases::Phase::total() const
{
    return std::accumulate(steps.begin(), steps.end(), 0U);
}

BlockPhases BlockPhases::of(const std::vector<replay::StepSummary>& steps, size_t warps, const trace::Catalog& catalog)
{
    BlockPhases all;
    all.warps = warps;
    uint32_t last = 0;
    for (const replay::StepSummary& step : steps)
        last = std::max(last, step.epoch);
    const size_t epochs = steps.empty() ? 0 : size_t{last} + 1;
    if (warps == 0 || epochs == 0 || epochs > kMost / warps)
        return all;
    all.phases.resize(epochs * warps);
    all.sameSteps.resize(warps);
    const size_t sites = catalog.sites.size();
    const bool knowsSites = sites > 0 && epochs <= kMostCounts / sites;
    std::vector<uint32_t> counts(knowsSites ? epochs * sites : 0);  // [epoch][site]
    for (StepIndex index = 0; index < steps.size(); ++index) {
        const replay::StepSummary& step = steps[index];
        if (step.warp >= warps)
            continue;
        Phase& phase = all.phases[step.epoch * warps + step.warp];
        if (phase.last == 0)
            phase.first = index;
        phase.last = index + 1;
        ++phase.steps.at(static_cast<size_t>(rankOf(step.kind)));
        addTo(all.sameSteps[step.warp], uint64_t{step.epoch} << 32 | step.site.value);
        addTo(all.sameSteps[step.warp], step.mask);
        if (knowsSites && step.site.value < sites)
            ++counts[step.epoch * sites + step.site.value];
    }
    std::map<Sites, uint32_t> known;
    for (auto at = counts.begin(); at != counts.end(); at += static_cast<ptrdiff_t>(sites)) {
        const Sites ofEpoch(at, at + static_cast<ptrdiff_t>(sites));
        const auto [place, isNew] = known.try_emplace(ofEpoch, static_cast<uint32_t>(all.patterns.size()));
        if (isNew)
            all.patterns.push_back(gui::patternOf(ofEpoch, catalog));
        ++all.patterns[place->second].epochs;
        all.patternOf.push_back(place->second);
    }
    all.loops = loopsOf(all.patternOf);
    return all;
}

}  // namespace lanescope::gui
