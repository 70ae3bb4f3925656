// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Branches that make lanes idle, and barriers that order nothing.
#include <algorithm>
#include <map>
#include <unordered_map>

#include <fmt/format.h>

#include "core/analysis/advice_detector.h"

namespace lanescope::analysis {

using trace::Event;
using trace::SiteKind;

namespace {

/// Lanes first to last without a gap, as a bounds guard leaves them.
bool isRun(LaneMask lanes)
{
    const LaneMask shifted = lanes >> std::countr_zero(lanes);
    return (shifted & (shifted + 1)) == 0;
}

struct BranchLine {
    uint64_t idle = 0;       ///< lane slots of events between the branch and where its lanes met again
    uint64_t divergent = 0;  ///< executions that split a warp
    uint64_t executions = 0;
};

/// Counts recorded events as the measure of work: accesses, assignments, branches.
class DivergenceDetector : public AdviceDetector {
public:
    using AdviceDetector::AdviceDetector;

    void beginBlock(const trace::Launch& launch) override;
    void add(StepIndex step, const Event& event) override;
    void finish(const AdviceThresholds& thresholds, std::vector<trace::Finding>& findings) override;

private:
    struct Open {
        SiteId site;
        LaneMask mask;
        bool counts;  ///< not a guard that leaves a run of lanes at work
    };

    std::vector<std::vector<Open>> m_open;  ///< by warp, outermost first
    std::map<SiteId, BranchLine> m_lines;
    uint64_t m_slots = 0;
};

void DivergenceDetector::beginBlock(const trace::Launch& launch)
{
    m_open.assign(launch.warpsPerBlock(), {});
}

void DivergenceDetector::add(StepIndex /*step*/, const Event& event)
{
    if (event.warp >= m_open.size() || event.mask == 0)
        return;
    m_slots += kWarpSize;
    std::vector<Open>& open = m_open[event.warp];
    while (!open.empty() && (event.mask & open.back().mask) == open.back().mask)
        open.pop_back();
    if (!open.empty() && open.back().counts)
        m_lines[open.back().site].idle += static_cast<uint64_t>(std::popcount(open.back().mask & ~event.mask));
    if (event.kind != SiteKind::Branch)
        return;
    BranchLine& line = m_lines[event.site];
    ++line.executions;
    const LaneMask taken = event.taken & event.mask;
    if (taken == 0 || taken == event.mask)
        return;
    ++line.divergent;
    open.push_back({event.site, event.mask, !isRun(taken)});
}

void DivergenceDetector::finish(const AdviceThresholds& thresholds, std::vector<trace::Finding>& findings)
{
    for (const auto& [id, line] : m_lines) {
        const double share = m_slots ? 100.0 * static_cast<double>(line.idle) / static_cast<double>(m_slots) : 0;
        if (line.idle == 0 || share < thresholds.divergentBranch)
            continue;
        trace::Finding finding = adviceAt(
            FindingKind::DivergentBranch, id, line.divergent,
            fmt::format("{:.0f} % of the kernel's lane slots idle because lanes of a warp part here ({} of {} times): "
                        "let whole warps take one way, by branching on threadIdx.x / 32 or on a run of threads",
                        share, line.divergent, line.executions));
        finding.numbers = {{"idleShare", share},
                           {"divergent", static_cast<double>(line.divergent)},
                           {"executions", static_cast<double>(line.executions)}};
        findings.push_back(std::move(finding));
    }
}

/// For each barrier of the source: would any two accesses of different threads race if it were not there? All the
/// times that a block comes by at once.
class BarrierDetector : public AdviceDetector {
public:
    using AdviceDetector::AdviceDetector;

    void beginBlock(const trace::Launch& launch) override;
    void add(StepIndex step, const Event& event) override;
    void finish(const AdviceThresholds& thresholds, std::vector<trace::Finding>& findings) override;

private:
    static constexpr uint32_t kNobody = UINT32_MAX;
    static constexpr uint32_t kMany = UINT32_MAX - 1;

    /// Who touched a byte since the last barrier other than the one that is thought away.
    struct Cell {
        uint32_t segment = 0;
        uint32_t reader = kNobody;
        uint32_t writer = kNobody;
        uint32_t epoch = 0;  ///< of the first access in the segment
    };
    struct Barrier {
        bool needed = false;
        bool spans = false;  ///< a thread uses a cell on both sides, one of them to write
        uint64_t count = 0;
        std::vector<uint32_t> segment;             ///< by warp
        std::unordered_map<uint64_t, Cell> cells;  ///< of this block, by buffer and word
    };

    void touch(Barrier& barrier, const Event& event, int lane, uint32_t epoch);

    std::map<SiteId, Barrier> m_barriers;
    std::vector<uint32_t> m_epoch;  ///< by warp
    uint32_t m_warps = 0;
};

void BarrierDetector::beginBlock(const trace::Launch& launch)
{
    // What other blocks of a cluster do to this one's shared memory, its recording does not have.
    m_warps = launch.cluster.count() > 1 ? 0 : launch.warpsPerBlock();
    m_epoch.assign(m_warps, 0);
    for (auto& [id, barrier] : m_barriers) {
        barrier.segment.assign(m_warps, 0);
        barrier.cells.clear();
    }
}

void BarrierDetector::touch(Barrier& barrier, const Event& event, int lane, uint32_t epoch)
{
    const uint32_t thread = uint32_t{event.warp} * kWarpSize + static_cast<uint32_t>(lane);
    const uint64_t first = event.offset[static_cast<size_t>(lane)] / 4;
    const uint64_t last = (event.offset[static_cast<size_t>(lane)] + widthOf(event) - 1) / 4;
    const bool writes = event.kind != SiteKind::Load;
    for (uint64_t word = first; word <= last; ++word) {
        Cell& cell = barrier.cells[uint64_t{event.bufferOf(lane).value} << 40 | word];
        const uint32_t segment = barrier.segment[event.warp];
        if (cell.segment != segment || (cell.reader == kNobody && cell.writer == kNobody))
            cell = {segment, kNobody, kNobody, epoch};
        const auto isOther = [&](uint32_t who) { return who != kNobody && who != thread; };
        if (isOther(cell.writer) || (writes && isOther(cell.reader)))
            barrier.needed = true;
        if (cell.epoch != epoch && (writes || cell.writer != kNobody))
            barrier.spans = true;
        uint32_t& who = writes ? cell.writer : cell.reader;
        who = who == kNobody || who == thread ? thread : kMany;
    }
}

void BarrierDetector::add(StepIndex /*step*/, const Event& event)
{
    if (event.warp >= m_warps)
        return;
    if (event.kind == SiteKind::Barrier) {
        const auto [own, isNew] = m_barriers.try_emplace(event.site);
        if (isNew) {
            own->second.segment = m_epoch;
            own->second.needed = !m_epoch.empty() && m_epoch[event.warp] > 0;  // what came before has not been seen
        }
        ++own->second.count;
        ++m_epoch[event.warp];
        for (auto& [id, barrier] : m_barriers)
            if (id != event.site)
                ++barrier.segment[event.warp];
        return;
    }
    if (!event.isAccess())
        return;
    for (auto& [id, barrier] : m_barriers)
        if (!barrier.needed)
            forEachLane(event.mask, [&](int lane) {
                const trace::Buffer* buffer = bufferOf(event, lane);
                if (buffer && buffer->space != trace::Space::Local && buffer->space != trace::Space::Constant)
                    touch(barrier, event, lane, m_epoch[event.warp]);
            });
}

void BarrierDetector::finish(const AdviceThresholds& /*thresholds*/, std::vector<trace::Finding>& findings)
{
    for (const auto& [id, barrier] : m_barriers)
        if (!barrier.needed && barrier.spans)
            findings.push_back(adviceAt(FindingKind::RedundantBarrier, id, barrier.count,
                                        "redundant on this run: without this barrier no two accesses would race, each "
                                        "thread uses only cells of its own on both sides"));
}

}  // namespace

std::unique_ptr<AdviceDetector> makeDivergenceDetector(const trace::Catalog& catalog, const FirstPlaces& places)
{
    return std::make_unique<DivergenceDetector>(catalog, places);
}

std::unique_ptr<AdviceDetector> makeBarrierDetector(const trace::Catalog& catalog, const FirstPlaces& places)
{
    return std::make_unique<BarrierDetector>(catalog, places);
}

}  // namespace lanescope::analysis
