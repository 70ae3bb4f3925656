// SPDX-License-Identifier: GPL-3.0-or-later
// Lays arrows between cells so that they cross no value: out of a cell into the gutter beside it, along the
// gutter to the panel's channel, along the channel, and into the other cell the same way.
#pragma once

#include <QPainterPath>
#include <QPolygonF>

#include "app/gui/stage/stage_layout.h"

namespace lanescope::gui {

struct CellRef {
    size_t panel = 0;
    Cell cell;
};

/// \p track: which of the parallel lines in the channel to use; arrows of one access share one, so they
/// bundle. The first point lies on the border of \p from, the last on that of \p to.
QPolygonF routeArrow(const StageLayout& layout, const CellRef& from, const CellRef& to, int track);

/// The first \p share (0 … 1) of the line's length; at least two points.
QPolygonF beginningOf(const QPolygonF& line, double share);

/// The polyline with round corners.
QPainterPath roundedPath(const QPolygonF& line, double radius);

}  // namespace lanescope::gui
