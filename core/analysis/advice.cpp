// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/analysis/advice.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "core/analysis/advice_detector.h"

namespace lanescope::analysis {

namespace {

/// Events looked at per kernel: some hundred milliseconds, and more blocks than that repeat each other.
constexpr uint64_t kEventsPerKernel = 300'000;

/// One kernel: all its launches together.
class KernelAdvice {
public:
    explicit KernelAdvice(const trace::Catalog& catalog) : m_places(std::make_unique<FirstPlaces>(catalog))
    {
        m_detectors.push_back(makeAccessCostDetector(catalog, *m_places));
        m_detectors.push_back(makeDivergenceDetector(catalog, *m_places));
        m_detectors.push_back(makeSharedUseDetector(catalog, *m_places));
        m_detectors.push_back(makeBarrierDetector(catalog, *m_places));
    }

    Result<void> addLaunch(trace::TraceReader& reader, const trace::Launch& launch);
    [[nodiscard]] std::vector<trace::Finding> finish(const AdviceThresholds& thresholds);

private:
    Result<void> addBlock(trace::TraceReader& reader, const trace::Launch& launch, BlockIndex block);

    std::unique_ptr<FirstPlaces> m_places;
    std::vector<std::unique_ptr<AdviceDetector>> m_detectors;
    std::string m_kernel;
    LaunchId m_firstLaunch;
    uint64_t m_events = 0;
    uint64_t m_blocksSeen = 0;
    uint64_t m_blocks = 0;
};

Result<void> KernelAdvice::addLaunch(trace::TraceReader& reader, const trace::Launch& launch)
{
    if (m_kernel.empty()) {
        m_kernel = launch.kernel;
        m_firstLaunch = launch.id;
    }
    m_blocks += launch.grid.count();
    const Result<std::vector<BlockIndex>> blocks = reader.blocks(launch.id);
    if (!blocks)
        return blocks.error();
    for (const BlockIndex block : blocks.value()) {
        if (m_events >= kEventsPerKernel)
            return {};
        if (Result<void> added = addBlock(reader, launch, block); !added)
            return added;
    }
    return {};
}

Result<void> KernelAdvice::addBlock(trace::TraceReader& reader, const trace::Launch& launch, BlockIndex block)
{
    // Half a block would look as if its stores were never read.
    const Result<bool> complete = reader.blockComplete(launch.id, block);
    if (!complete)
        return complete.error();
    if (!complete.value())
        return {};
    m_places->beginBlock(launch, block);
    for (const auto& detector : m_detectors)
        detector->beginBlock(launch);
    Result<void> visited = reader.visit(launch.id, block, 0, UINT64_MAX, trace::Detail::Everything,
                                        [&](StepIndex step, const trace::Event& event) {
                                            ++m_events;
                                            m_places->add(step, event);
                                            for (const auto& detector : m_detectors)
                                                detector->add(step, event);
                                            return true;
                                        });
    for (const auto& detector : m_detectors)
        detector->endBlock();
    ++m_blocksSeen;
    return visited;
}

/// `m[i] *= 2` reads and writes at one place: one piece of advice.
void mergeSamePlaces(std::vector<trace::Finding>& findings)
{
    std::vector<trace::Finding> merged;
    for (trace::Finding& finding : findings) {
        const trace::SourceLocation& where = finding.accesses[0].where;
        const bool known = std::any_of(merged.begin(), merged.end(), [&](const trace::Finding& other) {
            const trace::SourceLocation& there = other.accesses[0].where;
            return other.kind == finding.kind && there.source == where.source && there.line == where.line &&
                   there.column == where.column;
        });
        if (!known)
            merged.push_back(std::move(finding));
    }
    findings = std::move(merged);
}

std::vector<trace::Finding> KernelAdvice::finish(const AdviceThresholds& thresholds)
{
    std::vector<trace::Finding> findings;
    if (m_blocksSeen == 0)
        return findings;
    for (const auto& detector : m_detectors)
        detector->finish(thresholds, findings);
    // What happens in code without lines (of a header of ours) is not the program's to change.
    std::erase_if(findings, [](const trace::Finding& finding) { return finding.accesses[0].where.line == 0; });
    mergeSamePlaces(findings);
    for (trace::Finding& finding : findings) {
        finding.kernel = m_kernel;
        finding.launch = m_firstLaunch;
        if (m_blocksSeen < m_blocks)
            finding.message += fmt::format(" (looked at {} of {} blocks)", m_blocksSeen, m_blocks);
    }
    return findings;
}

bool hasError(const trace::Catalog& catalog, const std::string& kernel)
{
    return std::any_of(catalog.findings.begin(), catalog.findings.end(), [&](const trace::Finding& finding) {
        return finding.severity == Severity::Error && finding.kernel == kernel;
    });
}

}  // namespace

Result<void> setThreshold(AdviceThresholds& thresholds, const std::string& kind, double value)
{
    const std::map<FindingKind, double*> known{{FindingKind::BankConflict, &thresholds.bankConflict},
                                               {FindingKind::Uncoalesced, &thresholds.uncoalesced},
                                               {FindingKind::DivergentBranch, &thresholds.divergentBranch},
                                               {FindingKind::UnusedShared, &thresholds.unusedShared},
                                               {FindingKind::RedundantStore, &thresholds.redundantStore}};
    const auto found = known.find(kindNamed(kind).value_or(FindingKind::Unknown));
    if (found == known.end())
        return Error{Error::Code::BadInput,
                     fmt::format("found '{}', expected bank-conflict, uncoalesced, divergent-branch, unused-shared or "
                                 "redundant-store",
                                 kind),
                     ""};
    *found->second = value;
    return {};
}

Result<std::vector<trace::Finding>> adviceOn(trace::TraceReader& reader, const AdviceThresholds& thresholds)
{
    const trace::Catalog& catalog = reader.catalog();
    std::vector<std::pair<std::string, KernelAdvice>> kernels;
    for (const trace::Launch& launch : catalog.launches) {
        if (hasError(catalog, launch.kernel))
            continue;
        auto kernel = std::find_if(kernels.begin(), kernels.end(),
                                   [&](const auto& known) { return known.first == launch.kernel; });
        if (kernel == kernels.end())
            kernel = kernels.insert(kernels.end(), {launch.kernel, KernelAdvice(catalog)});
        if (Result<void> added = kernel->second.addLaunch(reader, launch); !added)
            return added.error();
    }
    std::vector<trace::Finding> findings;
    for (auto& [name, kernel] : kernels)
        for (trace::Finding& finding : kernel.finish(thresholds))
            findings.push_back(std::move(finding));
    return findings;
}

void FirstPlaces::beginBlock(const trace::Launch& launch, BlockIndex block)
{
    m_block = positionOf(block.value, launch.grid);
    m_extent = launch.block;
    m_epochs.assign(launch.warpsPerBlock(), 0);
}

void FirstPlaces::add(StepIndex step, const trace::Event& event)
{
    if (event.warp >= m_epochs.size())
        return;
    Place& place = m_places[event.site.value];
    if (!place.known && event.mask != 0) {
        const uint64_t thread = uint64_t{event.warp} * kWarpSize + static_cast<uint64_t>(std::countr_zero(event.mask));
        place = {true, m_block, positionOf(thread, m_extent), m_epochs[event.warp], step};
    }
    if (event.kind == trace::SiteKind::Barrier)
        ++m_epochs[event.warp];
}

void FirstPlaces::describe(SiteId site, trace::FindingAccess& access) const
{
    const Place& place = m_places[site.value];
    access.block = place.block;
    access.thread = place.thread;
    access.epoch = place.epoch;
    access.step = place.step;
}

const trace::Buffer* AdviceDetector::bufferOf(const trace::Event& event, int lane) const
{
    const BufferId id = event.bufferOf(lane);
    return id.value < m_catalog.buffers.size() ? &m_catalog.buffers[id.value] : nullptr;
}

uint32_t AdviceDetector::widthOf(const trace::Event& event) const
{
    return event.valueBytes != 0 ? event.valueBytes : std::clamp(site(event.site).type.totalBytes(), 1U, 16U);
}

trace::Finding AdviceDetector::adviceAt(FindingKind kind, SiteId id, uint64_t count, std::string message) const
{
    const trace::Site& at = site(id);
    trace::FindingAccess access;
    access.where = at.where;
    access.expression = at.expression;
    m_places.describe(id, access);
    access.access = at.kind == trace::SiteKind::Load      ? "read"
                    : at.kind == trace::SiteKind::Store   ? "write"
                    : at.kind == trace::SiteKind::Atomic  ? "atomic"
                    : at.kind == trace::SiteKind::Barrier ? "barrier"
                                                          : "branch";
    trace::Finding finding;
    finding.kind = kind;
    finding.severity = Severity::Advice;
    finding.message = std::move(message);
    finding.count = count;
    finding.accesses = {access};
    return finding;
}

}  // namespace lanescope::analysis
