// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/timeline/timeline_layout.h"

#include <QObject>

#include <algorithm>
#include <bit>
#include <iterator>

#include "app/gui/engine/block_phases.h"

namespace lanescope::gui {

namespace {

constexpr double kStep = 2.5;  // pixels in which a step can be seen

/// Puts the rows of warps that do the same in the place of the first of them.
void shareRows(TimelineLayout& layout, const BlockOverview& overview, size_t focusedRow, bool alike)
{
    const std::vector<TimelineRow>& rows = overview.rows;
    for (size_t row = 0; row < rows.size(); ++row) {
        const auto same = [&](size_t first) {
            const std::vector<uint64_t>& steps = overview.phases->sameSteps;
            return steps[rows[first].warp] == steps[rows[row].warp] && rows[first].launched == rows[row].launched;
        };
        const auto place =
            alike ? std::find_if(layout.standsFor.begin(), layout.standsFor.end(), same) : layout.standsFor.end();
        layout.placeOf.push_back(static_cast<size_t>(place - layout.standsFor.begin()));
        if (place == layout.standsFor.end())
            layout.standsFor.push_back(row);
    }
    if (focusedRow < rows.size())
        layout.standsFor[layout.placeOf[focusedRow]] = focusedRow;
}

/// A few rows can be looked at one by one.
bool sharesRows(const BlockOverview& overview)
{
    constexpr size_t kFew = 4;
    return overview.phases != nullptr && overview.rows.size() > kFew &&
           overview.phases->sameSteps.size() >= overview.rows.size();
}

/// Left of the plot, for the rows' names and their lanes' numbers, before the type grows. The same whether warps share
/// rows or not, so that steps stay under the pointer while one zooms.
double labelWidth(const BlockOverview& overview, size_t focusedRow)
{
    constexpr double kUsual = 70;
    constexpr double kLetter = 7.3;
    constexpr double kLaneNumbers = 34;
    constexpr double kAround = 16;
    qsizetype longest = 0;
    for (const TimelineRow& row : overview.rows)
        longest = std::max(longest, row.label.size());
    const bool isNarrow = longest <= static_cast<qsizetype>(std::size("warp 31")) - 1;
    double width = isNarrow ? kUsual : static_cast<double>(longest) * kLetter + kLaneNumbers;
    if (!sharesRows(overview))
        return width;
    TimelineLayout shared;
    shareRows(shared, overview, focusedRow, true);
    for (size_t row = 0; row < shared.standsFor.size(); ++row)
        width = std::max(width, static_cast<double>(shared.labelOf(overview, row).size()) * kLetter + kAround);
    return width;
}

bool phasesTell(const BlockOverview& overview, const TimelineLayout& layout, double width)
{
    if (overview.phases == nullptr || overview.phases->epochs() < 2)
        return false;
    constexpr double kNarrowest = 3;  // pixels of an epoch
    constexpr double kWidest = 240;
    const double step = width / layout.range.span();
    const double epoch =
        step * static_cast<double>(overview.stepCount) / static_cast<double>(overview.phases->epochs());
    return step * static_cast<double>(overview.rows.size()) < 1 && epoch >= kNarrowest && epoch <= kWidest;
}

/// Of the height for rows, what is left to look at single steps: a line's name and its bars at least, a row for each of
/// \p lines at most. Rows that all have room for their names go before it.
double lensHeight(double height, size_t rows, size_t lines, double typeScale)
{
    constexpr double kHead = 26;
    constexpr double kLine = 54;
    constexpr double kLeast = 42;
    constexpr double kNamedRow = 14;
    constexpr double kHighestRow = 72;
    constexpr double kShare = 0.5;
    const auto all = static_cast<double>(rows);
    const double spare = height - all * kNamedRow * typeScale;
    const double wanted = std::max({kLeast * typeScale, height * kShare, height - all * kHighestRow * typeScale});
    const double most = (kHead + kLine * static_cast<double>(std::max<size_t>(1, lines))) * typeScale;
    return spare < kLeast * typeScale ? 0 : std::min({spare, wanted, most});
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
    const double labels = labelWidth(overview, focusedRow) * typeScale;
    const double width = std::max(40.0, size.width() - labels - 20);
    const bool isCrowded = overview.phases != nullptr && overview.phases->epochs() > 1 &&
                           width < kStep * static_cast<double>(overview.stepCount);
    constexpr double kLeastHeight = 150;  // below, rows need the room more
    const bool blocks = !overview.rows.empty() && !(overview.rows.front().block == overview.rows.back().block);
    layout.namesLines = !blocks && width >= kStep * static_cast<double>(overview.stepCount) &&
                        size.height() >= kLeastHeight * typeScale;
    layout.showsPhases = isCrowded && phasesTell(overview, layout, width);
    const double epochs = 24 * typeScale;
    const double names = isCrowded || layout.namesLines ? 20 * typeScale : 0;
    const double top = epochs + names;
    const double legend = 26 * typeScale;
    const bool isZoomed = range.span() + 0.5 < static_cast<double>(overview.stepCount);
    const double map = isZoomed ? 10 * typeScale : 0;
    const double bottom = legend + map;
    double height = std::max(10.0, size.height() - top - bottom);
    const bool hasSteps = width / range.span() >= kStep || overview.stepCount == 0;
    constexpr double kReadable = 12;
    const bool isLow = height < kReadable * typeScale * static_cast<double>(overview.rows.size());
    shareRows(layout, overview, focusedRow, !hasSteps && (layout.showsPhases || isLow) && sharesRows(overview));
    focusedRow = layout.placeOf.empty() ? 0 : layout.placeOf[std::min(focusedRow, layout.placeOf.size() - 1)];
    const size_t all = std::max<size_t>(1, layout.standsFor.size());
    const double lens = hasSteps ? 0 : lensHeight(height, all, overview.ranLines.size(), typeScale);
    height -= lens;
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
    if (lens > 0)
        layout.lens = QRectF(labels, size.height() - bottom - lens, width, lens);
    if (isZoomed)
        layout.map = QRectF(labels, size.height() - bottom + 4, width, map - 4);
    layout.legend = QRectF(labels, size.height() - legend, width, legend);
    return layout;
}

size_t TimelineLayout::warpsIn(size_t row) const
{
    return static_cast<size_t>(std::count(placeOf.begin(), placeOf.end(), row));
}

QString TimelineLayout::labelOf(const BlockOverview& overview, size_t row) const
{
    const size_t count = warpsIn(row);
    if (count < 2)
        return overview.rows[standsFor[row]].label;
    const auto first = static_cast<size_t>(std::find(placeOf.begin(), placeOf.end(), row) - placeOf.begin());
    const bool together = std::all_of(placeOf.begin() + static_cast<ptrdiff_t>(first),
                                      placeOf.begin() + static_cast<ptrdiff_t>(std::min(first + count, placeOf.size())),
                                      [&](size_t place) { return place == row; });
    return together ? QObject::tr("warps %1–%2").arg(first).arg(first + count - 1) : QObject::tr("%1 warps").arg(count);
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
