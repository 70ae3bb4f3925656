// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/views/sweep/sweep_view.h"

#include <QFontMetricsF>
#include <QPainterPath>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <unordered_set>

#include "app/gui/engine/value_format.h"
#include "app/gui/views/sweep/large_sweep.h"

namespace lanescope::gui {

namespace {

using analysis::Sweep;
using analysis::SweepArc;
using analysis::SweepCell;
using analysis::SweepRow;

struct SweepData final : ViewData {
    std::shared_ptr<const Sweep> sweep;
    std::vector<trace::Buffer> buffers;  ///< of the launch
    BlockIndex block;
};

const trace::Buffer* bufferOf(const SweepData& data, BufferId id)
{
    const auto found =
        std::find_if(data.buffers.begin(), data.buffers.end(), [&](const auto& b) { return b.id == id; });
    return found == data.buffers.end() ? nullptr : &*found;
}

/// Where rows and columns lie; rows beyond the area are scrolled to.
struct Grid {
    QRectF area;
    double left = 0;
    double pitchX = 1;
    double pitchY = 1;
    QSizeF cell;
    double scroll = 0;
    QRectF plot;                    ///< where the columns show
    double shift = 0;               ///< pixels that the columns have moved left
    uint64_t perLine = UINT64_MAX;  ///< columns, of rows that are broken into lines
    double line = 0;                ///< from one to the next

    [[nodiscard]] QRectF rect(size_t row, uint64_t column) const
    {
        const uint64_t lineOfColumn = column / perLine;
        return {left - shift + pitchX * static_cast<double>(column % perLine) + (pitchX - cell.width()) / 2,
                area.top() + pitchY * (static_cast<double>(row) - scroll) + line * static_cast<double>(lineOfColumn),
                cell.width(), cell.height()};
    }
    [[nodiscard]] bool shows(size_t row) const
    {
        const QRectF r = rect(row, 0);
        return r.top() + std::max(r.height(), pitchY) >= area.top() && r.top() <= area.bottom();
    }
};

class SweepPainter {
public:
    SweepPainter(Canvas& canvas, const Snapshot& snapshot, const SweepData& data, const ViewSettings& settings)
        : m_c(canvas), m_p(canvas.painter()), m_snapshot(snapshot), m_data(data), m_sweep(*data.sweep),
          m_settings(settings), m_buffer(bufferOf(data, m_sweep.buffers.front()))
    {
    }

    void paint()
    {
        const QRectF area = paintChoices(m_c.begin(subtitle()));
        layOut(area);
        findFocus();
        if (m_buffer != nullptr && needsLens())
            return paintLargeSweep(
                m_c, {m_snapshot, m_sweep, *m_buffer, names(), m_row, m_thread, matrixColumns(), m_settings.scroll},
                area);
        m_p.save();
        m_p.setClipRect(m_grid.area.adjusted(-m_c.u(200), -m_c.u(6), m_c.u(200), m_c.u(14)));
        paintLabels();
        m_p.setClipRect(m_grid.plot.adjusted(-m_c.u(2), -m_c.u(6), m_c.u(4), m_c.u(14)), Qt::IntersectClip);
        paintArcs(false);
        paintRows();
        paintArcs(true);
        m_p.restore();
        paintRemark();
    }

private:
    [[nodiscard]] QString names() const
    {
        QStringList names;
        for (const BufferId id : m_sweep.buffers)
            if (const trace::Buffer* buffer = bufferOf(m_data, id))
                names << QString::fromStdString(buffer->name);
        return names.join(QStringLiteral(" ⇄ "));
    }

    /// Values or epochs have no room. Whoever zooms wants to see columns as they are.
    [[nodiscard]] bool needsLens() const
    {
        if (m_settings.zoom != 1 || m_sweep.rows.empty())
            return false;
        if (m_grid.pitchY * static_cast<double>(m_sweep.rows.size()) - m_c.u(24) > m_grid.area.height())
            return true;
        if (m_sweep.columns < kFewColumns)
            return false;
        const bool isBroken = m_grid.perLine != UINT64_MAX;
        if (isBroken && matrixColumns() > 0 && m_grid.cell.height() < m_c.u(20))
            return true;
        qsizetype letters = 1;
        for (const SweepCell& cell : m_sweep.rows.back().cells)
            if (cell.known)
                letters = std::max(letters, shortValueText(m_buffer->element, cell.value.data(), kUsualLetters).size());
        return m_letters < letters;
    }

    /// Elements that stand in a row of their own; 0: all in one row.
    [[nodiscard]] uint64_t matrixColumns() const
    {
        if (m_sweep.elements.empty()) {
            const uint64_t columns = m_buffer->dims.size() > 1 ? columnsOfBuffer() : 0;
            return columns > 1 && columns < m_sweep.columns ? columns : 0;
        }
        // Of a part of a large buffer: where all its rows are equally long.
        const std::vector<uint64_t>& elements = m_sweep.elements;
        uint64_t length = 1;
        while (length < elements.size() && elements[length] == elements[length - 1] + 1)
            ++length;
        for (size_t i = 0; i < elements.size(); ++i)
            if (elements[i] != elements[i / length * length] + i % length)
                return 0;
        return elements.size() % length == 0 && length < elements.size() ? length : 0;
    }

    [[nodiscard]] QString subtitle() const
    {
        QString text =
            QObject::tr("%1  ·  %2  ·  a line joins what a thread read to what it then wrote")
                .arg(names() + (m_sweep.elements.empty() ? QStringLiteral("[%1]").arg(m_sweep.columns) : QString()))
                .arg(blockText(m_snapshot.focus.block, m_snapshot.launch()));
        if (m_sweep.columns > 32 && m_settings.zoom == 1)
            text += QObject::tr("  ·  W, S or Ctrl and the wheel zoom");
        return m_sweep.cut ? text + QObject::tr("  ·  more than is shown here") : text;
    }

    QRectF paintChoices(QRectF area)
    {
        if (m_sweep.choices.size() < 2)
            return area;
        double x = area.left();
        for (const BufferId id : m_sweep.choices) {
            const trace::Buffer* buffer = bufferOf(m_data, id);
            if (buffer == nullptr || x > area.right() - m_c.u(120))
                continue;
            ViewSettings chosen = m_settings.with(SweepSettings{id});
            chosen.scroll = 0;
            const bool on = std::find(m_sweep.buffers.begin(), m_sweep.buffers.end(), id) != m_sweep.buffers.end();
            x = m_c.pill({x, area.top()}, QString::fromStdString(buffer->name), on, chosen) + m_c.u(8);
        }
        return area.adjusted(0, m_c.u(40) * m_c.theme().typeScale, 0, 0);
    }

    void layOut(const QRectF& area)
    {
        const double labels = m_c.u(150) * m_c.theme().typeScale;
        m_grid.area = area.adjusted(0, 0, 0, -m_c.u(8));
        const auto columns = static_cast<double>(std::max<uint64_t>(1, m_sweep.columns));
        const auto rows = static_cast<double>(std::max<size_t>(1, m_sweep.rows.size()));
        m_grid.pitchX = std::min((area.width() - labels) / columns, m_c.u(200)) * m_settings.zoom;
        m_grid.left = area.left() + labels;
        m_grid.plot = {m_grid.left, m_grid.area.top(), area.right() - m_grid.left, m_grid.area.height()};
        m_grid.shift = m_grid.pitchX * columns * std::clamp(m_settings.pan, 0.0, 1.0);
        m_first = std::min<uint64_t>(m_sweep.columns, static_cast<uint64_t>(m_grid.shift / m_grid.pitchX));
        m_last = std::min<uint64_t>(m_sweep.columns,
                                    static_cast<uint64_t>((m_grid.shift + m_grid.plot.width()) / m_grid.pitchX) + 1);
        m_c.hit({m_grid.plot, {}, {}, {}, true});
        const double least = m_c.u(34);
        m_grid.pitchY = std::clamp(m_grid.area.height() / (rows - 0.55), least, m_c.u(190));
        const double height = std::min(m_grid.pitchY * 0.42, std::clamp(m_grid.pitchX * 0.7, m_c.u(34), m_c.u(64)));
        m_grid.cell = {std::max(1.0, std::min(m_grid.pitchX * 0.82, m_grid.pitchX - 1)), height};
        const double most = std::max(0.0, rows - m_grid.area.height() / m_grid.pitchY);
        m_grid.scroll = std::clamp(m_settings.scroll, 0.0, most);
        if (m_sweep.arcs.empty() && m_settings.zoom == 1)
            breakRows();
        const double high = m_grid.cell.height();
        const double pixels = std::max(high * 0.42, std::min(high * 0.66, kSmallestType + 1));
        const double type = pixels / m_c.u(1) / m_c.theme().typeScale;
        m_font = m_c.mono(std::min(type, kLargestType));
        // Smaller where only that leaves the values whole.
        const auto lettersAt = [&](const QFont& font) {
            return static_cast<int>(m_grid.cell.width() / QFontMetricsF(font).horizontalAdvance(QLatin1Char('0')));
        };
        if (lettersAt(m_font) < kUsualLetters)
            m_font = m_c.mono(std::min(type, kUsualType));
        m_letters = pixels < kSmallestType ? 0 : lettersAt(m_font);
    }

    /// Rows that nothing joins need not be one line: broken as the buffer has rows, their cells become large.
    void breakRows()
    {
        constexpr uint64_t kMostCells = 8192;
        constexpr double kFilled = 0.82;  // of the canvas, with what is written below
        const uint64_t columns = m_sweep.columns;
        const auto rows = static_cast<double>(m_sweep.rows.size());
        const double bottom = std::min(m_grid.area.bottom(), m_c.size().height() * kFilled);
        const double open = (bottom - m_grid.area.top()) / rows - (rows > 1 ? m_c.u(14) : 0);
        const uint64_t natural = columnsOfBuffer();
        if (columns * m_sweep.rows.size() > kMostCells || natural == 0 || open < m_c.u(60))
            return;
        double best = std::min(m_grid.cell.width(), m_grid.cell.height());
        for (uint64_t perLine = natural; perLine < columns; perLine += natural) {
            const uint64_t lines = (columns + perLine - 1) / perLine;
            const QSizeF pitch(std::min(m_grid.plot.width() / static_cast<double>(perLine), m_c.u(110)),
                               std::min(open / static_cast<double>(lines), m_c.u(70)));
            const QSizeF cell(pitch.width() - std::max(1.0, pitch.width() * 0.12),
                              pitch.height() - std::max(1.0, pitch.height() * 0.12));
            if (std::min(cell.width(), cell.height()) <= best)
                continue;
            best = std::min(cell.width(), cell.height());
            m_grid.perLine = perLine;
            m_grid.pitchX = pitch.width();
            m_grid.line = pitch.height();
            m_grid.cell = cell;
            m_grid.pitchY = pitch.height() * static_cast<double>(lines) + m_c.u(14);
            m_last = columns;
        }
    }

    /// 1 for those without a shape: broken anywhere.
    [[nodiscard]] uint64_t columnsOfBuffer() const
    {
        for (const BufferView& view : m_snapshot.buffers)
            if (m_buffer != nullptr && view.buffer.id == m_buffer->id && view.shape.rows > 1)
                return view.shape.rowLength();
        return 1;
    }

    /// The row in which the focused step lies, and the focused thread's write there.
    void findFocus()
    {
        for (size_t row = 0; row < m_sweep.rows.size(); ++row)
            if (m_sweep.rows[row].step < m_snapshot.focus.step)
                m_row = row;
        m_thread = static_cast<uint32_t>(linearIndex(m_snapshot.focus.thread, m_snapshot.launch().block));
    }

    /// One row has no arcs; that says something, too.
    void paintRemark()
    {
        if (m_sweep.rows.size() != 1)
            return;
        const double top = m_grid.rect(0, m_sweep.columns - 1).bottom() + m_c.u(16);
        m_c.text({m_grid.left, top, m_grid.plot.width(), m_c.u(22) * m_c.theme().typeScale},
                 QObject::tr("Written in one epoch: no later epoch writes what it read here."), m_c.sans(13.5),
                 m_c.theme().dim);
    }

    [[nodiscard]] bool isFocused(const SweepArc& arc) const { return arc.thread == m_thread; }

    void paintArcs(bool focused)
    {
        const Theme& theme = m_c.theme();
        const bool crowded = !focused && hasCrowdOfArcs();
        // Qt strokes what is a pixel wide many times as fast as what is a little wider.
        const double most = crowded ? 1 / m_p.device()->devicePixelRatioF() : m_c.u(1.4);
        const double width = std::clamp(m_grid.pitchX * 0.05, std::min(0.5, most), most) * (focused ? 2.2 : 1);
        const QPen straight(focused ? theme.write : mixed(theme.dim, theme.stage, 0.5), width);
        const QPen crossing(focused ? theme.write : mixed(theme.read, theme.stage, 0.75), width);
        const double bundle = focused ? kBundle : bundleWidth();
        const bool dense = m_grid.pitchX < bundle;
        m_p.save();
        m_p.setBrush(Qt::NoBrush);
        m_p.setRenderHint(QPainter::Antialiasing, !dense || focused);
        std::unordered_set<uint64_t> drawn;
        for (const SweepArc& arc : shownArcs()) {
            if (isFocused(arc) != focused || !shows(arc))
                continue;
            if ((dense || crowded) && !drawn.insert(bundleOf(arc, bundle)).second)
                continue;
            m_p.setPen(arc.from == arc.to ? straight : crossing);
            paintArc(arc);
        }
        m_p.restore();
    }

    [[nodiscard]] bool showsColumn(uint32_t column) const { return column >= m_first && column < m_last; }

    [[nodiscard]] bool shows(const SweepArc& arc) const
    {
        return arc.row > 0 && (m_grid.shows(arc.row) || m_grid.shows(arc.row - 1)) &&
               (showsColumn(arc.from) || showsColumn(arc.to));
    }

    /// Of rows that show, or whose row above does.
    [[nodiscard]] std::span<const SweepArc> shownArcs() const
    {
        size_t first = 0;
        while (first < m_sweep.rows.size() && !m_grid.shows(first))
            ++first;
        size_t last = first;
        while (last < m_sweep.rows.size() && (m_grid.shows(last) || m_grid.shows(last - 1)))
            ++last;
        const auto from = std::ranges::lower_bound(m_sweep.arcs, first, {}, &SweepArc::row);
        return {from, std::ranges::lower_bound(from, m_sweep.arcs.end(), last, {}, &SweepArc::row)};
    }

    /// More than are told apart, or drawn in the time of a picture.
    [[nodiscard]] bool hasCrowdOfArcs() const
    {
        constexpr std::ptrdiff_t kMostArcs = 300;
        const std::span<const SweepArc> arcs = shownArcs();
        return std::count_if(arcs.begin(), arcs.end(), [&](const SweepArc& arc) { return shows(arc); }) > kMostArcs;
    }

    /// Arcs that come from far outside are alike.
    [[nodiscard]] double nearPlot(double x) const
    {
        const double most = 2 * m_grid.plot.width();
        return std::clamp(x, m_grid.plot.left() - most, m_grid.plot.right() + most);
    }

    /// Stroking a curve costs as much as it is long, outside as inside: only what is near the plot is painted.
    void paintArc(const SweepArc& arc)
    {
        const QRectF from = m_grid.rect(arc.row - 1, arc.from);
        const QRectF to = m_grid.rect(arc.row, arc.to);
        const QPointF a(nearPlot(from.center().x()), from.bottom());
        const QPointF b(nearPlot(to.center().x()), to.top());
        const double middle = (a.y() + b.y()) / 2;
        const double bend = (b.y() - a.y()) * 0.15;
        const std::array<QPointF, 4> curve = {a, QPointF(a.x(), middle + bend), QPointF(b.x(), middle - bend), b};
        // Its x goes from a's to b's as 3t² - 2t³.
        const auto partAt = [&](double x) {
            const double way = std::clamp((x - a.x()) / (b.x() - a.x()), 0.0, 1.0);
            return 0.5 - std::sin(std::asin(1 - 2 * way) / 3);
        };
        double begin = 0;
        double end = 1;
        if (a.x() != b.x()) {
            const double margin = m_c.u(8);
            begin = partAt(a.x() < b.x() ? m_grid.plot.left() - margin : m_grid.plot.right() + margin);
            end = partAt(a.x() < b.x() ? m_grid.plot.right() + margin : m_grid.plot.left() - margin);
        }
        // The part's control points: the curve's polar form at its ends.
        const auto polar = [&](double r, double s, double t) {
            const auto between = [](const QPointF& p, const QPointF& q, double part) { return p + (q - p) * part; };
            const QPointF first = between(between(curve[0], curve[1], r), between(curve[1], curve[2], r), s);
            const QPointF second = between(between(curve[1], curve[2], r), between(curve[2], curve[3], r), s);
            return between(first, second, t);
        };
        QPainterPath path(polar(begin, begin, begin));
        path.cubicTo(polar(begin, begin, end), polar(begin, end, end), polar(end, end, end));
        m_p.drawPath(path);
    }

    /// Pixels: where thousands of arcs lead to one row, fewer of them tell more.
    [[nodiscard]] double bundleWidth() const
    {
        constexpr size_t kMostPerRow = 1500;
        constexpr double kBundlesPerRow = 24;
        size_t arcs = 0;
        size_t most = 0;
        uint32_t row = 0;
        for (const SweepArc& arc : shownArcs()) {
            arcs = arc.row == row ? arcs + 1 : 1;
            row = arc.row;
            if (m_grid.shows(row))
                most = std::max(most, arcs);
        }
        return most > kMostPerRow ? std::max(kBundle, m_grid.plot.width() / kBundlesPerRow) : kBundle;
    }

    /// Arcs that begin and end within \p pixels of each other are drawn as one; where they leave the plot, within an
    /// eighth of its width.
    [[nodiscard]] uint64_t bundleOf(const SweepArc& arc, double pixels) const
    {
        const auto bucket = [&](uint32_t column) {
            constexpr uint64_t kOutside = uint64_t{1} << 23;
            constexpr double kOffset = 3;  // widths; no number below 0
            constexpr double kParts = 8;   // of a width
            if (showsColumn(column))
                return static_cast<uint64_t>(column * std::min(1.0, m_grid.pitchX / pixels));
            const double x = nearPlot(m_grid.rect(0, column).center().x());
            const double widths = (x - m_grid.plot.left()) / m_grid.plot.width();
            return kOutside + static_cast<uint64_t>((widths + kOffset) * kParts);
        };
        return (uint64_t{arc.row} << 48) | (bucket(arc.from) << 24) | bucket(arc.to);
    }

    void paintLabels()
    {
        for (size_t row = 0; row < m_sweep.rows.size(); ++row)
            if (m_grid.shows(row))
                paintLabel(row);
    }

    void paintRows()
    {
        for (size_t row = 0; row < m_sweep.rows.size(); ++row) {
            if (!m_grid.shows(row))
                continue;
            if (m_grid.pitchX < kFewestPixels) {
                paintRuns(row);
                continue;
            }
            for (uint64_t column = m_first; column < m_last; ++column)
                paintCell(row, column);
        }
    }

    /// Columns narrower than a few pixels: neighbours that are alike as one box, the focused thread's over them.
    void paintRuns(size_t row)
    {
        const Theme& theme = m_c.theme();
        const std::vector<SweepCell>& cells = m_sweep.rows[row].cells;
        m_p.setPen(Qt::NoPen);
        for (uint64_t first = m_first; first < m_last;) {
            uint64_t last = first + 1;
            while (last < m_last && cells[last].written == cells[first].written)
                ++last;
            m_p.setBrush(cells[first].written ? mixed(theme.write, theme.stage, 0.3) : theme.cell);
            m_p.drawRect(QRectF(m_grid.rect(row, first).topLeft(), m_grid.rect(row, last - 1).bottomRight()));
            first = last;
        }
        m_p.setBrush(theme.write);
        for (uint64_t column = m_first; column < m_last; ++column)
            if (cells[column].written && cells[column].thread == m_thread) {
                const QRectF box = m_grid.rect(row, column);
                m_p.drawRect(QRectF(box.center().x() - m_c.u(1), box.top(), m_c.u(2), box.height()));
            }
    }

    void paintLabel(size_t row)
    {
        const Theme& theme = m_c.theme();
        const SweepRow& r = m_sweep.rows[row];
        const QRectF first = m_grid.rect(row, 0);
        const double middle = std::max(first.center().y(), first.top() + m_c.u(15));
        const QRectF label(m_grid.area.left(), middle - m_c.u(17), m_grid.left - m_grid.area.left() - m_c.u(10),
                           m_c.u(17) * theme.typeScale);
        const bool now = m_row && *m_row == row;
        m_c.text(label, QObject::tr("epoch %1").arg(r.epoch), m_c.sans(13, now), now ? theme.accent : theme.text);
        const trace::SourceLocation& where = m_snapshot.site(r.site).where;
        // For a second line before the next row's label, or the end.
        const bool hasRoom =
            m_grid.pitchY >= 2 * label.height() && label.bottom() + label.height() <= m_grid.area.bottom() + m_c.u(8);
        if (hasRoom)
            m_c.text(label.translated(0, label.height()), QObject::tr("line %1").arg(where.line), m_c.sans(11.5),
                     theme.dim);
        replay::Focus focus = m_snapshot.focus;
        focus.step = r.step + 1;
        m_c.hit({hasRoom ? label.united(label.translated(0, label.height())) : label,
                 QObject::tr("epoch %1, line %2: to its first write").arg(r.epoch).arg(where.line),
                 focus,
                 {}});
    }

    void paintCell(size_t row, uint64_t column)
    {
        const Theme& theme = m_c.theme();
        const SweepCell& cell = m_sweep.rows[row].cells[column];
        const QRectF box = m_grid.rect(row, column);
        const bool mine = cell.written && cell.thread == m_thread;
        const QColor fill = cell.written ? mixed(theme.write, theme.stage, mine ? 0.45 : 0.22) : theme.cell;
        const double side = std::min(box.width(), box.height());
        const bool outlined = cell.written && (mine ? side > 4 : side > m_c.u(20));
        m_p.setPen(outlined ? QPen(theme.write, mine ? m_c.u(2.2) : m_c.u(1.1)) : QPen(Qt::NoPen));
        m_p.setBrush(cell.known || cell.written ? fill : mixed(theme.cell, theme.stage, 0.4));
        const double radius = m_grid.pitchX > 12 ? std::min(m_c.u(5), side * 0.16) : 0;
        if (radius < 2)  // not seen as round, and slower by far
            m_p.drawRect(box);
        else
            m_p.drawRoundedRect(box, radius, radius);
        if (!cell.known || m_buffer == nullptr)
            return;
        if (m_letters >= 2)
            m_c.text(box, shortValueText(m_buffer->element, cell.value.data(), std::min(m_letters, 9)), m_font,
                     cell.written ? theme.text : theme.cellText, Qt::AlignCenter);
        if (m_grid.pitchX < 3)
            return;
        const uint64_t element = m_sweep.elements.empty() ? column : m_sweep.elements[column];
        replay::Focus focus = m_snapshot.focus;
        focus.buffer = m_buffer->id;
        focus.cell = element;
        focus.step = m_sweep.rows[row].step + 1;
        if (cell.written)
            focus.thread = positionOf(cell.thread, m_snapshot.launch().block);
        QString text = QStringLiteral("%1[%2] = %3")
                           .arg(QString::fromStdString(m_buffer->name))
                           .arg(element)
                           .arg(valueText(m_buffer->element, cell.value.data()));
        if (cell.written)
            text += QObject::tr(" by thread %1").arg(threadText(m_snapshot, cell.thread));
        m_c.hit({box, text, focus, {}});
    }

    Canvas& m_c;
    QPainter& m_p;
    const Snapshot& m_snapshot;
    const SweepData& m_data;
    const Sweep& m_sweep;
    const ViewSettings& m_settings;
    const trace::Buffer* m_buffer;
    Grid m_grid;
    QFont m_font;
    int m_letters = 0;
    uint64_t m_first = 0;                 ///< columns that show
    uint64_t m_last = 0;                  ///< one past
    static constexpr double kBundle = 5;  ///< pixels
    static constexpr double kLargestType = 24;
    static constexpr double kUsualType = 13.5;
    static constexpr double kSmallestType = 8;  ///< pixels
    static constexpr int kUsualLetters = 5;
    static constexpr uint64_t kFewColumns = 24;  ///< that need no lens
    static constexpr double kFewestPixels = 3;   ///< of a column that is drawn alone
    std::optional<size_t> m_row;
    uint32_t m_thread = 0;
};

}  // namespace

SweepView::SweepView()
    : View({.name = "sweep",
            .title = "Sweep",
            .help = "what each epoch made of the elements of a buffer",
            .options = columnOptions(),
            .countsSelection = true})
{
}

Result<ViewDataPointer> SweepView::compute(AnalysisCache& cache, const Snapshot& snapshot,
                                           const ViewSettings& settings) const
{
    auto data = std::make_shared<SweepData>();
    data->block = BlockIndex{linearIndex(snapshot.focus.block, snapshot.launch().grid)};
    auto sweep = cache.sweep(snapshot.focus.launch, data->block, settings.own.as<SweepSettings>().buffer);
    if (!sweep)
        return sweep.error();
    auto buffers = cache.session().buffersOf(snapshot.focus.launch);
    if (!buffers)
        return buffers.error();
    data->sweep = sweep.value();
    const auto& selection = settings.selection;
    if (selection && selection->launch == snapshot.focus.launch && selection->block == data->block)
        data->sweep = std::make_shared<const Sweep>(analysis::sweepOf(*data->sweep, *selection));
    data->buffers = buffers.value();
    return ViewDataPointer(data);
}

void SweepView::aim(ViewSettings& settings, const Snapshot& snapshot) const
{
    settings.own.set(SweepSettings{snapshot.focus.buffer});
}

void SweepView::leaveLaunch(ViewSettings& settings) const
{
    settings.own.set(SweepSettings{});
}

void SweepView::paint(Canvas& canvas, const Snapshot& snapshot, const ViewData& data,
                      const ViewSettings& settings) const
{
    const auto& sweep = static_cast<const SweepData&>(data);
    if (sweep.sweep->rows.empty()) {
        canvas.begin({});
        return canvas.empty(QObject::tr("This block writes no shared or global memory."));
    }
    SweepPainter(canvas, snapshot, sweep, settings).paint();
}

}  // namespace lanescope::gui
