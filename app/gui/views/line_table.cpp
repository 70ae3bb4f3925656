// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/views/line_table.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "app/gui/engine/value_format.h"

namespace lanescope::gui {

namespace {

constexpr double kBarShare = 0.38;  ///< of a cell that has a bar

QFont fontOf(Canvas& canvas, const LineColumn& column)
{
    return column.isCode ? canvas.mono(13) : canvas.sans(13);
}

/// What a column takes when nothing in it is cut off.
double neededWidth(Canvas& canvas, const LineColumn& column, const std::vector<const analysis::LineMetrics*>& lines)
{
    const QFont font = fontOf(canvas, column);
    double widest = 0;
    for (const analysis::LineMetrics* line : lines)
        widest = std::max(widest, Canvas::widthOf(column.text(*line), font));
    if (column.bar)
        widest = (widest + canvas.u(6)) / (1 - kBarShare);
    return std::max(widest, Canvas::widthOf(column.title + QStringLiteral(" ▾"), canvas.sans(12, true))) + canvas.u(15);
}

/// Columns have the widths that they ask for, but give what they do not need to the one that takes the rest.
std::vector<double> rightEdges(Canvas& canvas, const QRectF& area, const std::vector<LineColumn>& columns,
                               const std::vector<const analysis::LineMetrics*>& lines)
{
    std::vector<double> widths;
    std::vector<double> spare;
    double missing = -area.width();
    double allSpare = 0;
    for (const LineColumn& column : columns) {
        const double needed = neededWidth(canvas, column, lines);
        widths.push_back(std::max(needed, canvas.u(column.width) * canvas.theme().typeScale));
        spare.push_back(std::max(0.0, widths.back() - needed));
        missing += widths.back();
        allSpare += spare.back();
    }
    const double given = allSpare > 0 ? std::clamp(missing / allSpare, 0.0, 1.0) : 0;
    std::vector<double> edges;
    double x = area.left();
    for (size_t i = 0; i < columns.size(); ++i) {
        x += columns[i].width > 0 ? widths[i] - given * spare[i]
                                  : std::max(canvas.u(120), widths[i] - missing + given * allSpare);
        edges.push_back(std::min(x, area.right()));
    }
    return edges;
}

}  // namespace

std::vector<LineColumn> placeColumns(const Snapshot& snapshot, double lineWidth, double kindWidth)
{
    const auto access = [&snapshot](const analysis::LineMetrics& line) { return accessLabel(snapshot, line); };
    return {{QObject::tr("line"), lineWidth, false, lineLabel, {}, {}},
            {QObject::tr("access"), 0, true, access, {}, {}},
            {QObject::tr("kind"), kindWidth, true, kindLabel, {}, {}}};
}

LineColumn countColumn(const QString& title, double width, std::function<double(const analysis::LineMetrics&)> count)
{
    const auto text = [count](const analysis::LineMetrics& line) { return countText(count(line)); };
    return {title, width, false, text, std::move(count), {}};
}

QString warpsText(const std::vector<uint16_t>& warps)
{
    if (warps.size() == 1)
        return QObject::tr("warp %1").arg(warps.front());
    QStringList runs;
    for (size_t i = 0; i < warps.size();) {
        size_t last = i;
        while (last + 1 < warps.size() && warps[last + 1] == warps[last] + 1)
            ++last;
        runs << (last == i ? QString::number(warps[i]) : QStringLiteral("%1–%2").arg(warps[i]).arg(warps[last]));
        i = last + 1;
    }
    return QObject::tr("warps %1").arg(runs.join(QStringLiteral(", ")));
}

QString warpsText(const analysis::StepsOfBlock& steps)
{
    const QString warps = warpsText(steps.warps);
    return steps.role.empty() ? warps : QString::fromStdString(steps.role) + QStringLiteral(": ") + warps;
}

void markWarps(Canvas& canvas, const View& view, const ViewSettings& settings)
{
    if (settings.selection && !settings.selection->warps.empty() && view.followsSelection())
        canvas.setChip(warpsText(*settings.selection));
}

QString selectionText(const Snapshot& snapshot, const ViewSettings& settings, const QString& everything)
{
    if (!settings.selection)
        return everything;
    const trace::Launch& launch = snapshot.launch();
    return QObject::tr("steps %1 to %2 of %3")
        .arg(settings.selection->first)
        .arg(settings.selection->last)
        .arg(blockText(positionOf(settings.selection->block.value, launch.grid), launch));
}

Result<std::shared_ptr<const analysis::LaunchMetrics>> selectedMetrics(AnalysisCache& cache, const Snapshot& snapshot,
                                                                       const ViewSettings& settings)
{
    return settings.selection ? cache.metrics(*settings.selection) : cache.metrics(snapshot.focus.launch);
}

QString lineLabel(const analysis::LineMetrics& line)
{
    return QString::number(line.where.line);
}

QString kindLabel(const analysis::LineMetrics& line)
{
    if (line.operation) {
        constexpr std::array kOperations{"integer", "float", "shuffle", "vote", "match", "reduction", "matrix"};
        return QLatin1String(kOperations.at(static_cast<size_t>(*line.operation)));
    }
    if (line.access == trace::SiteKind::Branch)
        return QStringLiteral("branch");
    const char* const space = line.space == trace::Space::Shared     ? "shared "
                              : line.space == trace::Space::Constant ? "constant "
                              : line.space == trace::Space::Local    ? "local "
                                                                     : "global ";
    const char* const kind = line.access == trace::SiteKind::Load    ? "load"
                             : line.access == trace::SiteKind::Store ? "store"
                                                                     : "atomic";
    return QLatin1String(space) + QLatin1String(kind);
}

QString accessLabel(const Snapshot& snapshot, const analysis::LineMetrics& line)
{
    const auto& sources = snapshot.catalog->sources;
    if (!line.expression.empty() || line.where.line == 0 || line.where.source.value >= sources.size())
        return QString::fromStdString(line.expression);
    const QString source = QString::fromStdString(sources[line.where.source.value].text);
    return source.section(QLatin1Char('\n'), line.where.line - 1, line.where.line - 1).trimmed();
}

double lineTableHeight(Canvas& canvas, size_t lines)
{
    return canvas.u(25) * canvas.theme().typeScale * static_cast<double>(lines + 1) + canvas.u(6);
}

std::optional<replay::Focus> focusOnSite(const Snapshot& snapshot, SiteId site)
{
    const auto row = std::find_if(snapshot.overview->rows.begin(), snapshot.overview->rows.end(),
                                  [](const TimelineRow& r) { return r.focusedBlock && r.steps != nullptr; });
    if (row == snapshot.overview->rows.end())
        return std::nullopt;
    const auto step = std::find_if(row->steps->begin(), row->steps->end(),
                                   [&](const replay::StepSummary& s) { return s.site == site && s.mask != 0; });
    if (step == row->steps->end())
        return std::nullopt;
    replay::Focus focus = snapshot.focus;
    focus.step = static_cast<StepIndex>(step - row->steps->begin()) + 1;
    const auto lane = static_cast<uint64_t>(__builtin_ctz(step->mask));
    focus.thread = positionOf(uint64_t{step->warp} * kWarpSize + lane, snapshot.launch().block);
    return focus;
}

namespace {

/// Few lines stand further apart, so that a table does not end halfway down.
double rowPitch(const Canvas& canvas, const QRectF& area, double height, size_t lines)
{
    constexpr double kWidest = 1.8;  // times the usual height
    constexpr double kFilled = 0.85;
    const double bottom = std::min(area.bottom(), canvas.size().height() * kFilled);
    return std::clamp((bottom - area.top() - height) / static_cast<double>(std::max<size_t>(1, lines)), height,
                      kWidest * height);
}

/// In two lines where one is too short and there is room for both.
void paintCode(Canvas& canvas, const QRectF& cell, const QString& text, const QFont& font)
{
    const double line = canvas.u(18) * canvas.theme().typeScale;
    const int lines = cell.height() >= 2 * line ? 2 : 1;
    const QStringList parts = Canvas::wrapped(text, font, cell.width(), lines);
    constexpr qsizetype kShort = 32;  // letters that smaller type keeps together
    if (parts.size() > 1 && text.size() <= kShort)
        canvas.leaveOut();
    double y = cell.center().y() - line * static_cast<double>(parts.size()) / 2;
    for (const QString& part : parts) {
        canvas.text({cell.left(), y, cell.width(), line}, part, font, canvas.theme().text);
        y += line;
    }
}

}  // namespace

void paintLineTable(Canvas& canvas, const QRectF& area, const Snapshot& snapshot,
                    std::vector<const analysis::LineMetrics*> lines, const std::vector<LineColumn>& columns,
                    const ViewSettings& settings)
{
    const Theme& theme = canvas.theme();
    const int sorted = std::abs(settings.sortColumn) - 1;
    const bool smallestFirst = settings.sortColumn < 0;
    if (sorted >= 0 && sorted < static_cast<int>(columns.size()) && columns[static_cast<size_t>(sorted)].value)
        std::stable_sort(lines.begin(), lines.end(), [&](const auto* a, const auto* b) {
            const auto& value = columns[static_cast<size_t>(sorted)].value;
            return smallestFirst ? value(*a) < value(*b) : value(*a) > value(*b);
        });
    const std::vector<double> edges = rightEdges(canvas, area, columns, lines);
    const double height = canvas.u(25) * theme.typeScale;
    double left = area.left();
    for (size_t i = 0; i < columns.size(); ++i) {
        const QRectF cell(left, area.top(), edges[i] - left - canvas.u(12), height);
        const bool on = sorted == static_cast<int>(i);
        const bool chooses = columns[i].choiceSettings && canvas.takesClicks();
        const QString more = chooses ? QStringLiteral("  ·  ") + columns[i].choice : QString();
        canvas.text(cell, columns[i].title + (!on ? more : QStringLiteral(" ") + (smallestFirst ? u'▴' : u'▾')),
                    canvas.sans(12, on), on ? theme.accent : theme.dim,
                    (columns[i].isCode ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
        if (chooses)
            canvas.hit({cell, columns[i].choice, {}, columns[i].choiceSettings});
        else if (columns[i].value) {
            ViewSettings next = settings;
            next.sortColumn = !on ? static_cast<int>(i) + 1 : smallestFirst ? 0 : -settings.sortColumn;
            const QString what = !on             ? QObject::tr("sort by %1").arg(columns[i].title)
                                 : smallestFirst ? QObject::tr("do not sort")
                                                 : QObject::tr("sort by %1, smallest first").arg(columns[i].title);
            canvas.hit({cell, what, {}, next});
        }
        left = edges[i];
    }
    canvas.painter().setPen(QPen(theme.border, 1));
    canvas.painter().drawLine(QPointF(area.left(), area.top() + height), QPointF(area.right(), area.top() + height));
    const auto rows = static_cast<size_t>(std::max(1.0, (area.height() - height) / height));
    const double pitch = rowPitch(canvas, area, height, lines.size());
    const size_t most = lines.size() > rows ? lines.size() - rows : 0;
    const size_t first = std::min(static_cast<size_t>(std::max(0.0, settings.scroll)), most);
    const trace::SourceLocation here = snapshot.focusedWarp().nextLine;
    for (size_t row = first; row < lines.size() && row < first + rows; ++row) {
        const analysis::LineMetrics& line = *lines[row];
        const QRectF whole(area.left() - canvas.u(6),
                           area.top() + height + pitch * static_cast<double>(row - first) + 2,
                           area.width() + canvas.u(12), pitch);
        if (line.where.line == here.line && line.where.source == here.source)
            canvas.painter().fillRect(whole, mixed(theme.accent, theme.stage, 0.13));
        left = area.left();
        for (size_t i = 0; i < columns.size(); ++i) {
            QRectF cell(left, whole.center().y() - height / 2, edges[i] - left - canvas.u(12), height);
            const LineColumn& column = columns[i];
            if (column.bar && column.value) {
                double largest = 0;
                for (const auto* other : lines)
                    largest = std::max(largest, column.value(*other));
                const double room = cell.width() * kBarShare;
                canvas.bar({cell.left(), cell.center().y() - canvas.u(3.5), room, canvas.u(7)},
                           largest > 0 ? column.value(line) / largest : 0, column.bar(line, theme));
                cell.setLeft(cell.left() + room + canvas.u(6));
            }
            if (column.paint)
                column.paint(canvas, cell.adjusted(0, canvas.u(5), 0, -canvas.u(5)), line);
            if (column.isCode)
                paintCode(canvas, {cell.left(), whole.top(), cell.width(), whole.height()}, column.text(line),
                          fontOf(canvas, column));
            else
                canvas.text(cell, column.text(line), fontOf(canvas, column), theme.cellText,
                            Qt::AlignRight | Qt::AlignVCenter);
            left = edges[i];
        }
        canvas.hit({whole,
                    QObject::tr("line %1: %2").arg(line.where.line).arg(QString::fromStdString(line.expression)),
                    focusOnSite(snapshot, line.site),
                    {}});
    }
    if (lines.size() > rows) {
        canvas.leaveOut();
        canvas.text({area.left(), area.bottom() - canvas.u(4), area.width(), canvas.u(18)},
                    QObject::tr("%1 to %2 of %3; scroll for more").arg(first + 1).arg(first + rows).arg(lines.size()),
                    canvas.sans(11.5), theme.dim, Qt::AlignRight | Qt::AlignVCenter);
    }
}

}  // namespace lanescope::gui
