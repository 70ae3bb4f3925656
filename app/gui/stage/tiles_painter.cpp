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

/// A footprint that fills the buffer says nothing and is left out.
Prints printsOf(const Snapshot& snapshot, BufferId id, const PanelSpec& spec)
{
    Prints prints;
    if (!snapshot.footprints)
        return prints;
    const Cell all{static_cast<int64_t>(spec.rows), static_cast<int64_t>(spec.columns)};
    for (const Footprint& print : *snapshot.footprints) {
        if (print.buffer != id || (print.first == Cell{0, 0} && print.last == all))
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
    const BufferId id = snapshot.buffers[panel.spec.buffer].buffer.id;
    const Prints prints = printsOf(snapshot, id, panel.spec);
    const Prints old = drawing.moves() ? printsOf(*drawing.before, id, panel.spec) : Prints{};
    const double out = std::max(1.5, panel.gap * drawing.view.scale / 2);
    const auto boxOf = [&](const Footprint& print) {
        return drawing.view.map(panel.rangeRect(print.first, print.last)).adjusted(-out, -out, out, out);
    };
    constexpr double kBeyond = 8;  // pixels, in which corners are round
    const QRectF shown = drawing.view.map(panel.frame).adjusted(-2 * out, -2 * out, 2 * out, 2 * out);
    const auto draw = [&](const Footprint* print, const Footprint* from, Qt::PenStyle style, double width,
                          double share) {
        if (print == nullptr)
            return;
        const QColor colour = print->writes ? drawing.theme.write : drawing.theme.read;
        // Of what lies outside only the edges that show are drawn: dashes cost as much as they are long.
        QRectF box = from == nullptr ? boxOf(*print) : between(boxOf(*from), boxOf(*print), drawing.progress);
        if (panel.lens && !box.intersects(shown))
            return;
        if (panel.lens)
            box = box.intersected(shown.adjusted(-kBeyond, -kBeyond, kBeyond, kBeyond));
        painter.setPen(QPen(mixed(colour, drawing.theme.stage, share), width, style));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(box, 4, 4);
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
