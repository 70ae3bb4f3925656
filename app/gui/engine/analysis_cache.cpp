// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/engine/analysis_cache.h"

#include <algorithm>
#include <utility>

#include "app/gui/engine/snapshot_builder.h"

namespace lanescope::gui {

namespace {

template <typename T, typename Compute>
Result<std::shared_ptr<const T>> once(std::map<LaunchId, std::shared_ptr<const T>>& known, LaunchId launch,
                                      const Compute& compute)
{
    if (const auto found = known.find(launch); found != known.end())
        return found->second;
    Result<T> computed = compute();
    if (!computed)
        return computed.error();
    known[launch] = std::make_shared<const T>(std::move(computed).value());
    return known[launch];
}

}  // namespace

Result<std::shared_ptr<const analysis::LaunchMetrics>> AnalysisCache::metrics(LaunchId launch)
{
    return once(m_metrics, launch, [&] { return analysis::measureLaunch(m_session.reader(), launch); });
}

Result<std::shared_ptr<const analysis::SharedRequests>> AnalysisCache::sharedRequests(LaunchId launch)
{
    return once(m_requests, launch, [&] { return analysis::collectSharedRequests(m_session.reader(), launch); });
}

Result<std::shared_ptr<const LaunchStrips>> AnalysisCache::strips(LaunchId launch, const analysis::WarpNumbers& warps)
{
    if (warps.empty())
        return once(m_strips, launch, [&] { return LaunchStrips::of(m_session.reader(), launch); });
    if (!m_warpStrips.value || m_warpStrips.launch != launch || m_warpStrips.warps != warps) {
        auto computed = LaunchStrips::of(m_session.reader(), launch, warps);
        if (!computed)
            return computed.error();
        m_warpStrips = {launch, {}, warps, std::make_shared<const LaunchStrips>(std::move(computed).value())};
    }
    return m_warpStrips.value;
}

Result<std::shared_ptr<const analysis::LaunchMetrics>> AnalysisCache::metrics(const analysis::StepsOfBlock& steps)
{
    if (!m_stepsMetrics.value || !(m_stepsMetrics.steps == steps)) {
        auto computed = analysis::measureSteps(m_session.reader(), steps);
        if (!computed)
            return computed.error();
        m_stepsMetrics = {steps, std::make_shared<const analysis::LaunchMetrics>(std::move(computed).value())};
    }
    return m_stepsMetrics.value;
}

Result<std::shared_ptr<const analysis::SharedRequests>>
AnalysisCache::sharedRequests(const analysis::StepsOfBlock& steps)
{
    if (!m_stepsRequests.value || !(m_stepsRequests.steps == steps)) {
        auto computed = analysis::collectSharedRequests(m_session.reader(), steps);
        if (!computed)
            return computed.error();
        m_stepsRequests = {steps, std::make_shared<const analysis::SharedRequests>(std::move(computed).value())};
    }
    return m_stepsRequests.value;
}

Result<std::shared_ptr<const analysis::Footprint>> AnalysisCache::footprint(LaunchId launch)
{
    const auto buffers = m_session.buffersOf(launch);
    if (!buffers)
        return buffers.error();
    return once(m_footprints, launch,
                [&] { return analysis::launchFootprint(m_session.reader(), launch, buffers.value()); });
}

Result<std::shared_ptr<const analysis::Footprint>> AnalysisCache::footprint(LaunchId launch, BlockIndex block)
{
    if (m_blockFootprint.value && m_blockFootprint.launch == launch && m_blockFootprint.block == block)
        return m_blockFootprint.value;
    const auto buffers = m_session.buffersOf(launch);
    if (!buffers)
        return buffers.error();
    auto computed = analysis::blockFootprint(m_session.reader(), launch, block, buffers.value());
    if (!computed)
        return computed.error();
    m_blockFootprint = {launch, block, {}, std::make_shared<const analysis::Footprint>(std::move(computed).value())};
    return m_blockFootprint.value;
}

Result<std::shared_ptr<const analysis::Sweep>> AnalysisCache::sweep(LaunchId launch, BlockIndex block,
                                                                    std::optional<BufferId> buffer)
{
    if (m_sweep.value && m_sweep.launch == launch && m_sweep.block == block && m_sweep.buffer == buffer)
        return m_sweep.value;
    const auto known = flow(launch, block);
    if (!known)
        return known.error();
    m_sweep = {launch, block, buffer,
               std::make_shared<const analysis::Sweep>(analysis::sweepOf(*known.value(), buffer))};
    return m_sweep.value;
}

Result<std::shared_ptr<const analysis::Ring>> AnalysisCache::ring(LaunchId launch, BlockIndex block)
{
    if (m_ring.value && m_ring.launch == launch && m_ring.block == block)
        return m_ring.value;
    auto computed = analysis::traceRing(m_session, launch, block);
    if (!computed)
        return computed.error();
    m_ring = {launch, block, {}, std::make_shared<const analysis::Ring>(std::move(computed).value())};
    return m_ring.value;
}

Result<std::shared_ptr<const analysis::Cluster>> AnalysisCache::cluster(LaunchId launch, BlockIndex block)
{
    const auto holds = [&](const analysis::Cluster& cluster) {
        return std::ranges::find(cluster.blocks, block, &analysis::ClusterBlock::block) != cluster.blocks.end();
    };
    if (m_cluster.value && m_cluster.launch == launch && holds(*m_cluster.value))
        return m_cluster.value;
    auto computed = analysis::traceCluster(m_session, launch, block);
    if (!computed)
        return computed.error();
    m_cluster = {launch, block, {}, std::make_shared<const analysis::Cluster>(std::move(computed).value())};
    return m_cluster.value;
}

Result<std::shared_ptr<const std::vector<analysis::TensorCopy>>> AnalysisCache::tensorCopies(LaunchId launch,
                                                                                             BlockIndex block)
{
    if (m_tensorCopies.value && m_tensorCopies.launch == launch && m_tensorCopies.block == block)
        return m_tensorCopies.value;
    auto computed = analysis::traceTensorCopies(m_session, launch, block);
    if (!computed)
        return computed.error();
    m_tensorCopies = {
        launch, block, {}, std::make_shared<const std::vector<analysis::TensorCopy>>(std::move(computed).value())};
    return m_tensorCopies.value;
}

Result<std::shared_ptr<const analysis::TileMap>> AnalysisCache::tileMap(LaunchId launch, std::optional<BufferId> buffer,
                                                                        const analysis::WarpNumbers& warps)
{
    // It is mostly asked for ahead, of no buffer: then it is that of each which is not written, too.
    const auto isOf = [&](const analysis::TileMap& map) {
        return m_tileMap.buffer == buffer || map.buffer == buffer ||
               (!m_tileMap.buffer && !map.written.contains(*buffer));
    };
    if (m_tileMap.value && m_tileMap.launch == launch && m_tileMap.warps == warps && isOf(*m_tileMap.value))
        return m_tileMap.value;
    auto computed = analysis::traceTileMap(m_session, launch, buffer, warps);
    if (!computed)
        return computed.error();
    m_tileMap = {launch, buffer, warps, std::make_shared<const analysis::TileMap>(std::move(computed).value())};
    return m_tileMap.value;
}

Result<std::shared_ptr<const analysis::Flow>> AnalysisCache::flow(LaunchId launch, BlockIndex block)
{
    if (m_flow.value && m_flow.launch == launch && m_flow.block == block)
        return m_flow.value;
    auto computed = analysis::Flow::of(m_session, launch, block);
    if (!computed)
        return computed.error();
    m_flow = {launch, block, {}, std::make_shared<const analysis::Flow>(std::move(computed).value())};
    return m_flow.value;
}

Result<std::shared_ptr<const analysis::Padding>> AnalysisCache::padding(LaunchId launch, BlockIndex block)
{
    if (m_padding.value && m_padding.launch == launch && m_padding.block == block)
        return m_padding.value;
    // Tens of megabytes that a session which shows no other view of it need not keep.
    const bool wasKnown = m_flow.value != nullptr;
    auto known = flow(launch, block);
    if (!known)
        return known.error();
    if (!wasKnown)
        m_flow = {};
    const auto buffers = m_session.buffersOf(launch);
    if (!buffers)
        return buffers.error();
    auto computed = analysis::blockPadding(m_session.reader(), *known.value(), launch, block, buffers.value());
    if (!computed)
        return computed.error();
    m_padding = {launch, block, {}, std::make_shared<const analysis::Padding>(std::move(computed).value())};
    return m_padding.value;
}

Result<std::shared_ptr<const analysis::VariableHistory>> AnalysisCache::variable(LaunchId launch, BlockIndex block,
                                                                                 uint64_t thread, VariableId variable)
{
    constexpr size_t kMostKept = 64;
    constexpr size_t kMostWrites = 4096;
    OfBlock<analysis::VariableHistory>& known = m_variables[{thread, variable}];
    if (known.value && known.launch == launch && known.block == block)
        return known.value;
    auto computed = analysis::variableHistory(m_session.reader(), launch, block, thread, variable, kMostWrites);
    if (!computed)
        return computed.error();
    analysis::VariableHistory& history = computed.value();
    if (!std::ranges::all_of(history, &analysis::VariableWrite::known)) {
        auto cursor = m_session.cursor(launch, block);
        if (!cursor)
            return cursor.error();
        if (Result<void> done = analysis::computeValues(history, *cursor.value(), thread, variable); !done)
            return done.error();
    }
    auto value = std::make_shared<const analysis::VariableHistory>(std::move(history));
    if (m_variables.size() > kMostKept)
        m_variables.clear();
    m_variables[{thread, variable}] = {launch, block, {}, value};
    return value;
}

bool AnalysisCache::anticipate(LaunchId launch, BlockIndex block)
{
    if (launch.value >= m_session.catalog().launches.size() || !m_session.catalog().session.hasEnded() ||
        !m_session.reader().hasTallies(launch))
        return false;
    // What cannot be computed says so where it is asked for; the others are computed all the same. Footprints take much
    // memory while they are computed: before the sweep's, which stays.
    for (const Part part : {Part::Metrics, Part::Strips, Part::Requests, Part::Findings, Part::Tiles, Part::Footprint,
                            Part::Sweep, Part::Uses})
        if (m_anticipated.emplace(launch, part).second && computeAhead(part, launch, block))
            return true;
    return false;
}

bool AnalysisCache::computeAhead(Part part, LaunchId launch, BlockIndex block)
{
    const auto unless = [](bool isKnown, const auto& compute) {
        if (!isKnown)
            (void)compute();
        return !isKnown;
    };
    switch (part) {
    case Part::Metrics:
        return unless(m_metrics.contains(launch), [&] { return metrics(launch); });
    case Part::Strips:
        return unless(m_strips.contains(launch), [&] { return strips(launch); });
    case Part::Requests:
        return unless(m_requests.contains(launch), [&] { return sharedRequests(launch); });
    case Part::Findings:
        return unless(m_findings != nullptr, [&] { return findings(); });
    case Part::Tiles:
        return unless(m_tileMap.value && m_tileMap.launch == launch, [&] { return tileMap(launch, {}); });
    case Part::Footprint:
        return unless(m_footprints.contains(launch), [&] { return footprint(launch); });
    case Part::Sweep:
        return unless(m_sweep.value && m_sweep.launch == launch, [&] { return sweep(launch, block, {}); });
    case Part::Uses:
        break;
    }
    if (auto found = uses(launch, block); found)
        m_uses = std::move(found).value();
    return true;
}

Result<KnownUses> AnalysisCache::uses(LaunchId launch, BlockIndex block)
{
    const auto ofLaunch = footprint(launch);
    if (!ofLaunch)
        return ofLaunch.error();
    const auto ofBlock = footprint(launch, block);
    if (!ofBlock)
        return ofBlock.error();
    const auto outside = padding(launch, block);
    if (!outside)
        return outside.error();
    return KnownUses{launch, block, ofLaunch.value(), ofBlock.value(), outside.value()};
}

std::optional<KnownUses> AnalysisCache::takeUses()
{
    return std::exchange(m_uses, std::nullopt);
}

void AnalysisCache::adopt(const KnownUses& uses)
{
    m_footprints.try_emplace(uses.launch, uses.ofLaunch);
    if (!m_blockFootprint.value)
        m_blockFootprint = {uses.launch, uses.block, {}, uses.ofBlock};
    if (!m_padding.value)
        m_padding = {uses.launch, uses.block, {}, uses.padding};
}

Result<std::shared_ptr<const findings::Findings>> AnalysisCache::findings()
{
    if (!m_findings) {
        findings::FindingsOptions options;
        options.withAdvice = options.placesSides = m_session.catalog().session.hasEnded();
        auto found = findings::findingsOf(m_session.reader(), options);
        if (!found)
            return found.error();
        m_findings = std::make_shared<const findings::Findings>(std::move(found).value());
    }
    return m_findings;
}

Result<std::shared_ptr<SnapshotBuilder>> AnalysisCache::compared(const std::string& path)
{
    if (!m_compared || m_comparedPath != path) {
        auto session = replay::Session::open(path);
        if (!session)
            return session.error();
        m_compared = std::make_shared<SnapshotBuilder>(std::move(session).value());
        m_comparedPath = path;
    }
    return m_compared;
}

void AnalysisCache::forget()
{
    m_metrics.clear();
    m_requests.clear();
    m_stepsMetrics = {};
    m_stepsRequests = {};
    m_strips.clear();
    m_warpStrips = {};
    m_footprints.clear();
    m_blockFootprint = {};
    m_sweep = {};
    m_flow = {};
    m_ring = {};
    m_cluster = {};
    m_tileMap = {};
    m_tensorCopies = {};
    m_padding = {};
    m_variables.clear();
    m_findings.reset();
    m_uses.reset();
    m_anticipated.clear();
}

}  // namespace lanescope::gui
