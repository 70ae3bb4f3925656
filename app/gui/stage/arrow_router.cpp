// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/stage/arrow_router.h"

#include <QLineF>

#include <algorithm>

namespace lanescope::gui {

namespace {

constexpr double kTrackStep = 9;

double trackY(const Channel& channel, int track)
{
    const double middle = (channel.top + channel.bottom) / 2;
    const double room = (channel.bottom - channel.top) / 2 - 8;
    const int distance = (track + 1) / 2;  // they alternate: above the middle, below it
    const double offset = (track % 2 == 0 ? distance : -distance) * kTrackStep;
    return middle + std::clamp(offset, -room, room);
}

/// From the cell's border to its channel at \p y, which lies below the panel or above it.
QPolygonF wayOut(const StageLayout& layout, const CellRef& at, bool rightSide, double y, int track)
{
    const Panel& panel = layout.panels[at.panel];
    const QRectF cell = panel.cellRect(at.cell);
    const bool down = y > cell.center().y();
    const auto lastLine = static_cast<int64_t>(panel.rows * panel.linesPerRow()) - 1;
    const bool edge = panel.facesChannel && panel.lineOf(at.cell) == (down ? lastLine : 0);
    if (edge || panel.gap <= 0) {
        const double aside = (track % 2 == 0 ? -1 : 1) * std::min(cell.width() * 0.16, 9.0);
        const QPointF border(cell.center().x() + aside, down ? cell.bottom() : cell.top());
        return {border, {border.x(), y}};
    }
    const double border = rightSide ? cell.right() : cell.left();
    const double gutter = rightSide ? border + panel.gap / 2 : border - panel.gap / 2;
    return {{border, cell.center().y()}, {gutter, cell.center().y()}, {gutter, y}};
}

}  // namespace

QPolygonF routeArrow(const StageLayout& layout, const CellRef& from, const CellRef& to, int track)
{
    const Panel& first = layout.panels[from.panel];
    const Panel& second = layout.panels[to.panel];
    const bool toTheRight = second.cellRect(to.cell).center().x() >= first.cellRect(from.cell).center().x();
    // Of panels in neighbouring rows, the channel between them is on the way.
    const bool facing = first.spec.band == second.spec.band &&
                        std::max(first.channel, second.channel) == std::min(first.channel, second.channel) + 1;
    const size_t between = std::max(first.channel, second.channel);
    const double y = trackY(layout.channels[facing ? between : first.channel], track);
    const double otherY = trackY(layout.channels[facing ? between : second.channel], track);
    // a thread that reads twice is entered from both sides
    const bool enterRight = second.spec.kind == PanelKind::Threads ? track % 2 == 1 : !toTheRight;
    const bool leaveRight = first.spec.kind == PanelKind::Threads ? track % 2 == 1 : toTheRight;
    QPolygonF line = wayOut(layout, from, leaveRight, y, track);
    if (first.channel != second.channel && !facing) {
        const double riser = layout.riser + track * 4;
        line << QPointF(riser, y) << QPointF(riser, otherY);
    }
    QPolygonF in = wayOut(layout, to, enterRight, otherY, track);
    std::reverse(in.begin(), in.end());
    return line + in;
}

QPolygonF beginningOf(const QPolygonF& line, double share)
{
    double all = 0;
    for (qsizetype i = 0; i + 1 < line.size(); ++i)
        all += QLineF(line[i], line[i + 1]).length();
    double left = all * share;
    QPolygonF part;
    for (qsizetype i = 0; i + 1 < line.size(); ++i) {
        const QLineF piece(line[i], line[i + 1]);
        part << line[i];
        if (piece.length() >= left || i + 2 == line.size()) {
            part << piece.pointAt(piece.length() > 0 ? std::min(1.0, left / piece.length()) : 1.0);
            break;
        }
        left -= piece.length();
    }
    return part;
}

QPainterPath roundedPath(const QPolygonF& line, double radius)
{
    QPainterPath path;
    if (line.isEmpty())
        return path;
    path.moveTo(line.front());
    for (qsizetype i = 1; i + 1 < line.size(); ++i) {
        const QLineF before(line[i], line[i - 1]);
        const QLineF after(line[i], line[i + 1]);
        const double r = std::min({radius, before.length() / 2, after.length() / 2});
        if (r < 0.5) {
            path.lineTo(line[i]);
            continue;
        }
        path.lineTo(before.pointAt(r / before.length()));
        path.quadTo(line[i], after.pointAt(r / after.length()));
    }
    path.lineTo(line.back());
    return path;
}

}  // namespace lanescope::gui
