// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/replay/block_timeline.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string>

#include "core/base/physical_memory.h"

namespace lanescope::replay {

using trace::SiteKind;

namespace {

constexpr const char* kVariable = "LANESCOPE_STEPS_SHOWN";

/// First element > value.
std::optional<StepIndex> after(const std::vector<StepIndex>& sorted, StepIndex value)
{
    const auto at = std::upper_bound(sorted.begin(), sorted.end(), value);
    return at == sorted.end() ? std::nullopt : std::optional(*at);
}

/// Last element < value.
std::optional<StepIndex> before(const std::vector<StepIndex>& sorted, StepIndex value)
{
    const auto at = std::lower_bound(sorted.begin(), sorted.end(), value);
    return at == sorted.begin() ? std::nullopt : std::optional(*(at - 1));
}

LaneMask launchedLanes(uint64_t threads, uint32_t warp)
{
    const uint64_t first = uint64_t{warp} * kWarpSize;
    const uint64_t lanes = std::min<uint64_t>(threads - std::min(threads, first), kWarpSize);
    return lanes == kWarpSize ? 0xffffffffU : (LaneMask{1} << lanes) - 1;
}

}  // namespace

Result<StepIndex> stepsShown(StepIndex recorded)
{
    // Each has a summary and at most three places in its warp's tracks, vectors that double.
    constexpr uint64_t kBytesOfStep = sizeof(StepSummary) + 2 * 3 * sizeof(StepIndex);
    const char* const wanted = std::getenv(kVariable);  // NOLINT(concurrency-mt-unsafe): nobody sets it
    if (wanted == nullptr || *wanted == '\0')
        return std::min(recorded, physicalMemory() / 16 / kBytesOfStep);
    StepIndex most = 0;
    const char* const end = wanted + std::strlen(wanted);
    const auto [parsed, error] = std::from_chars(wanted, end, most);
    if (error != std::errc{} || parsed != end || most == 0)
        return Error{Error::Code::BadInput, std::string("'") + wanted + "' is no number of steps", kVariable};
    return std::min(recorded, most);
}

Result<std::shared_ptr<const BlockTimeline>> BlockTimeline::build(trace::TraceReader& reader, LaunchId launch,
                                                                  BlockIndex block, StepIndex steps)
{
    const trace::Catalog& catalog = reader.catalog();
    const trace::Launch& of = catalog.launches[launch.value];
    auto timeline = std::make_shared<BlockTimeline>();
    timeline->m_summary.reserve(steps);
    timeline->m_warps.resize(of.warpsPerBlock());
    for (uint32_t w = 0; w < of.warpsPerBlock(); ++w)
        timeline->m_warps[w].launched = launchedLanes(of.threadsPerBlock(), w);
    const Result<void> done =
        reader.visit(launch, block, 0, steps, trace::Detail::Headers, [&](StepIndex step, const trace::Event& event) {
            timeline->add(step, event, catalog);
            return true;
        });
    if (!done.ok())
        return done.error();
    return std::shared_ptr<const BlockTimeline>(std::move(timeline));
}

void BlockTimeline::add(StepIndex step, const trace::Event& event, const trace::Catalog& catalog)
{
    WarpTrack& track = m_warps[event.warp];
    // A lane that runs on has passed its barrier, whatever we think of who is missing: the producer knows better.
    if ((event.mask & track.arrived) != 0)
        completeBarrier(step);
    m_summary.push_back({event.site, event.warp, event.kind, event.mask, static_cast<uint32_t>(m_epochEnds.size())});
    track.steps.push_back(step);
    const trace::SourceLocation& where = catalog.sites[event.site.value].where;
    const bool first = track.steps.size() == 1;
    if (first || (where.line != 0 && (where.line != track.line.line || where.source != track.line.source)))
        track.lineStarts.push_back(step);
    if (first || where.line != 0)
        track.line = where;
    if (event.isAccess())
        track.accesses.push_back(step);
    if (event.kind == SiteKind::Barrier) {
        track.arrived |= event.mask;
        track.arrivals.push_back({step, m_epochEnds.size()});
        completeBarrierIfAllArrived(step + 1);
    } else if (event.kind == SiteKind::Exit) {
        track.exited |= event.mask;
        track.exits.push_back({step, track.exited});
        completeBarrierIfAllArrived(step + 1);
    }
}

void BlockTimeline::completeBarrierIfAllArrived(StepIndex after)
{
    bool any = false;
    for (const WarpTrack& track : m_warps) {
        any = any || track.arrived != 0;
        if ((track.launched & ~track.exited & ~track.arrived) != 0)
            return;
    }
    if (any)
        completeBarrier(after);
}

void BlockTimeline::completeBarrier(StepIndex after)
{
    m_epochEnds.push_back(after);
    for (WarpTrack& track : m_warps)
        track.arrived = 0;
}

std::optional<StepIndex> BlockTimeline::eventFrom(const WarpTrack& track, StepIndex step)
{
    const auto at = std::lower_bound(track.steps.begin(), track.steps.end(), step);
    return at == track.steps.end() ? std::nullopt : std::optional(*at);
}

WarpImage BlockTimeline::warp(uint32_t warp, StepIndex step, const trace::Catalog& catalog) const
{
    WarpImage image;
    if (warp >= m_warps.size())
        return image;
    const WarpTrack& track = m_warps[warp];
    image.launched = track.launched;
    image.epoch =
        static_cast<uint32_t>(std::upper_bound(m_epochEnds.begin(), m_epochEnds.end(), step) - m_epochEnds.begin());
    const auto run = [&](const auto& entry) { return entry.step < step; };
    const auto exits = std::partition_point(track.exits.begin(), track.exits.end(), run);
    if (exits != track.exits.begin())
        image.exited = (exits - 1)->exited;
    const auto arrivals = std::partition_point(track.arrivals.begin(), track.arrivals.end(), run);
    if (arrivals != track.arrivals.begin()) {
        const size_t barrier = (arrivals - 1)->epoch;
        image.waiting = barrier >= m_epochEnds.size() || m_epochEnds[barrier] > step;
    }
    image.previous = before(track.steps, step);
    image.next = eventFrom(track, step);
    if (const std::optional<StepIndex> shown = image.next ? image.next : image.previous) {
        const StepSummary& event = m_summary[*shown];
        image.active = event.mask;
        image.nextLine = catalog.sites[event.site.value].where;
    }
    return image;
}

std::optional<StepIndex> BlockTimeline::nextLine(uint32_t warp, StepIndex step) const
{
    if (warp >= m_warps.size())
        return std::nullopt;
    const std::optional<StepIndex> now = eventFrom(m_warps[warp], step);
    return now ? after(m_warps[warp].lineStarts, *now) : std::nullopt;
}

std::optional<StepIndex> BlockTimeline::previousLine(uint32_t warp, StepIndex step) const
{
    if (warp >= m_warps.size())
        return std::nullopt;
    const WarpTrack& track = m_warps[warp];
    const std::optional<StepIndex> now = eventFrom(track, step);
    if (!now)
        return before(track.lineStarts, step);
    // The start of the line that the warp is on, then the line before it.
    const std::optional<StepIndex> start = before(track.lineStarts, *now + 1);
    return start ? before(track.lineStarts, *start) : std::nullopt;
}

std::optional<StepIndex> BlockTimeline::nextAccess(uint32_t warp, StepIndex step) const
{
    if (warp >= m_warps.size())
        return std::nullopt;
    const std::optional<StepIndex> now = eventFrom(m_warps[warp], step);
    return now ? after(m_warps[warp].accesses, *now) : std::nullopt;
}

std::optional<StepIndex> BlockTimeline::previousAccess(uint32_t warp, StepIndex step) const
{
    return warp < m_warps.size() ? before(m_warps[warp].accesses, step) : std::nullopt;
}

std::optional<StepIndex> BlockTimeline::nextEpoch(StepIndex step) const
{
    return after(m_epochEnds, step);
}

std::optional<StepIndex> BlockTimeline::previousEpoch(StepIndex step) const
{
    if (const std::optional<StepIndex> end = before(m_epochEnds, step))
        return end;
    return step > 0 ? std::optional<StepIndex>(0) : std::nullopt;
}

}  // namespace lanescope::replay
