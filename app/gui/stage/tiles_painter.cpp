// SPDX-License-Identifier: GPL-3.0-or-later
// The focused block's footprint in each buffer: where it is in this epoch, where it was, where it goes.
#include <algorithm>
#include <cmath>
#include <vector>

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

/// The slices of \p print that \p panel shows: a buffer may have as many as elements.
std::vector<uint64_t> slicesShown(const Footprint& print, const BufferShape& shape, const Panel& panel)
{
    if (!shape.hasSlices())
        return {0};
    const auto sliceAt = [](int64_t cell, uint64_t cells) {
        return static_cast<uint64_t>(std::max<int64_t>(cell, 0)) / cells;
    };
    const uint64_t across = shape.columns / shape.sliceColumns;
    const uint64_t lastRow = sliceAt(panel.first.row + static_cast<int64_t>(panel.rows) - 1, shape.sliceRows);
    const uint64_t lastColumn =
        std::min(across - 1, sliceAt(panel.first.column + static_cast<int64_t>(panel.columns) - 1, shape.sliceColumns));
    std::vector<uint64_t> slices;
    for (uint64_t row = sliceAt(panel.first.row, shape.sliceRows); row <= lastRow; ++row)
        for (uint64_t column = sliceAt(panel.first.column, shape.sliceColumns); column <= lastColumn; ++column)
            if (const uint64_t slice = row * across + column; slice >= print.firstSlice && slice < print.lastSlice)
                slices.push_back(slice);
    return slices;
}

/// The outline of \p box in dots or dashes (\p style) of \p width pixels, where it lies within \p shown. They are
/// filled rectangles: stroking with a dashed pen was a third of what drawing the stage took.
void paintDashedBox(QPainter& painter, const QRectF& box, const QRectF& shown, const QColor& colour, Qt::PenStyle style,
                    double width)
{
    // As Qt's pens have them.
    const double dash = (style == Qt::DotLine ? 1 : 4) * width;
    const double period = dash + 2 * width;
    QList<QRectF> dashes;
    // Dashes begin at the edge's start, so that they stay on it when the picture moves.
    const auto addEdge = [&](double from, double to, double begin, double end, const auto& rectAt) {
        const double first = from + std::max(0.0, std::floor((begin - from) / period)) * period;
        for (double at = first; at < std::min(to, end); at += period)
            dashes.push_back(rectAt(at, std::min(dash, to - at)));
    };
    for (const double y : {box.top(), box.bottom()})
        if (y >= shown.top() - width && y <= shown.bottom() + width)
            addEdge(box.left(), box.right(), shown.left(), shown.right(),
                    [&](double at, double length) { return QRectF(at, y - width / 2, length, width); });
    for (const double x : {box.left(), box.right()})
        if (x >= shown.left() - width && x <= shown.right() + width)
            addEdge(box.top(), box.bottom(), shown.top(), shown.bottom(),
                    [&](double at, double length) { return QRectF(x - width / 2, at, width, length); });
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawRects(dashes);
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
    // Of an image slices are too small to be told apart.
    const auto boxOf = [&](const Footprint& print, uint64_t slice) {
        const auto [first, last] = panel.image ? print.boxAround(view.shape) : print.boxIn(view.shape, slice);
        return drawing.view.map(panel.rangeRect(first, last)).adjusted(-out, -out, out, out);
    };
    constexpr double kBeyond = 8;  // pixels, in which corners are round
    const QRectF shown = drawing.view.map(panel.frame).adjusted(-2 * out, -2 * out, 2 * out, 2 * out);
    const QRectF stage(QPointF(0, 0), drawing.size);
    const auto draw = [&](const Footprint* print, const Footprint* from, Qt::PenStyle style, double width,
                          double share) {
        if (print == nullptr)
            return;
        const QColor colour =
            mixed(print->writes ? drawing.theme.write : drawing.theme.read, drawing.theme.stage, share);
        const auto slices = panel.image ? std::vector{print->firstSlice} : slicesShown(*print, view.shape, panel);
        for (const uint64_t slice : slices) {
            QRectF box = boxOf(*print, slice);
            if (const uint64_t then = from == nullptr ? 0 : from->firstSlice + slice - print->firstSlice;
                from != nullptr && then < from->lastSlice)
                box = between(boxOf(*from, then), box, drawing.progress);
            if (panel.lens && !box.intersects(shown))
                continue;
            // Of what lies outside only the edges that show are drawn: they cost as much as they are long.
            if (panel.lens)
                box = box.intersected(shown.adjusted(-kBeyond, -kBeyond, kBeyond, kBeyond));
            if (style != Qt::SolidLine) {
                paintDashedBox(painter, box, stage, colour, style, width);
                continue;
            }
            painter.setPen(QPen(colour, width));
            painter.setBrush(Qt::NoBrush);
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
