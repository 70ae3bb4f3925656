// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline's geometry: which step lies at which x, which row at which y. No painting.
#pragma once

#include <QRectF>

#include <algorithm>
#include <optional>
#include <vector>

#include "app/gui/engine/snapshot.h"

namespace lanescope::gui {

/// The visible part of a block's steps; fractional while zooming.
struct StepRange {
    double first = 0;
    double last = 1;

    [[nodiscard]] double span() const { return last - first; }
    friend bool operator==(const StepRange&, const StepRange&) = default;
};

struct TimelineLayout {
    QRectF plot;    ///< where rows and walls are
    QRectF epochs;  ///< labels above the plot
    QRectF phases;  ///< between them and the plot: what epochs do, or the lines; empty where there is no room
    bool showsPhases = false;  ///< so many steps to a pixel that shares of an epoch's steps tell more than steps do
    bool namesLines = false;   ///< steps have room to be seen: `phases` names the lines that the focused row runs
    QRectF lens;    ///< below the rows: the focused warp's steps around the focus, where none can be seen above
    QRectF map;     ///< below: all steps, while some of them are shown; else empty
    QRectF legend;  ///< below that
    double rowHeight = 10;
    size_t rows = 0;  ///< that fit; the focused one is always among them
    size_t firstRow = 0;
    std::vector<size_t> placeOf;    ///< [row of the overview] the row here: warps that do the same share one
    std::vector<size_t> standsFor;  ///< [row here] the row of the overview that it shows: the focused one, or its first
    StepRange range;

    /// \p focusedRow: of the overview; it must be visible. \p firstRow: the one to begin with where that leaves it
    /// visible; none: the focused row is in the middle.
    static TimelineLayout compute(const BlockOverview& overview, size_t focusedRow, const StepRange& range, QSizeF size,
                                  double typeScale, std::optional<size_t> firstRow = std::nullopt);

    [[nodiscard]] double xOf(double step) const
    {
        return plot.left() + (step - range.first) / range.span() * plot.width();
    }
    [[nodiscard]] double stepAt(double x) const
    {
        return range.first + (x - plot.left()) / plot.width() * range.span();
    }
    [[nodiscard]] double pixelsPerStep() const { return plot.width() / range.span(); }
    /// \p row: as drawn, not of the overview.
    [[nodiscard]] QRectF rowRect(size_t row) const
    {
        return {plot.left(), plot.top() + static_cast<double>(row - firstRow) * rowHeight, plot.width(), rowHeight};
    }
    [[nodiscard]] std::optional<size_t> rowAt(double y) const;
    [[nodiscard]] size_t warpsIn(size_t row) const;
    /// "warps 0–31"
    [[nodiscard]] QString labelOf(const BlockOverview& overview, size_t row) const;
    /// On the map, of a block of \p steps.
    [[nodiscard]] double mapXOf(double step, StepIndex steps) const
    {
        return map.left() + step / std::max(1.0, static_cast<double>(steps)) * map.width();
    }
    [[nodiscard]] double mapStepAt(double x, StepIndex steps) const
    {
        return (x - map.left()) / map.width() * static_cast<double>(steps);
    }
};

/// Row of the focused block's focused warp.
size_t focusedRowOf(const Snapshot& snapshot);

}  // namespace lanescope::gui
