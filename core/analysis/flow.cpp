// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/analysis/flow.h"

#include <algorithm>
#include <bit>

namespace lanescope::analysis {

using trace::Event;
using trace::SiteKind;
using trace::Space;

namespace {

constexpr size_t kMostSources = 1 << 20;
constexpr size_t kMostPending = 256;  // reads of one thread that are remembered for its next write

}  // namespace

Flow::Flow(const std::vector<trace::Buffer>& buffers)
{
    for (const trace::Buffer& buffer : buffers) {
        if (buffer.space != Space::Shared && buffer.space != Space::Global)
            continue;
        const uint64_t elements = buffer.bytes / std::max(1U, buffer.element.totalBytes());
        const bool halves = buffer.dims.size() >= 2 && buffer.dims[0] == 2 && elements % 2 == 0;
        m_firstPlane[buffer.id.value] = {m_planes.size(), buffer};
        for (uint32_t half = 0; half < (halves ? 2U : 1U); ++half)
            m_planes.push_back({buffer.id, half, halves ? elements / 2 : elements});
    }
}

Result<Flow> Flow::of(replay::Session& session, LaunchId launch, BlockIndex block)
{
    const Result<std::vector<trace::Buffer>> buffers = session.buffersOf(launch);
    if (!buffers.ok())
        return buffers.error();
    Result<std::unique_ptr<replay::BlockCursor>> cursor = session.cursor(launch, block);
    if (!cursor.ok())
        return cursor.error();
    const auto steps = cursor.value()->summary();
    if (!steps.ok())
        return steps.error();
    Flow flow(buffers.value());
    const Result<void> done = session.reader().visit(
        launch, block, 0, steps.value()->size(), trace::Detail::Everything, [&](StepIndex step, const Event& event) {
            if (event.isAccess())
                flow.m_cut = !flow.add(step, (*steps.value())[step].epoch, event);
            return !flow.m_cut;
        });
    if (!done.ok())
        return done.error();
    flow.m_pending.clear();
    return flow;
}

std::optional<Place> Flow::placeOf(BufferId buffer, uint64_t element) const
{
    const auto known = m_firstPlane.find(buffer.value);
    if (known == m_firstPlane.end())
        return std::nullopt;
    const uint64_t columns = m_planes[known->second.first].columns;
    const uint64_t half = columns == 0 ? 0 : element / columns;
    const size_t plane = known->second.first + half;
    if (columns == 0 || half > 1 || plane >= m_planes.size() || m_planes[plane].buffer != buffer)
        return std::nullopt;
    return Place{static_cast<uint32_t>(plane), static_cast<uint32_t>(element % columns)};
}

/// False when there is no room for more.
bool Flow::add(StepIndex step, uint32_t epoch, const Event& event)
{
    for (LaneMask rest = event.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const auto known = m_firstPlane.find(event.bufferOf(lane).value);
        if (known == m_firstPlane.end())
            continue;
        const uint32_t bytes = std::max(1U, known->second.second.element.totalBytes());
        const std::optional<Place> place =
            placeOf(event.bufferOf(lane), event.offset[static_cast<size_t>(lane)] / bytes);
        if (!place)
            continue;
        const auto thread = static_cast<uint32_t>(event.warp * kWarpSize + lane);
        if (event.kind != SiteKind::Store)
            addRead(thread, epoch, {*place, event.site, step});
        if (event.kind != SiteKind::Load)
            addWrite(thread, epoch, step, event, lane, *place);
    }
    return m_reads.size() < kMostSources;
}

void Flow::addRead(uint32_t thread, uint32_t epoch, const Read& read)
{
    Pending& pending = m_pending[thread];
    // Something new begins when the thread, having written, passes a barrier or comes round a loop.
    const bool again =
        std::any_of(pending.reads.begin(), pending.reads.end(), [&](const Read& r) { return r.site == read.site; });
    if (pending.wroteInEpoch && (again || *pending.wroteInEpoch != epoch)) {
        pending.reads.clear();
        pending.wroteInEpoch.reset();
    }
    if (pending.reads.size() < kMostPending)
        pending.reads.push_back(read);
}

void Flow::addWrite(uint32_t thread, uint32_t epoch, StepIndex step, const Event& event, int lane, Place place)
{
    Pending& pending = m_pending[thread];
    m_writes.push_back({place, event.site, step, epoch, thread, event.valuesKnown,
                        event.value[static_cast<size_t>(lane)], m_reads.size(), pending.reads.size()});
    m_reads.insert(m_reads.end(), pending.reads.begin(), pending.reads.end());
    pending.wroteInEpoch = epoch;
}

}  // namespace lanescope::analysis
