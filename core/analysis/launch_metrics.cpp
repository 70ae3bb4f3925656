// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "core/analysis/analysis.h"
#include "core/analysis/tallied_launch.h"

namespace lanescope::analysis {

using trace::Event;
using trace::SiteKind;
using trace::Space;

namespace {

class MetricsCollector {
public:
    explicit MetricsCollector(const trace::Catalog& catalog) : m_catalog(catalog) {}

    void add(const Event& event);
    void add(const trace::SiteCounts& counts);
    void add(const trace::BlockTally& tally);
    /// Moves the sums into \p metrics.
    void finish(LaunchMetrics& metrics);

private:
    static constexpr size_t kSpaces = 4;

    void addAccess(const Event& event);
    void addLanes(const Event& event, Space space, LaneMask lanes);
    void addRun(SiteId site, const trace::AccessRun& run);
    void addSums(SiteId site, const trace::AccessSums& sums);
    void addCost(LineMetrics& line, LaneMask lanes, uint32_t width, uint64_t times);
    void addBranch(SiteId site, uint64_t requests, uint64_t lanes, uint64_t divergent);
    LineMetrics& lineOf(SiteId site, Space space);
    [[nodiscard]] LineMetrics newLine(SiteId site) const;
    [[nodiscard]] Space spaceOf(BufferId buffer, const Event& event) const;

    const trace::Catalog& m_catalog;
    LaunchMetrics m_sums;
    std::map<std::pair<SiteId, Space>, LineMetrics> m_lines;
    std::map<SiteId, LineMetrics> m_branches;
    std::array<uint64_t, kWarpSize> m_address{};
};

void MetricsCollector::add(const Event& event)
{
    if (event.isAccess() && event.mask != 0)
        addAccess(event);
    else if (event.kind == SiteKind::Barrier)
        ++m_sums.barriers;
    else if (event.kind == SiteKind::Branch && event.mask != 0)
        addBranch(event.site, 1, static_cast<uint64_t>(std::popcount(event.mask)),
                  event.taken != 0 && event.taken != event.mask ? 1 : 0);
}

/// What a device counted is what its events would have come to.
void MetricsCollector::add(const trace::SiteCounts& counts)
{
    const SiteKind kind = m_catalog.sites[counts.site.value].kind;
    if (kind == SiteKind::Barrier)
        m_sums.barriers += counts.requests;
    else if (kind == SiteKind::Branch)
        addBranch(counts.site, counts.requests, counts.laneAccesses, counts.divergent);
    if (kind != SiteKind::Load && kind != SiteKind::Store && kind != SiteKind::Atomic)
        return;
    m_sums.accesses += counts.requests;
    m_sums.laneAccesses += counts.laneAccesses;
    LineMetrics& line = lineOf(counts.site, counts.space);
    line.requests += counts.requests;
    line.laneAccesses += counts.laneAccesses;
    line.sectors += counts.sectors;
    line.idealSectors += counts.idealSectors;
    line.wavefronts += counts.wavefronts;
    line.conflicts += counts.wavefronts - counts.idealWavefronts;
    if (counts.space == Space::Global)
        m_sums.globalBytes += counts.laneAccesses * counts.bytes;
    if (counts.space == Space::Shared)
        m_sums.sharedBytes += counts.laneAccesses * counts.bytes;
    for (size_t i = 0; i < counts.degrees.size(); ++i)
        if (counts.degrees[i] != 0)
            line.maxDegree = std::max(line.maxDegree, static_cast<uint32_t>(i + 1));
}

/// An address outside all buffers counts where the site says.
Space MetricsCollector::spaceOf(BufferId buffer, const Event& event) const
{
    return buffer != kNoBuffer ? m_catalog.buffers[buffer.value].space : m_catalog.sites[event.site.value].space;
}

void MetricsCollector::addAccess(const Event& event)
{
    ++m_sums.accesses;
    m_sums.laneAccesses += static_cast<uint64_t>(std::popcount(event.mask));
    std::array<LaneMask, kSpaces> lanes{};
    const bool oneBuffer = event.laneBuffer.empty();
    if (oneBuffer)
        lanes[static_cast<size_t>(spaceOf(event.buffer, event))] = event.mask;
    for (LaneMask rest = event.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const BufferId id = event.bufferOf(lane);
        uint64_t base = 0;
        if (id != kNoBuffer)
            base = baseOf(m_catalog.buffers[id.value]);
        m_address[static_cast<size_t>(lane)] = base + event.offset[static_cast<size_t>(lane)];
        if (!oneBuffer)
            lanes[static_cast<size_t>(spaceOf(id, event))] |= LaneMask{1} << lane;
    }
    for (size_t space = 0; space < kSpaces; ++space)
        if (lanes[space] != 0)
            addLanes(event, static_cast<Space>(space), lanes[space]);
}

void MetricsCollector::addLanes(const Event& event, Space space, LaneMask lanes)
{
    const uint32_t width = event.valueBytes != 0
                               ? event.valueBytes
                               : std::clamp(m_catalog.sites[event.site.value].type.totalBytes(), 1U, 16U);
    addCost(lineOf(event.site, space), lanes, width, 1);
}

/// Of \p times executions with addresses like those in m_address.
void MetricsCollector::addCost(LineMetrics& line, LaneMask lanes, uint32_t width, uint64_t times)
{
    const uint64_t count = times * static_cast<uint64_t>(std::popcount(lanes));
    line.requests += times;
    line.laneAccesses += count;
    if (line.space == Space::Global) {
        const SectorCost cost = sectorCost(lanes, m_address, width);
        line.sectors += times * cost.sectors;
        line.idealSectors += times * cost.idealSectors;
        m_sums.globalBytes += count * width;
    } else if (line.space == Space::Shared) {
        const BankCost cost = bankCost(lanes, m_address, width);
        line.wavefronts += times * cost.wavefronts;
        line.conflicts += times * cost.conflicts();
        line.maxDegree = std::max(line.maxDegree, cost.maxDegree);
        m_sums.sharedBytes += count * width;
    }
}

void MetricsCollector::add(const trace::BlockTally& tally)
{
    for (const trace::SiteTally& site : tally.sites) {
        const SiteKind kind = m_catalog.sites[site.site.value].kind;
        if (kind == SiteKind::Barrier)
            m_sums.barriers += site.executions;
        else if (kind == SiteKind::Branch)
            addBranch(site.site, site.executions, site.lanes, site.divergent);
        else
            m_sums.accesses += site.executions;
        for (const trace::AccessRun& run : site.runs)
            addRun(site.site, run);
        for (const trace::AccessSums& sums : site.rest)
            addSums(site.site, sums);
    }
}

void MetricsCollector::addRun(SiteId site, const trace::AccessRun& run)
{
    const trace::Buffer& buffer = m_catalog.buffers[run.buffer.value];
    LineMetrics& line = lineOf(site, buffer.space);
    m_sums.accesses += uint64_t{run.count} * run.times;
    m_sums.laneAccesses += uint64_t{run.count} * run.times * static_cast<uint64_t>(std::popcount(run.mask));
    trace::eachCost(run, buffer.space, [&](uint32_t shift, uint64_t count) {
        m_address = trace::addressesOf(run, baseOf(buffer), shift);
        addCost(line, run.mask, run.bytes, count * run.times);
    });
}

void MetricsCollector::addSums(SiteId site, const trace::AccessSums& sums)
{
    LineMetrics& line = lineOf(site, sums.space);
    m_sums.laneAccesses += sums.laneAccesses;
    line.requests += sums.requests;
    line.laneAccesses += sums.laneAccesses;
    line.sectors += sums.sectors;
    line.idealSectors += sums.idealSectors;
    line.wavefronts += sums.wavefronts;
    line.conflicts += sums.wavefronts - std::min(sums.wavefronts, sums.idealWavefronts);
    line.maxDegree = std::max(line.maxDegree, sums.maxDegree);
    if (sums.space == Space::Global)
        m_sums.globalBytes += sums.laneBytes;
    if (sums.space == Space::Shared)
        m_sums.sharedBytes += sums.laneBytes;
}

LineMetrics& MetricsCollector::lineOf(SiteId id, Space space)
{
    const auto [at, isNew] = m_lines.try_emplace({id, space});
    if (isNew) {
        at->second = newLine(id);
        at->second.space = space;
    }
    return at->second;
}

LineMetrics MetricsCollector::newLine(SiteId id) const
{
    const trace::Site& site = m_catalog.sites[id.value];
    LineMetrics line;
    line.site = id;
    line.where = site.where;
    if (site.where.source.value < m_catalog.sources.size())
        line.file = m_catalog.sources[site.where.source.value].path;
    line.expression = site.expression;
    line.access = site.kind;
    line.function = site.function;
    return line;
}

void MetricsCollector::addBranch(SiteId site, uint64_t requests, uint64_t lanes, uint64_t divergent)
{
    m_sums.divergentBranches += divergent;
    const auto [at, isNew] = m_branches.try_emplace(site);
    if (isNew)
        at->second = newLine(site);
    at->second.requests += requests;
    at->second.laneAccesses += lanes;
    at->second.divergent += divergent;
}

void MetricsCollector::finish(LaunchMetrics& metrics)
{
    metrics.accesses = m_sums.accesses;
    metrics.laneAccesses = m_sums.laneAccesses;
    metrics.globalBytes = m_sums.globalBytes;
    metrics.sharedBytes = m_sums.sharedBytes;
    metrics.barriers = m_sums.barriers;
    metrics.divergentBranches = m_sums.divergentBranches;
    for (auto& [key, line] : m_lines)
        metrics.lines.push_back(std::move(line));
    for (auto& [site, line] : m_branches)
        metrics.branches.push_back(std::move(line));
    for (auto* lines : {&metrics.lines, &metrics.branches})
        std::stable_sort(lines->begin(), lines->end(), [](const LineMetrics& a, const LineMetrics& b) {
            return std::tie(a.file, a.where.line, a.where.column) < std::tie(b.file, b.where.line, b.where.column);
        });
}

}  // namespace

std::vector<HardwareMetric> compareWithHardware(const trace::Catalog& catalog, const LaunchMetrics& metrics)
{
    const auto sum = [&](Space space, SiteKind kind, uint64_t LineMetrics::* member) {
        uint64_t total = 0;
        for (const LineMetrics& line : metrics.lines)
            if (line.space == space && line.access == kind)
                total += line.*member;
        return total;
    };
    // Of addresses: without what other work in the multiprocessor's pipeline adds, which the hardware's include.
    const std::map<std::string, uint64_t> predicted{
        {"global load requests", sum(Space::Global, SiteKind::Load, &LineMetrics::requests)},
        {"global load sectors", sum(Space::Global, SiteKind::Load, &LineMetrics::sectors)},
        {"global store requests", sum(Space::Global, SiteKind::Store, &LineMetrics::requests)},
        {"global store sectors", sum(Space::Global, SiteKind::Store, &LineMetrics::sectors)},
        {"shared load wavefronts", sum(Space::Shared, SiteKind::Load, &LineMetrics::wavefronts)},
        {"shared store wavefronts", sum(Space::Shared, SiteKind::Store, &LineMetrics::wavefronts)},
        {"shared load conflicts", sum(Space::Shared, SiteKind::Load, &LineMetrics::conflicts)},
        {"shared store conflicts", sum(Space::Shared, SiteKind::Store, &LineMetrics::conflicts)},
        {"shared load wavefronts of addresses", sum(Space::Shared, SiteKind::Load, &LineMetrics::wavefronts)},
        {"shared store wavefronts of addresses", sum(Space::Shared, SiteKind::Store, &LineMetrics::wavefronts)},
        {"shared load conflicts of addresses", sum(Space::Shared, SiteKind::Load, &LineMetrics::conflicts)},
        {"shared store conflicts of addresses", sum(Space::Shared, SiteKind::Store, &LineMetrics::conflicts)},
    };
    std::vector<HardwareMetric> result;
    for (const trace::Measurement& measurement : catalog.measurements) {
        if (measurement.launch != metrics.launch)
            continue;
        const auto known = predicted.find(measurement.name);
        result.push_back({measurement.name, measurement.value,
                          known == predicted.end() ? std::nullopt : std::optional(known->second)});
    }
    return result;
}

namespace {

LaunchMetrics emptyMetrics(const trace::Launch& launch)
{
    LaunchMetrics metrics;
    metrics.launch = launch.id;
    metrics.kernel = launch.kernel;
    metrics.grid = launch.grid;
    metrics.block = launch.block;
    return metrics;
}

LineMetrics metricsOf(const trace::LineOperations& operations, const trace::Catalog& catalog)
{
    LineMetrics line;
    line.site = kNoSite;
    line.where = operations.where;
    line.file = trace::pathOf(catalog, operations.where.source);
    line.function = operations.function;
    line.requests = operations.executions;
    line.laneAccesses = operations.lanes;
    line.operation = operations.kind;
    return line;
}

Result<void> collect(MetricsCollector& collector, trace::TraceReader& reader, const StepsOfBlock& steps)
{
    return reader.visit(steps.launch, steps.block, steps.first, steps.last, trace::Detail::Places,
                        [&](StepIndex, const Event& event) {
                            if (steps.takes(event.warp))
                                collector.add(event);
                            return true;
                        });
}

}  // namespace

Result<LaunchMetrics> measureSteps(trace::TraceReader& reader, const StepsOfBlock& steps)
{
    LaunchMetrics metrics = emptyMetrics(reader.catalog().launches[steps.launch.value]);
    MetricsCollector collector(reader.catalog());
    if (auto done = collect(collector, reader, steps); !done)
        return done.error();
    collector.finish(metrics);
    const auto count = reader.stepCount(steps.launch, steps.block);
    const auto flops = reader.flopsOfWarps(steps.launch, steps.block);
    if (!count || !flops)
        return count ? flops.error() : count.error();
    metrics.flopsAreKnown = !flops.value().empty() && steps.first == 0 && steps.last >= count.value();
    for (size_t warp = 0; metrics.flopsAreKnown && warp < flops.value().size(); ++warp)
        if (steps.takes(static_cast<uint16_t>(warp)))
            metrics.flops += flops.value()[warp];
    return metrics;
}

Result<LaunchMetrics> measureLaunch(trace::TraceReader& reader, LaunchId launch)
{
    if (launch.value >= reader.catalog().launches.size())
        return reader.blocks(launch).error();
    const trace::Launch& of = reader.catalog().launches[launch.value];
    LaunchMetrics metrics = emptyMetrics(of);
    metrics.warpInstructions = of.warpInstructions;
    metrics.flops = of.flops;
    MetricsCollector collector(reader.catalog());
    const Result<void> done = visitLaunch(
        reader, launch, trace::Detail::Places,
        [&](const trace::BlockTally& tally) {
            collector.add(tally);
            return true;
        },
        [&](BlockIndex, StepIndex, const Event& event) { collector.add(event); });
    if (!done)
        return done.error();
    for (const trace::SiteCounts& counts : reader.catalog().counts)
        if (counts.launch == launch)
            collector.add(counts);
    collector.finish(metrics);
    for (const trace::LineOperations& operations : reader.catalog().operations)
        if (operations.launch == launch)
            metrics.operations.push_back(metricsOf(operations, reader.catalog()));
    return metrics;
}

}  // namespace lanescope::analysis
