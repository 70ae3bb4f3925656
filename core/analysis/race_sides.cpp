// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/analysis/race_sides.h"

#include <algorithm>
#include <bit>

namespace lanescope::analysis {

namespace {

/// Of longer blocks the side stays where it was: opening a trace must not take long.
constexpr StepIndex kMostSteps = 2'000'000;

bool hasTwoSides(const trace::Finding& finding)
{
    return isRace(finding.kind) && finding.accesses.size() == 2 && finding.cell.size() == 1;
}

bool samePlace(const trace::SourceLocation& a, const trace::SourceLocation& b)
{
    return a.source == b.source && a.line == b.line && a.column == b.column;
}

const trace::Buffer* bufferOf(const trace::Catalog& catalog, const trace::Finding& finding)
{
    const auto found = std::find_if(catalog.buffers.begin(), catalog.buffers.end(), [&](const trace::Buffer& buffer) {
        return buffer.name == finding.buffer && (!buffer.launch || *buffer.launch == finding.launch);
    });
    return found == catalog.buffers.end() ? nullptr : &*found;
}

/// Counts a block's barriers: an epoch ends when the last of its warps has arrived.
class EpochCounter {
public:
    explicit EpochCounter(uint32_t threads) : m_threads(threads) {}
    void add(const trace::Event& event)
    {
        if (event.kind != trace::SiteKind::Barrier)
            return;
        m_arrived += static_cast<uint32_t>(std::popcount(event.mask));
        if (m_arrived >= m_threads) {
            m_arrived = 0;
            ++m_epoch;
        }
    }
    [[nodiscard]] uint32_t epoch() const { return m_epoch; }

private:
    uint32_t m_threads;
    uint32_t m_arrived = 0;
    uint32_t m_epoch = 0;
};

Result<void> placeFirstSide(trace::TraceReader& reader, trace::Finding& finding)
{
    const trace::Catalog& catalog = reader.catalog();
    const trace::Buffer* buffer = bufferOf(catalog, finding);
    if (!buffer || finding.launch.value >= catalog.launches.size())
        return {};
    const trace::Launch& launch = catalog.launches[finding.launch.value];
    trace::FindingAccess& first = finding.accesses[0];
    const trace::FindingAccess& second = finding.accesses[1];
    const bool oneBlock = first.block == second.block;
    const auto element = std::max<uint64_t>(buffer->element.totalBytes(), 1);
    const uint64_t begin = static_cast<uint64_t>(finding.cell.front()) * element;
    const uint64_t thread = linearIndex(first.thread, launch.block);
    EpochCounter epochs(static_cast<uint32_t>(launch.block.count()));
    const BlockIndex block{linearIndex(first.block, launch.grid)};
    const Result<StepIndex> steps = reader.stepCount(finding.launch, block);
    if (!steps || steps.value() > kMostSteps)
        return {};
    return reader.visit(
        finding.launch, block, 0, oneBlock ? std::min(second.step, steps.value()) : steps.value(),
        trace::Detail::Places, [&](StepIndex step, const trace::Event& event) {
            epochs.add(event);
            const auto lane = static_cast<int>(thread % kWarpSize);
            if (!event.isAccess() || event.warp != thread / kWarpSize || !(event.mask >> lane & 1u) ||
                event.bufferOf(lane) != buffer->id || !samePlace(catalog.sites[event.site.value].where, first.where))
                return true;
            const uint64_t offset = event.offset[static_cast<size_t>(lane)];
            const uint64_t width = std::max<uint64_t>(
                event.valueBytes ? event.valueBytes : catalog.sites[event.site.value].type.totalBytes(), 1);
            if (offset < begin + element && begin < offset + width) {
                first.step = step;
                first.epoch = epochs.epoch();
            }
            return true;
        });
}

}  // namespace

Result<void> placeFirstSides(trace::TraceReader& reader, std::vector<trace::Finding>& findings)
{
    for (trace::Finding& finding : findings)
        if (hasTwoSides(finding))
            if (Result<void> placed = placeFirstSide(reader, finding); !placed)
                return placed;
    return {};
}

}  // namespace lanescope::analysis
