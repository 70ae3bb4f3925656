// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/engine/footprint_builder.h"

#include <algorithm>
#include <bit>

namespace lanescope::gui {

namespace {

constexpr StepIndex kWholeBlock = 60'000;  // events decoded in well under a tenth of a second

using ByBuffer = std::map<uint32_t, Footprint>;

/// \p bytes: that each lane accesses.
void addLane(ByBuffer& boxes, const trace::Event& event, uint32_t bytes, uint32_t epoch, int lane,
             const std::vector<BufferView>& buffers)
{
    const BufferId id = event.bufferOf(lane);
    const auto view = std::find_if(buffers.begin(), buffers.end(), [id](const auto& b) { return b.buffer.id == id; });
    if (view == buffers.end() || view->buffer.space == trace::Space::Local)
        return;
    const uint64_t element = event.offset[static_cast<size_t>(lane)] / view->buffer.element.totalBytes();
    if (element >= view->shape.elements)
        return;
    const Cell cell = view->shape.cellOf(element);
    auto [slot, fresh] = boxes.try_emplace(id.value, Footprint{epoch, id, cell, {cell.row + 1, cell.column + 1}});
    Footprint& box = slot->second;
    box.first = {std::min(box.first.row, cell.row), std::min(box.first.column, cell.column)};
    const uint64_t width = std::max<uint64_t>(1, bytes / view->buffer.element.totalBytes());
    const Cell last = view->shape.cellOf(std::min(element + width, view->shape.elements) - 1);
    box.last = {std::max({box.last.row, cell.row + 1, last.row + 1}),
                std::max({box.last.column, cell.column + 1, last.column + 1})};
    box.reads |= event.kind != trace::SiteKind::Store;
    box.writes |= event.kind != trace::SiteKind::Load;
}

uint32_t epochOf(const BlockOverview& overview, StepIndex step)
{
    const auto next = std::upper_bound(overview.epochs.begin(), overview.epochs.end(), step,
                                       [](StepIndex s, const EpochSpan& span) { return s < span.first; });
    return next == overview.epochs.begin() ? 0 : std::prev(next)->epoch;
}

}  // namespace

FootprintBuilder::Range FootprintBuilder::rangeFor(const BlockOverview& overview, uint32_t epoch)
{
    if (overview.stepCount <= kWholeBlock)
        return {0, overview.stepCount};
    Range range{0, 0};
    for (const EpochSpan& span : overview.epochs) {
        if (span.epoch + 2 < epoch || span.epoch > epoch + 2)
            continue;
        range.first = range.last == 0 ? span.first : range.first;
        range.last = span.last;
    }
    range.last = std::min(range.last, range.first + kWholeBlock);
    return range;
}

Result<Footprints> FootprintBuilder::of(const BlockOverview& overview, const std::vector<BufferView>& buffers,
                                        uint32_t epoch)
{
    const Range range = rangeFor(overview, epoch);
    const bool same = m_last && m_launch == overview.launch && m_block == overview.block &&
                      m_range.first == range.first && m_range.last == range.last;
    if (same)
        return m_last;
    auto built = build(overview, buffers, range);
    if (!built)
        return built;
    m_last = built.value();
    m_launch = overview.launch;
    m_block = overview.block;
    m_range = range;
    return m_last;
}

Result<Footprints> FootprintBuilder::build(const BlockOverview& overview, const std::vector<BufferView>& buffers,
                                           Range range)
{
    const std::vector<trace::Site>& sites = m_session.catalog().sites;
    std::map<uint32_t, ByBuffer> byEpoch;
    const auto note = [&](StepIndex step, const trace::Event& event) {
        if (!event.isAccess())
            return true;
        const uint32_t epoch = epochOf(overview, step);
        for (LaneMask rest = event.mask; rest != 0; rest &= rest - 1)
            addLane(byEpoch[epoch], event, sites[event.site.value].type.totalBytes(), epoch, std::countr_zero(rest),
                    buffers);
        return true;
    };
    auto visited =
        m_session.reader().visit(overview.launch, overview.block, range.first, range.last, trace::Detail::Places, note);
    if (!visited)
        return visited.error();
    auto all = std::make_shared<std::vector<Footprint>>();
    for (const auto& [epoch, boxes] : byEpoch)
        for (const auto& [id, box] : boxes)
            all->push_back(box);
    return Footprints(all);
}

}  // namespace lanescope::gui
