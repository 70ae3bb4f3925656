// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/views/lines/lines_view.h"

#include <algorithm>
#include <tuple>

#include "app/gui/views/line_table.h"

namespace lanescope::gui {

namespace {

using analysis::LineMetrics;

struct LinesData final : ViewData {
    std::shared_ptr<const analysis::LaunchMetrics> metrics;
};

LineColumn number(const char* title, uint64_t LineMetrics::* member, double width, QColor Theme::* colour = nullptr)
{
    LineColumn column;
    column.title = QObject::tr(title);
    column.width = width;
    column.text = [member](const LineMetrics& line) {
        return line.*member == 0 ? QStringLiteral("–") : QLocale(QLocale::English).toString(qulonglong(line.*member));
    };
    column.value = [member](const LineMetrics& line) { return static_cast<double>(line.*member); };
    if (colour != nullptr)
        column.bar = [colour](const LineMetrics&, const Theme& theme) { return theme.*colour; };
    return column;
}

std::vector<LineColumn> columns(const Snapshot& snapshot)
{
    std::vector<LineColumn> columns = placeColumns(snapshot, 46, 106);
    columns.front().value = [](const LineMetrics& l) { return -static_cast<double>(l.where.line); };
    LineColumn degree{
        QObject::tr("degree"),
        76,
        false,
        [](const LineMetrics& l) { return l.maxDegree > 0 ? QString::number(l.maxDegree) : QStringLiteral("–"); },
        [](const LineMetrics& l) { return double(l.maxDegree); },
        {}};
    for (const LineColumn& column :
         {number("requests", &LineMetrics::requests, 80), number("lanes", &LineMetrics::laneAccesses, 74),
          number("sectors", &LineMetrics::sectors, 106, &Theme::read), number("ideal", &LineMetrics::idealSectors, 64),
          number("wavefronts", &LineMetrics::wavefronts, 94),
          number("conflicts", &LineMetrics::conflicts, 112, &Theme::error), degree,
          number("divergent", &LineMetrics::divergent, 84)})
        columns.push_back(column);
    return columns;
}

/// Accesses and branches.
std::vector<const LineMetrics*> inSourceOrder(const analysis::LaunchMetrics& metrics)
{
    std::vector<const LineMetrics*> lines;
    for (const auto* some : {&metrics.lines, &metrics.branches})
        for (const LineMetrics& line : *some)
            lines.push_back(&line);
    std::stable_sort(lines.begin(), lines.end(), [](const LineMetrics* a, const LineMetrics* b) {
        return std::tie(a->file, a->where.line, a->where.column) < std::tie(b->file, b->where.line, b->where.column);
    });
    return lines;
}

}  // namespace

LinesView::LinesView()
    : View({.name = "lines",
            .title = "Lines",
            .help = "accesses, sectors, wavefronts and conflicts of every line",
            .countsSelection = true})
{
}

Result<ViewDataPointer> LinesView::compute(AnalysisCache& cache, const Snapshot& snapshot,
                                           const ViewSettings& settings) const
{
    auto data = std::make_shared<LinesData>();
    auto metrics = selectedMetrics(cache, snapshot, settings);
    if (!metrics)
        return metrics.error();
    data->metrics = metrics.value();
    return ViewDataPointer(data);
}

void LinesView::paint(Canvas& canvas, const Snapshot& snapshot, const ViewData& data,
                      const ViewSettings& settings) const
{
    const analysis::LaunchMetrics& metrics = *static_cast<const LinesData&>(data).metrics;
    const QLocale locale(QLocale::English);
    const QString kernel = QString::fromStdString(metrics.kernel);
    const QString divergent = locale.toString(qulonglong(metrics.divergentBranches));
    const QRectF area = canvas.begin(
        settings.selection
            ? QObject::tr("%1, %2  ·  %3 accesses  ·  %4 divergent branches")
                  .arg(kernel, selectionText(snapshot, settings, {}), locale.toString(qulonglong(metrics.accesses)),
                       divergent)
            : QObject::tr("%1, all recorded blocks  ·  %2 warp instructions  ·  %3 flops  ·  %4 divergent branches")
                  .arg(kernel, locale.toString(qulonglong(metrics.warpInstructions)),
                       locale.toString(qulonglong(metrics.flops)), divergent));
    const std::vector<const LineMetrics*> lines = inSourceOrder(metrics);
    if (lines.empty())
        return canvas.empty(settings.selection ? QObject::tr("The selected steps access no memory.")
                                               : QObject::tr("No memory access was recorded in this launch."));
    paintLineTable(canvas, area, snapshot, lines, columns(snapshot), settings);
}

}  // namespace lanescope::gui
