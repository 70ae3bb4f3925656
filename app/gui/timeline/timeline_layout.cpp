// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/timeline/timeline_layout.h"

#include <algorithm>
#include <bit>
#include <iterator>

#include "app/gui/engine/block_phases.h"

namespace lanescope::gui {

namespace {

/// Left of the plot, for the rows' names and their lanes' numbers, before the type grows.
double labelWidth(const BlockOverview& overview)
{
    constexpr double kUsual = 70;
    constexpr double kLetter = 7.3;
    constexpr double kLaneNumbers = 34;
    qsizetype longest = 0;
    for (const TimelineRow& row : overview.rows)
        longest = std::max(longest, row.label.size());
    const bool isNarrow = longest <= static_cast<qsizetype>(std::size("warp 31")) - 1;
    return isNarrow ? kUsual : static_cast<double>(longest) * kLetter + kLaneNumbers;
}

}  // namespace

TimelineLayout TimelineLayout::compute(const BlockOverview& overview, size_t focusedRow, const StepRange& range,
                                       QSizeF size, double typeScale, std::optional<size_t> firstRow)
{
    constexpr double kLargestRow = 96;
    constexpr double kLargestLane = 92;  // of rows that have the room to show each lane
    constexpr double kSmallestWarp = 7;
    constexpr double kSmallestBlock = 18;  // the blocks around can be scrolled to, so they need not all show
    TimelineLayout layout;
    layout.range = range;
    const double labels = labelWidth(overview) * typeScale;
    const double width = std::max(40.0, size.width() - labels - 20);
    constexpr double kStep = 2.5;  // pixels in which a step can be seen
    const bool isCrowded = overview.phases != nullptr && overview.phases->epochs() > 1 &&
                           width < kStep * static_cast<double>(overview.stepCount);
    constexpr double kLeastHeight = 150;  // below, rows need the room more
    const bool blocks = !overview.rows.empty() && !(overview.rows.front().block == overview.rows.back().block);
    layout.namesLines = !blocks && width >= kStep * static_cast<double>(overview.stepCount) &&
                        size.height() >= kLeastHeight * typeScale;
    const double epochs = 24 * typeScale;
    const double names = isCrowded || layout.namesLines ? 20 * typeScale : 0;
    const double top = epochs + names;
    const double legend = 26 * typeScale;
    const bool isZoomed = range.span() + 0.5 < static_cast<double>(overview.stepCount);
    const double map = isZoomed ? 10 * typeScale : 0;
    const double bottom = legend + map;
    const double height = std::max(10.0, size.height() - top - bottom);
    const size_t all = std::max<size_t>(1, overview.rows.size());
    int lanes = 1;
    for (const TimelineRow& row : overview.rows)
        lanes = std::max(lanes, std::popcount(row.launched));
    layout.rowHeight =
        std::clamp(height / static_cast<double>(all), blocks ? kSmallestBlock * typeScale : kSmallestWarp,
                   std::max(kLargestRow, kLargestLane * lanes) * typeScale);
    layout.rows = std::clamp<size_t>(static_cast<size_t>(height / layout.rowHeight + 1e-6), 1, all);
    const size_t last = std::min(focusedRow, all - layout.rows);
    const size_t least = focusedRow + 1 - std::min(focusedRow + 1, layout.rows);
    layout.firstRow = firstRow ? std::clamp(*firstRow, std::min(least, last), last)
                               : std::min(focusedRow - std::min(focusedRow, layout.rows / 2), all - layout.rows);
    layout.plot = QRectF(labels, top, width, layout.rowHeight * static_cast<double>(layout.rows));
    layout.epochs = QRectF(labels, 0, width, epochs);
    layout.phases = QRectF(labels, epochs - 3, width, names);
    if (isZoomed)
        layout.map = QRectF(labels, size.height() - bottom + 4, width, map - 4);
    layout.legend = QRectF(labels, size.height() - legend, width, legend);
    return layout;
}

std::optional<size_t> TimelineLayout::rowAt(double y) const
{
    if (y < plot.top() || y >= plot.bottom())
        return std::nullopt;
    return firstRow + std::min(rows - 1, static_cast<size_t>((y - plot.top()) / rowHeight));
}

size_t focusedRowOf(const Snapshot& snapshot)
{
    const auto& rows = snapshot.overview->rows;
    for (size_t i = 0; i < rows.size(); ++i)
        if (rows[i].focusedBlock && rows[i].warp == snapshot.warp)
            return i;
    return 0;
}

}  // namespace lanescope::gui
