// SPDX-License-Identifier: GPL-3.0-or-later
// A table of source lines, as several views have one: columns with headings that sort, rows that set the focus.
#pragma once

#include <functional>

#include "app/gui/views/view.h"

namespace lanescope::gui {

struct LineColumn {
    QString title;
    double width = 80;  ///< of a 1200 pixel picture; 0 = the rest
    bool isCode = false;
    std::function<QString(const analysis::LineMetrics&)> text;
    std::function<double(const analysis::LineMetrics&)> value;  ///< sorts, and scales a bar where there is one
    std::function<QColor(const analysis::LineMetrics&, const Theme&)> bar;              ///< none: no bar
    std::function<void(Canvas&, const QRectF&, const analysis::LineMetrics&)> paint{};  ///< under the text
    QString choice{};  ///< behind the heading, on screen: what a click on it does instead of sorting
    std::optional<ViewSettings> choiceSettings{};  ///< to which it leads
};

/// The three columns that every such table begins with: where, what is accessed, how.
std::vector<LineColumn> placeColumns(const Snapshot& snapshot, double lineWidth = 52, double kindWidth = 112);
/// A count of each line.
LineColumn countColumn(const QString& title, double width, std::function<double(const analysis::LineMetrics&)> count);

/// Paints \p lines into \p area, sorted by settings.sortColumn (0: as given), scrolled by settings.scroll rows.
void paintLineTable(Canvas& canvas, const QRectF& area, const Snapshot& snapshot,
                    std::vector<const analysis::LineMetrics*> lines, const std::vector<LineColumn>& columns,
                    const ViewSettings& settings);

/// "warp 4", "warps 0–3"; ascending.
QString warpsText(const std::vector<uint16_t>& warps);
/// "copies: warp 4", of a selection of some warps.
QString warpsText(const analysis::StepsOfBlock& steps);
/// Says in the line of the title whose steps a view counts, where it counts some warps' alone.
void markWarps(Canvas& canvas, const View& view, const ViewSettings& settings);
/// "steps 120 to 310 of block (1,0)" while steps are selected, else \p everything.
QString selectionText(const Snapshot& snapshot, const ViewSettings& settings, const QString& everything);
/// Metrics of what is selected, else of the launch.
Result<std::shared_ptr<const analysis::LaunchMetrics>> selectedMetrics(AnalysisCache& cache, const Snapshot& snapshot,
                                                                       const ViewSettings& settings);
/// "14", right before its code; the number of a site's line.
QString lineLabel(const analysis::LineMetrics& line);
QString kindLabel(const analysis::LineMetrics& line);
/// The access as it is written; its whole line where the compiler does not say which part of it that is.
QString accessLabel(const Snapshot& snapshot, const analysis::LineMetrics& line);
/// What a table of \p lines rows takes, its head included.
double lineTableHeight(Canvas& canvas, size_t lines);
/// First step at which the focused block runs the site, as a focus; none when it does not.
std::optional<replay::Focus> focusOnSite(const Snapshot& snapshot, SiteId site);

}  // namespace lanescope::gui
