// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/engine/overview_builder.h"

#include <algorithm>
#include <bit>
#include <set>
#include <sstream>

#include "app/gui/engine/block_phases.h"
#include "app/gui/engine/value_format.h"

namespace lanescope::gui {

namespace {

constexpr size_t kNeighbours = 9;  // rows in all when a block has a single warp
using Steps = std::shared_ptr<const std::vector<replay::StepSummary>>;

LaneMask launchedLanes(const trace::Launch& launch, uint32_t warp)
{
    const uint64_t left = launch.threadsPerBlock() - uint64_t{warp} * kWarpSize;
    return left >= kWarpSize ? ~LaneMask{0} : (LaneMask{1} << left) - 1;
}

std::vector<EpochSpan> epochsOf(const std::vector<replay::StepSummary>& steps)
{
    std::vector<EpochSpan> spans;
    uint32_t highest = 0;
    for (StepIndex step = 0; step < steps.size(); ++step) {
        highest = spans.empty() ? steps[step].epoch : std::max(highest, steps[step].epoch);
        if (spans.empty() || highest > spans.back().epoch)
            spans.push_back({highest, step, step});
        spans.back().last = step + 1;
    }
    return spans;
}

void countLines(BlockOverview& overview, const std::vector<replay::StepSummary>& steps, const trace::Catalog& catalog)
{
    for (const replay::StepSummary& step : steps) {
        const bool reads = step.kind == trace::SiteKind::Load || step.kind == trace::SiteKind::Atomic;
        const bool writes = step.kind == trace::SiteKind::Store || step.kind == trace::SiteKind::Atomic;
        if ((!reads && !writes) || step.site.value >= catalog.sites.size())
            continue;
        const trace::SourceLocation& where = catalog.sites[step.site.value].where;
        LineCount& count = overview.lines[{where.source.value, where.line}];
        const auto lanes = static_cast<uint64_t>(std::popcount(step.mask));
        count.reads += reads ? lanes : 0;
        count.writes += writes ? lanes : 0;
    }
}

/// Cost: a look at each step.
std::vector<std::pair<uint32_t, uint32_t>> linesThatRan(const std::vector<replay::StepSummary>& steps,
                                                        const trace::Catalog& catalog)
{
    std::vector<bool> seen(catalog.sites.size());
    for (const replay::StepSummary& step : steps)
        if (step.site.value < seen.size())
            seen[step.site.value] = true;
    std::set<std::pair<uint32_t, uint32_t>> lines;
    for (size_t site = 0; site < seen.size(); ++site)
        if (const trace::SourceLocation& where = catalog.sites[site].where; seen[site] && where.line != 0)
            lines.emplace(where.source.value, where.line);
    return {lines.begin(), lines.end()};
}

bool exchangesBetweenLanes(const std::string& line)
{
    return line.find("_sync") != std::string::npos &&
           (!ShuffleCall::allIn(line).empty() || CollectiveCall::in(line).has_value());
}

/// Loads of such a line only bring what it works with.
std::set<SiteId> warpOperationsOf(const trace::Catalog& catalog)
{
    std::set<std::pair<uint32_t, uint32_t>> lines;
    for (uint32_t source = 0; source < catalog.sources.size(); ++source) {
        std::istringstream text(catalog.sources[source].text);
        std::string line;
        for (uint32_t number = 1; std::getline(text, line); ++number)
            if (exchangesBetweenLanes(line))
                lines.emplace(source, number);
    }
    std::set<SiteId> sites;
    for (uint32_t site = 0; site < catalog.sites.size() && !lines.empty(); ++site) {
        const trace::Site& at = catalog.sites[site];
        if (at.kind != trace::SiteKind::Load && lines.contains({at.where.source.value, at.where.line}))
            sites.insert(SiteId(site));
    }
    return sites;
}

std::vector<FindingFlag> flagsOf(const std::vector<trace::Finding>& findings, const trace::Launch& launch,
                                 const BlockOverview& overview)
{
    std::vector<FindingFlag> flags;
    for (size_t i = 0; i < findings.size(); ++i)
        for (const trace::FindingAccess& access : findings[i].accesses)
            if (findings[i].launch == overview.launch && access.step < overview.stepCount &&
                linearIndex(access.block, launch.grid) == overview.block.value)
                flags.push_back(
                    {access.step, static_cast<uint16_t>(linearIndex(access.thread, launch.block) / kWarpSize), i});
    std::sort(flags.begin(), flags.end(), [](const auto& a, const auto& b) { return a.step < b.step; });
    return flags;
}

/// The focused block and the recorded blocks next to it, ascending.
std::vector<BlockIndex> neighbourhood(const std::vector<BlockIndex>& recorded, BlockIndex focused)
{
    const auto here = std::lower_bound(recorded.begin(), recorded.end(), focused);
    const auto index = static_cast<size_t>(here - recorded.begin());
    const size_t span = std::min(kNeighbours, recorded.size());
    const size_t first = std::min(index - std::min(index, span / 2), recorded.size() - span);
    return {recorded.begin() + static_cast<ptrdiff_t>(first), recorded.begin() + static_cast<ptrdiff_t>(first + span)};
}

Result<void> addNeighbourRows(BlockOverview& overview, replay::Session& session, const Steps& focused)
{
    const trace::Launch& launch = session.catalog().launches[overview.launch.value];
    auto recorded = session.reader().blocks(overview.launch);
    if (!recorded)
        return recorded.error();
    for (BlockIndex block : neighbourhood(recorded.value(), overview.block)) {
        TimelineRow row{blockText(positionOf(block.value, launch.grid), launch),
                        block,
                        0,
                        block == overview.block,
                        launchedLanes(launch, 0),
                        focused,
                        {}};
        if (!row.focusedBlock) {
            auto steps = session.summary(overview.launch, block);
            if (!steps)
                return steps.error();
            row.steps = steps.value();
        }
        row.levels = std::move(StepLevels::of(*row.steps, 1).front());
        overview.rows.push_back(row);
    }
    return {};
}

}  // namespace

Result<std::shared_ptr<const BlockOverview>> buildOverview(replay::Session& session, replay::BlockCursor& cursor,
                                                           const std::vector<trace::Finding>& findings,
                                                           const BlockOverview* last)
{
    auto steps = cursor.summary();
    if (!steps)
        return steps.error();
    const trace::Launch& launch = session.catalog().launches[cursor.launch().value];
    const bool doesTheSame = last != nullptr && last->launch == cursor.launch() && last->phases &&
                             !last->rows.empty() && last->rows.front().steps == steps.value();
    auto overview = doesTheSame ? std::make_shared<BlockOverview>(*last) : std::make_shared<BlockOverview>();
    overview->launch = cursor.launch();
    overview->block = cursor.block();
    overview->stepCount = cursor.stepCount();
    overview->recordedSteps = cursor.recordedSteps();
    overview->flags = flagsOf(findings, launch, *overview);
    if (doesTheSame) {
        for (TimelineRow& row : overview->rows)
            row.block = overview->block;
        return std::shared_ptr<const BlockOverview>(overview);
    }
    overview->epochs = epochsOf(*steps.value());
    overview->warpOperations = warpOperationsOf(session.catalog());
    countLines(*overview, *steps.value(), session.catalog());
    overview->ranLines = linesThatRan(*steps.value(), session.catalog());
    if (launch.warpsPerBlock() == 1 && launch.grid.count() > 1) {
        if (auto added = addNeighbourRows(*overview, session, steps.value()); !added)
            return added.error();
        return std::shared_ptr<const BlockOverview>(overview);
    }
    std::vector<StepLevels> levels = StepLevels::of(*steps.value(), launch.warpsPerBlock());
    BlockPhases phases = BlockPhases::of(*steps.value(), launch.warpsPerBlock(), session.catalog());
    if (!phases.patternOf.empty())
        overview->phases = std::make_shared<const BlockPhases>(std::move(phases));
    for (uint32_t warp = 0; warp < launch.warpsPerBlock(); ++warp)
        overview->rows.push_back({QStringLiteral("warp %1").arg(warp), overview->block, static_cast<uint16_t>(warp),
                                  true, launchedLanes(launch, warp), steps.value(), std::move(levels[warp])});
    return std::shared_ptr<const BlockOverview>(overview);
}

}  // namespace lanescope::gui
