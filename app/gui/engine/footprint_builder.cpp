// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/engine/footprint_builder.h"

#include <algorithm>
#include <bit>

namespace lanescope::gui {

namespace {

constexpr StepIndex kMostSteps = 60'000;  // decoded in well under a tenth of a second

/// Bounding boxes of one epoch, by buffer.
class Boxes {
public:
    Boxes(const std::vector<BufferView>& buffers, uint32_t epoch) : m_buffers(&buffers), m_epoch(epoch) {}

    /// \p bytes: that each lane accesses.
    void add(const trace::Event& event, uint32_t bytes)
    {
        if (event.mask == 0)
            return;
        if (event.laneBuffer.empty())
            return addLanes(event, bytes, event.mask, event.buffer);
        for (LaneMask rest = event.mask; rest != 0; rest &= rest - 1)
            addLanes(event, bytes, rest & -rest, event.bufferOf(std::countr_zero(rest)));
    }

    [[nodiscard]] std::vector<Footprint> take() const
    {
        std::vector<Footprint> all;
        for (const auto& [id, box] : m_boxes)
            all.push_back(box);
        return all;
    }

private:
    [[nodiscard]] const BufferView* viewOf(BufferId id) const
    {
        const auto view =
            std::find_if(m_buffers->begin(), m_buffers->end(), [id](const auto& b) { return b.buffer.id == id; });
        return view == m_buffers->end() || view->buffer.space == trace::Space::Local ? nullptr : &*view;
    }

    void addLanes(const trace::Event& event, uint32_t bytes, LaneMask lanes, BufferId id)
    {
        const BufferView* view = viewOf(id);
        if (view == nullptr)
            return;
        const uint64_t size = view->buffer.element.totalBytes();
        const uint64_t width = std::max<uint64_t>(1, bytes / size);
        uint64_t low = UINT64_MAX;
        uint64_t high = 0;
        for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
            const uint64_t offset = event.offset[static_cast<size_t>(std::countr_zero(rest))];
            if (offset / size >= view->shape.elements)
                continue;
            low = std::min(low, offset);
            high = std::max(high, offset);
        }
        if (low > high)
            return;
        Footprint& box = boxOf(event, *view, low / size);
        const uint64_t end = view->shape.elements;
        grow(box, view->shape, low / size);
        grow(box, view->shape, std::min(high / size + width, end) - 1);
        const uint64_t row = view->shape.rowLength();
        if (!view->shape.columnMajor && low / size / row == (high / size + width - 1) / row)
            return;  // one row: the outermost lanes are the outermost cells
        for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
            const uint64_t element = event.offset[static_cast<size_t>(std::countr_zero(rest))] / size;
            if (element >= end)
                continue;
            grow(box, view->shape, element);
            grow(box, view->shape, std::min(element + width, end) - 1);
        }
    }

    Footprint& boxOf(const trace::Event& event, const BufferView& view, uint64_t element)
    {
        const BufferId id = view.buffer.id;
        const auto [found, isNew] = m_boxes.try_emplace(id.value);
        Footprint& box = found->second;
        if (isNew) {
            const Cell at = view.shape.cellOf(element);
            const Cell cell = view.shape.withinSlice(at);
            const uint64_t slice = view.shape.sliceOf(at);
            box = {m_epoch, id, cell, {cell.row + 1, cell.column + 1}, slice, slice + 1};
        }
        box.reads |= event.kind != trace::SiteKind::Store;
        box.writes |= event.kind != trace::SiteKind::Load;
        return box;
    }

    static void grow(Footprint& box, const BufferShape& shape, uint64_t element)
    {
        const Cell at = shape.cellOf(element);
        const Cell cell = shape.withinSlice(at);
        const uint64_t slice = shape.sliceOf(at);
        box.firstSlice = std::min(box.firstSlice, slice);
        box.lastSlice = std::max(box.lastSlice, slice + 1);
        box.first = {std::min(box.first.row, cell.row), std::min(box.first.column, cell.column)};
        box.last = {std::max(box.last.row, cell.row + 1), std::max(box.last.column, cell.column + 1)};
    }

    const std::vector<BufferView>* m_buffers;
    uint32_t m_epoch;
    std::map<uint32_t, Footprint> m_boxes;
};

}  // namespace

Result<Footprints> FootprintBuilder::of(const BlockOverview& overview, const std::vector<BufferView>& buffers,
                                        uint32_t epoch)
{
    if (m_launch != overview.launch || m_block != overview.block)
        m_epochs.clear();
    m_launch = overview.launch;
    m_block = overview.block;
    const bool whole = overview.stepCount <= kMostSteps;
    const std::pair range(whole ? 0 : epoch - std::min(epoch, 2U), whole ? UINT32_MAX : epoch + 2);
    if (m_last && !m_epochs.empty() && range == m_lastRange)
        return m_last;
    std::vector<const EpochSpan*> spans;
    std::vector<const EpochSpan*> unknown;
    for (const EpochSpan& span : overview.epochs) {
        // What a block reads once at its beginning or writes at its end is shown throughout.
        const bool outermost = &span == &overview.epochs.front() || &span == &overview.epochs.back();
        if (!outermost && (span.epoch < range.first || span.epoch > range.second))
            continue;
        spans.push_back(&span);
        if (!m_epochs.contains(span.epoch))
            unknown.push_back(&span);
    }
    // Neighbours are decoded together: each decoding begins at the start of a chunk.
    for (auto first = unknown.begin(); first != unknown.end();) {
        const auto last = std::adjacent_find(first, unknown.end(), [](const EpochSpan* a, const EpochSpan* b) {
            return a->last != b->first || a->last - a->first > kMostSteps;
        });
        const auto end = last == unknown.end() ? last : last + 1;
        if (auto built = build(overview, buffers, {first, end}); !built)
            return built.error();
        first = end;
    }
    auto all = std::make_shared<std::vector<Footprint>>();
    for (const EpochSpan* span : spans) {
        const EpochFootprints& known = m_epochs[span->epoch];
        all->insert(all->end(), known.begin(), known.end());
    }
    m_last = all;
    m_lastRange = range;
    return m_last;
}

/// Of \p spans, each of which begins where the one before ends.
Result<void> FootprintBuilder::build(const BlockOverview& overview, const std::vector<BufferView>& buffers,
                                     std::span<const EpochSpan* const> spans)
{
    const std::vector<trace::Site>& sites = m_session.catalog().sites;
    size_t at = 0;
    Boxes boxes(buffers, spans[0]->epoch);
    const auto goTo = [&](size_t next) {
        m_epochs[spans[at]->epoch] = boxes.take();
        at = next;
        if (at < spans.size())
            boxes = Boxes(buffers, spans[at]->epoch);
    };
    const auto note = [&](StepIndex step, const trace::Event& event) {
        while (step >= spans[at]->last)
            goTo(at + 1);
        if (event.isAccess())
            boxes.add(event, sites[event.site.value].type.totalBytes());
        return true;
    };
    const StepIndex end = std::min(spans.back()->last, spans.back()->first + kMostSteps);
    auto visited = m_session.reader().visit(overview.launch, overview.block, spans.front()->first, end,
                                            trace::Detail::Places, note);
    if (!visited)
        return visited.error();
    while (at < spans.size())
        goTo(at + 1);
    return {};
}

}  // namespace lanescope::gui
