// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/views/lines/lines_view.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "app/gui/engine/value_format.h"
#include "app/gui/views/line_table.h"

namespace lanescope::gui {

namespace {

using analysis::LineMetrics;

using Rows = LinesSettings::Rows;
using Place = std::pair<std::string, uint32_t>;  ///< file and line

/// What accesses, branches and operations of one line or function come to.
struct Sums {
    std::vector<LineMetrics> lines;          ///< each at its first line
    std::map<Place, QStringList> kindsOf;    ///< of what is summed, each once
    std::map<Place, uint64_t> operationsOf;  ///< executions, which are no requests
};

struct LinesData final : ViewData {
    std::shared_ptr<const analysis::LaunchMetrics> metrics;
    Sums byLine;
    Sums byFunction;

    [[nodiscard]] const Sums& sums(Rows rows) const { return rows == Rows::Line ? byLine : byFunction; }
};

Place placeOf(const LineMetrics& line)
{
    return {line.file, line.where.line};
}

void addTo(LineMetrics& sum, const LineMetrics& line)
{
    for (uint64_t LineMetrics::* count :
         {&LineMetrics::requests, &LineMetrics::laneAccesses, &LineMetrics::sectors, &LineMetrics::idealSectors,
          &LineMetrics::wavefronts, &LineMetrics::conflicts, &LineMetrics::divergent})
        sum.*count += line.*count;
    sum.maxDegree = std::max(sum.maxDegree, line.maxDegree);
}

/// By what \p keyOf says of a line; \p nameOf: what the sum is called.
template <typename KeyOf, typename NameOf>
Sums sumBy(const analysis::LaunchMetrics& metrics, const KeyOf& keyOf, const NameOf& nameOf)
{
    struct Group {
        LineMetrics sum;
        QStringList kinds;
        uint64_t operations = 0;
    };
    std::map<decltype(keyOf(LineMetrics{})), Group> groups;
    const auto add = [&](const LineMetrics& line) {
        const auto [found, isNew] = groups.try_emplace(keyOf(line));
        Group& group = found->second;
        LineMetrics& sum = group.sum;
        if (isNew || placeOf(line) < placeOf(sum)) {
            sum.where = line.where;
            sum.file = line.file;
        }
        if (isNew || sum.site == kNoSite) {
            sum.site = line.site;
            sum.function = line.function;
            sum.expression = nameOf(line);
        }
        if (line.operation)
            group.operations += line.requests;
        else
            addTo(sum, line);
        if (!group.kinds.contains(kindLabel(line)))
            group.kinds << kindLabel(line);
    };
    for (const auto* some : {&metrics.lines, &metrics.branches, &metrics.operations})
        std::ranges::for_each(*some, add);
    Sums sums;
    for (auto& [key, group] : groups) {
        const Place place = placeOf(group.sum);
        sums.kindsOf[place] = group.kinds;
        sums.operationsOf[place] = group.operations;
        sums.lines.push_back(std::move(group.sum));
    }
    return sums;
}

bool isSum(Rows rows)
{
    return rows == Rows::Line || rows == Rows::Function;
}

bool isArithmetic(const LineMetrics& line)
{
    return line.operation == trace::OperationKind::Integer || line.operation == trace::OperationKind::Float;
}

QString countOrDash(uint64_t count)
{
    return count == 0 ? QStringLiteral("–") : countText(count);
}

LineColumn number(const char* title, uint64_t LineMetrics::* member, double width, QColor Theme::* colour = nullptr)
{
    LineColumn column;
    column.title = QObject::tr(title);
    column.width = width;
    column.text = [member](const LineMetrics& line) { return countOrDash(line.*member); };
    column.value = [member](const LineMetrics& line) { return static_cast<double>(line.*member); };
    if (colour != nullptr)
        column.bar = [colour](const LineMetrics&, const Theme& theme) { return theme.*colour; };
    return column;
}

Rows after(Rows rows)
{
    return rows == Rows::Operation ? Rows::Access : static_cast<Rows>(static_cast<int>(rows) + 1);
}

std::vector<LineColumn> columns(const Snapshot& snapshot, const LinesData& data, const ViewSettings& settings)
{
    std::vector<LineColumn> columns = placeColumns(snapshot, 46, 106);
    const Rows rows = settings.own.as<LinesSettings>().rows;
    columns[1].choice = rows == Rows::Access     ? QObject::tr("group by line (L)")
                        : rows == Rows::Line     ? QObject::tr("group by function (L)")
                        : rows == Rows::Function ? QObject::tr("show arithmetic (L)")
                                                 : QObject::tr("leave out arithmetic (L)");
    columns[1].choiceSettings = settings.with(LinesSettings{after(rows)});
    if (isSum(rows)) {
        columns[1].title = rows == Rows::Line ? QObject::tr("line of the source") : QObject::tr("function");
        columns[2].text = [&sums = data.sums(rows)](const LineMetrics& line) {
            const QStringList& kinds = sums.kindsOf.at(placeOf(line));
            return kinds.size() == 1 ? kinds.front() : QObject::tr("%1 kinds").arg(kinds.size());
        };
    }
    if (isSum(rows) && !data.metrics->operations.empty()) {
        const auto count = [&sums = data.sums(rows)](const LineMetrics& l) { return sums.operationsOf.at(placeOf(l)); };
        columns.push_back({QObject::tr("operations"),
                           90,
                           false,
                           [count](const LineMetrics& line) { return countOrDash(count(line)); },
                           [count](const LineMetrics& line) { return static_cast<double>(count(line)); },
                           {}});
    }
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

/// Accesses, branches and operations, or the lines or functions that they are in.
std::vector<const LineMetrics*> inSourceOrder(const LinesData& data, Rows rows)
{
    std::vector<const LineMetrics*> lines;
    const auto add = [&lines](const std::vector<LineMetrics>& some) {
        for (const LineMetrics& line : some)
            lines.push_back(&line);
    };
    if (!isSum(rows)) {
        add(data.metrics->lines);
        add(data.metrics->branches);
        add(data.metrics->operations);
        if (rows == Rows::Access)
            std::erase_if(lines, [](const LineMetrics* line) { return isArithmetic(*line); });
    } else {
        add(data.sums(rows).lines);
    }
    std::stable_sort(lines.begin(), lines.end(), [](const LineMetrics* a, const LineMetrics* b) {
        return std::tie(a->file, a->where.line, a->where.column) < std::tie(b->file, b->where.line, b->where.column);
    });
    return lines;
}

void chooseRows(ViewSettings& settings, const std::string& rows)
{
    settings.own.set(LinesSettings{rows == "line"        ? Rows::Line
                                   : rows == "function"  ? Rows::Function
                                   : rows == "operation" ? Rows::Operation
                                                         : Rows::Access});
}

}  // namespace

LinesView::LinesView()
    : View({.name = "lines",
            .title = "Lines",
            .help = "accesses, sectors, wavefronts and conflicts of every line",
            .options = {ViewOption{"--rows",
                                   "a row for each access, for each line, for each function or also for arithmetic",
                                   ViewOption::Word{{"access", "line", "function", "operation"}, &chooseRows}}},
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
    // The whole line stands for what is on it.
    data->byLine = sumBy(*data->metrics, placeOf, [](const LineMetrics&) { return std::string(); });
    const auto functionOf = [](const LineMetrics& line) { return line.function; };
    data->byFunction = sumBy(*data->metrics, functionOf, functionOf);
    return ViewDataPointer(data);
}

void LinesView::paint(Canvas& canvas, const Snapshot& snapshot, const ViewData& data,
                      const ViewSettings& settings) const
{
    const auto& counted = static_cast<const LinesData&>(data);
    const analysis::LaunchMetrics& metrics = *counted.metrics;
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
    const std::vector<const LineMetrics*> lines = inSourceOrder(counted, settings.own.as<LinesSettings>().rows);
    if (lines.empty())
        return canvas.empty(settings.selection ? QObject::tr("The selected steps access no memory.")
                                               : QObject::tr("No memory access was recorded in this launch."));
    paintLineTable(canvas, area, snapshot, lines, columns(snapshot, counted, settings), settings);
}

std::optional<ViewSettings> LinesView::afterKey(int key, const ViewSettings& settings) const
{
    return key == Qt::Key_L ? std::optional(settings.with(LinesSettings{after(settings.own.as<LinesSettings>().rows)}))
                            : std::nullopt;
}

}  // namespace lanescope::gui
