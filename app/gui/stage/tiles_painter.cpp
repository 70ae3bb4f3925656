// SPDX-License-Identifier: GPL-3.0-or-later
// The focused block's footprint in each buffer: where it is in this epoch, where it was, where it goes.
#include <algorithm>

#include "app/gui/stage/stage_painter.h"

namespace lanescope::gui {

namespace {

struct Prints {
    const Footprint* before = nullptr;
    const Footprint* now = nullptr;
    const Footprint* next = nullptr;
};

bool fills(const Footprint& print, const BufferView& view)
{
    const BufferShape& shape = view.shape;
    const Cell last{static_cast<int64_t>(shape.hasSlices() ? shape.sliceRows : shape.rows),
                    static_cast<int64_t>(shape.rowLength())};
    return print.first == Cell{0, 0} && print.last == last && print.firstSlice == 0 &&
           (!shape.hasSlices() || print.lastSlice * shape.sliceRows * shape.sliceColumns == shape.elements);
}

/// A footprint that fills the buffer says nothing and is left out.
Prints printsOf(const Snapshot& snapshot, const BufferView& view)
{
    Prints prints;
    if (!snapshot.footprints)
        return prints;
    for (const Footprint& print : *snapshot.footprints) {
        if (print.buffer != view.buffer.id || fills(print, view))
            continue;
        if (print.epoch < snapshot.epoch())
            prints.before = &print;
        else if (print.epoch == snapshot.epoch())
            prints.now = &print;
        else if (prints.next == nullptr)
            prints.next = &print;
    }
    return prints;
}

QRectF between(const QRectF& from, const QRectF& to, double share)
{
    return {from.topLeft() + (to.topLeft() - from.topLeft()) * share, from.size() + (to.size() - from.size()) * share};
}

}  // namespace

void paintTiles(QPainter& painter, const StageDrawing& drawing, size_t index)
{
    const Snapshot& snapshot = *drawing.scene.snapshot;
    const Panel& panel = drawing.layout.panels[index];
    const BufferView& view = snapshot.buffers[panel.spec.buffer];
    const auto before = drawing.moves() ? drawing.before->indexOf(view.buffer.id) : std::nullopt;
    const Prints prints = printsOf(snapshot, view);
    const Prints old = before ? printsOf(*drawing.before, drawing.before->buffers[*before]) : Prints{};
    const double out = std::max(1.5, panel.gap * drawing.view.scale / 2);
    const auto boxOf = [&](const Footprint& print, uint64_t slice) {
        const auto [first, last] = print.boxIn(view.shape, slice);
        return drawing.view.map(panel.rangeRect(first, last)).adjusted(-out, -out, out, out);
    };
    constexpr double kBeyond = 8;  // pixels, in which corners are round
    const QRectF shown = drawing.view.map(panel.frame).adjusted(-2 * out, -2 * out, 2 * out, 2 * out);
    const auto draw = [&](const Footprint* print, const Footprint* from, Qt::PenStyle style, double width,
                          double share) {
        if (print == nullptr)
            return;
        const QColor colour = print->writes ? drawing.theme.write : drawing.theme.read;
        painter.setPen(QPen(mixed(colour, drawing.theme.stage, share), width, style));
        painter.setBrush(Qt::NoBrush);
        for (uint64_t slice = print->firstSlice; slice < print->lastSlice; ++slice) {
            QRectF box = boxOf(*print, slice);
            if (const uint64_t then = from == nullptr ? 0 : from->firstSlice + slice - print->firstSlice;
                from != nullptr && then < from->lastSlice)
                box = between(boxOf(*from, then), box, drawing.progress);
            // Of what lies outside only the edges that show are drawn: dashes cost as much as they are long.
            if (panel.lens && !box.intersects(shown))
                continue;
            if (panel.lens)
                box = box.intersected(shown.adjusted(-kBeyond, -kBeyond, kBeyond, kBeyond));
            painter.drawRoundedRect(box, 4, 4);
        }
    };
    painter.save();
    if (panel.lens)
        painter.setClipRect(shown, Qt::IntersectClip);
    draw(prints.before, old.before, Qt::DotLine, 1.4, 0.6);
    draw(prints.next, old.next, Qt::DashLine, 1.4, 0.75);
    draw(prints.now, old.now != nullptr ? old.now : old.next, Qt::SolidLine, 2.2, 1.0);
    painter.restore();
}

}  // namespace lanescope::gui
