// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/views/compare/compare_view.h"

#include <QFileInfo>

#include <algorithm>
#include <cmath>

#include "app/gui/engine/in_step.h"
#include "app/gui/engine/value_format.h"
#include "app/gui/stage/overlay_tint.h"
#include "app/gui/theme/text_line.h"

namespace lanescope::gui {

namespace {

/// One number of the report, of both recordings.
struct ComparedNumber {
    QString name;
    double mine = 0;
    double other = 0;
    bool lessIsBetter = true;
};

struct CompareData final : ViewData {
    SnapshotPointer other;
    std::vector<ComparedNumber> numbers;
};

const Overlays& shownOverlays()
{
    static const Overlays overlays{Overlay::Tiles, Overlay::Race, Overlay::Bounds};
    return overlays;
}

/// What the report says of one launch, summed over its lines.
struct Totals {
    analysis::LaunchMetrics launch;
    uint64_t sectors = 0;
    uint64_t idealSectors = 0;
    uint64_t wavefronts = 0;
    uint64_t conflicts = 0;
    uint64_t faults = 0;

    Totals(const analysis::LaunchMetrics& metrics, const trace::Catalog& catalog) : launch(metrics)
    {
        for (const analysis::LineMetrics& line : metrics.lines) {
            sectors += line.sectors;
            idealSectors += line.idealSectors;
            wavefronts += line.wavefronts;
            conflicts += line.conflicts;
        }
        for (const trace::Finding& finding : catalog.findings)
            faults += finding.severity != Severity::Advice && finding.launch == metrics.launch ? 1 : 0;
    }
};

std::vector<ComparedNumber> numbersOf(const Totals& mine, const Totals& other)
{
    const auto number = [](const char* name, uint64_t a, uint64_t b, bool lessIsBetter = true) {
        return ComparedNumber{QObject::tr(name), static_cast<double>(a), static_cast<double>(b), lessIsBetter};
    };
    return {number("warp instructions", mine.launch.warpInstructions, other.launch.warpInstructions),
            number("flops", mine.launch.flops, other.launch.flops),
            number("global accesses, bytes", mine.launch.globalBytes, other.launch.globalBytes),
            number("32-byte sectors", mine.sectors, other.sectors),
            number("… at best", mine.idealSectors, other.idealSectors),
            number("shared accesses, bytes", mine.launch.sharedBytes, other.launch.sharedBytes),
            number("shared wavefronts", mine.wavefronts, other.wavefronts),
            number("bank conflicts", mine.conflicts, other.conflicts),
            number("barrier arrivals", mine.launch.barriers, other.launch.barriers),
            number("divergent branches", mine.launch.divergentBranches, other.launch.divergentBranches),
            number("errors and warnings", mine.faults, other.faults)};
}

QString programOf(const Snapshot& snapshot)
{
    return QFileInfo(QString::fromStdString(snapshot.catalog->session.program)).fileName();
}

QString wholeText(double number)
{
    return countText(static_cast<uint64_t>(number));
}

/// "÷ 3.0", "× 1.5", "=", "from 0".
QString ratioText(const ComparedNumber& number)
{
    if (number.mine == number.other)
        return QStringLiteral("=");
    if (number.mine == 0)
        return QObject::tr("from 0");
    if (number.other == 0)
        return QObject::tr("to 0");
    const bool less = number.other < number.mine;
    const double ratio = less ? number.mine / number.other : number.other / number.mine;
    return (less ? QStringLiteral("÷ ") : QStringLiteral("× ")) + QString::number(ratio, 'f', ratio < 10 ? 2 : 0);
}

class ComparePainter {
public:
    ComparePainter(Canvas& canvas, const Snapshot& mine, const CompareData& data)
        : m_c(canvas), m_p(canvas.painter()), m_theme(canvas.theme()), m_mine(mine), m_data(data)
    {
    }

    void paint()
    {
        m_p.fillRect(QRectF(QPointF(0, 0), m_c.size()), m_theme.stage);
        const double row = m_c.u(21) * m_theme.typeScale;
        const auto count = static_cast<double>(m_data.numbers.size());
        const bool wide = m_c.size().width() > m_c.u(900);
        const double rows = std::ceil(count / (wide ? 2 : 1)) + 1;
        const double title = m_c.u(40) * m_theme.typeScale;
        const double table = rows * row + m_c.u(24);
        const double half = m_c.size().width() / 2;
        const double stage = std::max(m_c.u(120), m_c.size().height() - title - table);
        paintSide(m_mine, QObject::tr("A"), {0, title, half, stage});
        paintSide(*m_data.other, QObject::tr("B"), {half, title, half, stage});
        m_p.setPen(QPen(m_theme.border, m_c.u(1)));
        m_p.drawLine(QPointF(half, m_c.u(8)), QPointF(half, title + stage - m_c.u(8)));
        paintNumbers({m_c.u(22), title + stage + m_c.u(8), m_c.size().width() - m_c.u(44), table}, row, wide);
    }

private:
    void paintSide(const Snapshot& snapshot, const QString& letter, const QRectF& area)
    {
        const double line = m_c.u(26) * m_theme.typeScale;
        const QRectF heading(area.left() + m_c.u(22), m_c.u(9), area.width() - m_c.u(44), line);
        const QFont bold = m_c.sans(16, true);
        m_c.text(heading, letter, bold, m_theme.accent);
        m_c.text(heading.adjusted(m_c.u(24) * m_theme.typeScale, 0, 0, 0), programOf(snapshot), bold, m_theme.text);
        const Theme& theme = m_theme;
        StageScene scene = StageScene::of(SnapshotPointer(SnapshotPointer(), &snapshot), theme);
        scene.leaveRoom(shownOverlays());
        const StageLayout layout = scene.layout(area.size(), theme);
        m_p.save();
        m_p.translate(area.topLeft());
        m_p.setClipRect(QRectF(QPointF(0, 0), area.size()), Qt::IntersectClip);
        paintStage(m_p, {scene, layout, theme, {}, shownOverlays(), {}, area.size()});
        m_p.restore();
    }

    void paintNumbers(const QRectF& area, double row, bool wide)
    {
        m_p.setPen(QPen(m_theme.border, m_c.u(1)));
        m_p.drawLine(area.topLeft(), area.topRight());
        const size_t columns = wide ? 2 : 1;
        const size_t perColumn = (m_data.numbers.size() + columns - 1) / columns;
        const double gap = m_c.u(56);
        const double width = (area.width() - gap * static_cast<double>(columns - 1)) / static_cast<double>(columns);
        for (size_t column = 0; column < columns; ++column) {
            const double left = area.left() + (width + gap) * static_cast<double>(column);
            double y = area.top() + m_c.u(6);
            paintHeading({left, y, width, row});
            for (size_t i = column * perColumn; i < std::min(m_data.numbers.size(), (column + 1) * perColumn); ++i) {
                y += row;
                paintNumber({left, y, width, row}, m_data.numbers[i]);
            }
        }
    }

    struct Columns {
        QRectF name, mine, other, ratio, bar;
    };

    /// Numbers are never cut: names and bars give way.
    [[nodiscard]] Columns columnsOf(const QRectF& row) const
    {
        double number = row.width() * 0.16;
        for (const ComparedNumber& compared : m_data.numbers)
            for (const double value : {compared.mine, compared.other})
                number = std::max(number, textWidth(m_c.mono(12.5), wholeText(value)) + m_c.u(16));
        const double ratio = row.width() * 0.14;
        const double gap = row.width() * 0.03;
        const double least = row.width() * 0.08;  // of a bar
        const double room = row.width() - 2 * number - ratio - gap - least;
        double x = row.left();
        const auto next = [&](double width) {
            const QRectF box(x, row.top(), width, row.height());
            x += width;
            return box;
        };
        Columns at;
        at.name = next(std::min(room, row.width() * 0.36));
        at.mine = next(number);
        at.other = next(number);
        at.ratio = next(ratio);
        x += gap;
        at.bar = next(row.right() - x);
        return at;
    }

    void paintHeading(const QRectF& row)
    {
        const Columns at = columnsOf(row);
        const QFont font = m_c.sans(12, true);
        const Qt::Alignment right = Qt::AlignRight | Qt::AlignVCenter;
        m_c.text(at.mine, QObject::tr("A"), font, m_theme.dim, right);
        m_c.text(at.other, QObject::tr("B"), font, m_theme.dim, right);
        m_c.text(at.ratio, QObject::tr("A → B"), font, m_theme.dim, right);
    }

    void paintNumber(const QRectF& row, const ComparedNumber& number)
    {
        const Columns at = columnsOf(row);
        const Qt::Alignment right = Qt::AlignRight | Qt::AlignVCenter;
        const bool same = number.mine == number.other;
        const bool better = (number.other < number.mine) == number.lessIsBetter;
        const QColor tone = same ? m_theme.dim : better ? m_theme.good : m_theme.error;
        m_c.text(at.name, number.name, m_c.sans(12.5), same ? m_theme.dim : m_theme.text);
        m_c.text(at.mine, wholeText(number.mine), m_c.mono(12.5), m_theme.text, right);
        m_c.text(at.other, wholeText(number.other), m_c.mono(12.5), m_theme.text, right);
        m_c.text(at.ratio, ratioText(number), m_c.mono(12.5, !same), tone, right);
        const double most = std::max({number.mine, number.other, 1.0});
        const double high = row.height() * 0.26;
        const auto bar = [&](double top, double value, const QColor& colour) {
            m_c.bar({at.bar.left(), top, at.bar.width(), high}, value / most, colour);
        };
        bar(row.top() + row.height() * 0.2, number.mine, m_theme.arithmetic);
        bar(row.top() + row.height() * 0.54, number.other, same ? m_theme.arithmetic : tone);
    }

    Canvas& m_c;
    QPainter& m_p;
    const Theme& m_theme;
    const Snapshot& m_mine;
    const CompareData& m_data;
};

}  // namespace

CompareView::CompareView()
    : View({.name = "compare", .title = "Compare", .help = "two recordings side by side, in step", .traces = 2})
{
}

Result<ViewDataPointer> CompareView::compute(AnalysisCache& cache, const Snapshot& snapshot,
                                             const ViewSettings& settings) const
{
    if (settings.compareWith.empty())
        return Error{Error::Code::BadInput, "no second trace, expected one to compare with", "--compare"};
    auto opened = cache.compared(settings.compareWith);
    if (!opened)
        return opened.error();
    SnapshotBuilder& other = *opened.value();
    auto focus = inStep(other, snapshot);
    if (!focus)
        return focus.error();
    SnapshotOptions options;
    askFor(shownOverlays(), options);
    auto built = other.build(focus.value(), options);
    if (!built)
        return built.error();
    auto data = std::make_shared<CompareData>();
    data->other = built.value();
    auto mine = cache.metrics(snapshot.focus.launch);
    auto its = other.analyses().metrics(data->other->focus.launch);
    if (!mine || !its)
        return mine ? its.error() : mine.error();
    data->numbers = numbersOf({*mine.value(), *snapshot.catalog}, {*its.value(), *data->other->catalog});
    return ViewDataPointer(data);
}

void CompareView::paint(Canvas& canvas, const Snapshot& snapshot, const ViewData& data, const ViewSettings&) const
{
    ComparePainter(canvas, snapshot, static_cast<const CompareData&>(data)).paint();
}

const View& compareView()
{
    static const CompareView view;
    return view;
}

}  // namespace lanescope::gui
