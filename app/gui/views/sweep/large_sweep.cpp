// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/views/sweep/large_sweep.h"

#include <QFontMetricsF>
#include <QImage>
#include <QPainterPath>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_set>

#include "app/gui/engine/value_format.h"

namespace lanescope::gui {

namespace {

using analysis::SweepArc;
using analysis::SweepCell;
using analysis::SweepFold;
using analysis::SweepRow;

constexpr double kSmallestType = 8.5;  // pixels at the theme's scale
constexpr double kLowestCell = 16.5;   // of a matrix
constexpr int kMostLetters = 7;        // of a value

class LargeSweepPainter {
public:
    LargeSweepPainter(Canvas& canvas, const LargeSweep& what, const QRectF& area)
        : m_c(canvas), m_p(canvas.painter()), m_theme(canvas.theme()), m_what(what), m_sweep(what.sweep), m_area(area)
    {
    }

    void paint()
    {
        chooseRows();
        findArcs();
        layOut();
        chooseWindow();
        paintHeads();
        m_p.save();
        m_p.setClipRect(m_rows.adjusted(0, -m_c.u(2), m_c.u(2), m_c.u(4)));
        for (size_t i = 0; i < m_folds.size(); ++i)
            if (shows(i))
                paintRow(i);
        m_p.restore();
        paintRest();
    }

private:
    [[nodiscard]] bool isMatrix() const { return m_what.matrixColumns > 0; }
    [[nodiscard]] uint64_t lineLength() const { return isMatrix() ? m_what.matrixColumns : m_sweep.columns; }
    [[nodiscard]] uint64_t lines() const { return (m_sweep.columns + lineLength() - 1) / lineLength(); }
    [[nodiscard]] double type(double pixels) const { return m_c.u(pixels) * m_theme.typeScale; }
    [[nodiscard]] uint64_t elementOf(uint64_t column) const
    {
        return m_sweep.elements.empty() ? column : m_sweep.elements[column];
    }

    /// Those of the sweep where they have room, else what is left when equal ones are folded.
    void chooseRows()
    {
        const double least = isMatrix() ? type(70) : type(34);
        if (least * static_cast<double>(m_sweep.rows.size()) > m_area.height())
            m_folds = analysis::foldRows(m_sweep.patterns, m_what.row);
        else
            for (size_t row = 0; row < m_sweep.rows.size(); ++row)
                m_folds.push_back({row, row, 1, 1});
    }

    void findArcs()
    {
        m_arcsOf.assign(m_sweep.rows.size() + 1, m_sweep.arcs.size());
        for (size_t i = m_sweep.arcs.size(); i-- > 0;)
            m_arcsOf[m_sweep.arcs[i].row] = i;
        for (size_t row = m_sweep.rows.size(); row-- > 0;)
            m_arcsOf[row] = std::min(m_arcsOf[row], m_arcsOf[row + 1]);
    }

    template <typename Visit>
    void forEachArc(size_t row, const Visit& visit) const
    {
        for (size_t i = m_arcsOf[row]; i < m_arcsOf[row + 1]; ++i)
            visit(m_sweep.arcs[i]);
    }

    [[nodiscard]] int widestValue() const
    {
        qsizetype letters = 2;
        for (const SweepFold& fold : m_folds) {
            const std::vector<SweepCell>& cells = m_sweep.rows[fold.row].cells;
            const size_t every = std::max<size_t>(1, cells.size() / 512);
            for (size_t i = 0; i < cells.size(); i += every)
                if (cells[i].known)
                    letters = std::max(
                        letters, shortValueText(m_what.buffer.element, cells[i].value.data(), kMostLetters).size());
        }
        return static_cast<int>(letters);
    }

    void layOut()
    {
        const double labels = type(132);
        const double head = type(34);
        m_rows = m_area.adjusted(0, head, 0, -type(16));
        const auto count = static_cast<double>(m_folds.size());
        const double least = isMatrix() ? type(86) : type(26);
        const double most = isMatrix() ? m_rows.height() : type(150);
        m_pitch = std::clamp(m_rows.height() / count, least, most);
        m_scroll = std::clamp(m_what.scroll, 0.0, std::max(0.0, count - m_rows.height() / m_pitch));
        const double left = m_area.left() + labels;
        const double room = m_area.right() - left;
        const double gutter = type(46);
        m_value = m_c.mono(12.5);
        const double wide = QFontMetricsF(m_value).horizontalAdvance(QLatin1Char('0')) * widestValue() + m_c.u(10);
        const auto fitting = static_cast<uint64_t>((room - gutter) / wide);
        const double open = m_pitch - type(22);  // for the cells of a row
        m_isWhole =
            lineLength() <= fitting && (!isMatrix() || open >= type(kLowestCell) * static_cast<double>(lines()));
        m_overviewWidth = m_isWhole ? 0 : isMatrix() ? std::min(room * 0.28, open * matrixAspect()) : room * 0.42;
        // Rather a smaller overview than a lens that lacks the last columns.
        const double whole = room - gutter - wide * static_cast<double>(lineLength());
        if (!m_isWhole && isMatrix() && whole >= type(90))
            m_overviewWidth = std::min(m_overviewWidth, whole);
        m_overview = QRectF(left, m_rows.top(), m_overviewWidth, m_rows.height());
        const double lens = left + m_overviewWidth + gutter;
        m_columns = std::min<uint64_t>(lineLength(), static_cast<uint64_t>((m_area.right() - lens) / wide));
        m_columns = std::max<uint64_t>(1, m_columns);
        m_cellWidth = std::min((m_area.right() - lens) / static_cast<double>(m_columns), wide * 1.3);
        m_lens = QRectF(lens, m_rows.top(), m_cellWidth * static_cast<double>(m_columns), m_rows.height());
        m_cellHeight = isMatrix() ? std::clamp(open / static_cast<double>(lines()), type(kLowestCell), type(26))
                                  : std::min(m_pitch * 0.5, type(26));
        if (isMatrix() && !m_isWhole)
            m_cellHeight = type(21);
        if (!isMatrix() && m_cellHeight < type(kSmallestType) * 1.4)
            m_value = m_c.mono(kSmallestType);
        m_lensLines =
            isMatrix() ? std::clamp<uint64_t>(static_cast<uint64_t>(open / m_cellHeight + 1e-6), 1, lines()) : 1;
    }

    [[nodiscard]] double matrixAspect() const
    {
        return std::clamp(static_cast<double>(lineLength()) / static_cast<double>(lines()), 0.25, 4.0);
    }

    /// The cell that was chosen, or what the focused thread wrote last, is in the lens; by pages, so that it stays.
    void chooseWindow()
    {
        m_centre = focusedColumn();
        const uint64_t column = m_centre % lineLength();
        const uint64_t line = m_centre / lineLength();
        m_firstColumn = std::min(column / m_columns * m_columns, lineLength() - m_columns);
        m_firstLine = std::min(line / m_lensLines * m_lensLines, lines() - m_lensLines);
    }

    [[nodiscard]] uint64_t focusedColumn() const
    {
        const size_t now = m_what.row.value_or(0);
        const replay::Focus& focus = m_what.snapshot.focus;
        const auto& own = m_sweep.buffers;
        if (focus.buffer && std::find(own.begin(), own.end(), *focus.buffer) != own.end()) {
            const uint64_t column = columnOf(focus.cell);
            const SweepCell* cell = column < m_sweep.columns ? &m_sweep.rows[now].cells[column] : nullptr;
            if (cell != nullptr && (!cell->known || cell->thread == m_what.thread))
                return column;
        }
        const auto wrote = [&](size_t row) -> std::optional<uint64_t> {
            const std::vector<SweepCell>& cells = m_sweep.rows[row].cells;
            for (uint64_t column = 0; column < cells.size(); ++column)
                if (cells[column].written && cells[column].thread == m_what.thread)
                    return column;
            return std::nullopt;
        };
        for (size_t row = now + 1; row-- > 0;)
            if (const auto column = wrote(row))
                return *column;
        for (size_t row = now + 1; row < m_sweep.rows.size(); ++row)
            if (const auto column = wrote(row))
                return *column;
        return 0;
    }

    /// The number of columns where the element has none.
    [[nodiscard]] uint64_t columnOf(uint64_t element) const
    {
        if (m_sweep.elements.empty())
            return std::min(element, m_sweep.columns);
        const auto at = std::lower_bound(m_sweep.elements.begin(), m_sweep.elements.end(), element);
        return at == m_sweep.elements.end() || *at != element ? m_sweep.columns
                                                              : static_cast<uint64_t>(at - m_sweep.elements.begin());
    }

    [[nodiscard]] double top(size_t i) const { return m_rows.top() + m_pitch * (static_cast<double>(i) - m_scroll); }
    [[nodiscard]] bool shows(size_t i) const
    {
        const double height = m_cellHeight * static_cast<double>(m_lensLines);
        return top(i) > m_rows.top() - 1 && top(i) + height < m_rows.bottom() + m_c.u(4);
    }

    /// Of elements in a line: the strip of all of them. Rows are drawn from their cells down; arcs come from above.
    [[nodiscard]] QRectF strip(size_t i) const { return {m_overview.left(), top(i), m_overview.width(), m_cellHeight}; }
    [[nodiscard]] double overviewX(double column) const
    {
        return m_overview.left() + column / static_cast<double>(m_sweep.columns) * m_overview.width();
    }
    [[nodiscard]] bool isInLens(uint64_t column) const
    {
        const uint64_t inLine = column % lineLength();
        const uint64_t line = column / lineLength();
        return inLine >= m_firstColumn && inLine < m_firstColumn + m_columns && line >= m_firstLine &&
               line < m_firstLine + m_lensLines;
    }
    /// Place of a column in the lens; beside it for those it does not show.
    [[nodiscard]] QRectF cellRect(size_t i, uint64_t column) const
    {
        const double x = static_cast<double>(column % lineLength()) - static_cast<double>(m_firstColumn);
        const uint64_t line = column / lineLength();
        const double y = static_cast<double>(line) - static_cast<double>(m_firstLine);
        return {m_lens.left() + x * m_cellWidth, top(i) + y * m_cellHeight, m_cellWidth - m_c.u(3),
                m_cellHeight - (isMatrix() ? m_c.u(3) : 0)};
    }

    void paintHeads()
    {
        const double line = type(16);
        const QFont small = m_c.sans(12);
        if (!m_isWhole)
            m_c.text({m_overview.left(), m_area.top(), std::max(m_overview.width(), type(90)), line},
                     QObject::tr("all %1").arg(countText(m_sweep.columns)), small, m_theme.dim);
        m_c.text({m_lens.left(), m_area.top(), m_area.right() - m_lens.left(), line}, windowName(), m_c.mono(12.5),
                 m_theme.text);
        const QFont ruler = m_c.mono(11);
        const uint64_t last = m_firstColumn + m_columns - 1;
        const double widest = Canvas::widthOf(columnText(last), ruler) + m_c.u(6);
        const auto every = static_cast<uint64_t>(std::ceil(widest / m_cellWidth));
        for (uint64_t i = 0; i < m_columns; i += every) {
            const double x = m_lens.left() + static_cast<double>(i) * m_cellWidth;
            m_c.text({x, m_area.top() + line, m_cellWidth * static_cast<double>(every) - m_c.u(3), line},
                     columnText(m_firstColumn + i), ruler, m_theme.dim,
                     every == 1 ? Qt::AlignCenter : Qt::AlignLeft | Qt::AlignVCenter);
        }
    }

    /// A row of a buffer that has none: a part of it that the block writes without a gap.
    [[nodiscard]] bool isRun() const { return isMatrix() && m_what.buffer.dims.size() < 2; }
    [[nodiscard]] uint64_t bufferColumns() const
    {
        return isRun() ? lineLength() : std::max<uint64_t>(1, m_what.buffer.dims.back());
    }
    /// As the buffer has it; of a run, from its first element.
    [[nodiscard]] uint64_t columnNumber(uint64_t column) const
    {
        if (!isMatrix())
            return elementOf(column);
        return m_sweep.elements.empty() || isRun() ? column
                                                   : elementOf(m_firstLine * lineLength() + column) % bufferColumns();
    }
    [[nodiscard]] QString columnText(uint64_t column) const
    {
        return isRun() ? QStringLiteral("+%1").arg(column) : QString::number(columnNumber(column));
    }
    /// "5"; of three dimensions "2,5"; of a run its first element.
    [[nodiscard]] QString lineText(uint64_t line) const
    {
        const uint64_t element = elementOf(line * lineLength());
        if (isRun())
            return QString::number(element);
        const std::vector<uint64_t>& dims = m_what.buffer.dims;
        uint64_t row = element / bufferColumns();
        QStringList parts;
        for (size_t i = dims.size() - 1; i-- > 1; row /= std::max<uint64_t>(1, dims[i]))
            parts.prepend(QString::number(row % std::max<uint64_t>(1, dims[i])));
        parts.prepend(QString::number(row));
        return parts.join(u',');
    }

    /// "temp[512:524]", "tile[0:6, 0:12]", "tile[8,8 … 8,11, 0:16]"; of a run "out[512 …, +0:+12]".
    [[nodiscard]] QString windowName() const
    {
        const uint64_t last = m_firstColumn + m_columns - 1;
        if (isRun())
            return QStringLiteral("%1[%2 …, %3:%4]")
                .arg(m_what.name, lineText(m_firstLine), columnText(m_firstColumn), columnText(last + 1));
        const QString columns = QStringLiteral("%1:%2").arg(columnNumber(m_firstColumn)).arg(columnNumber(last) + 1);
        if (!isMatrix())
            return QStringLiteral("%1[%2]").arg(m_what.name, columns);
        const uint64_t lastLine = m_firstLine + m_lensLines - 1;
        const QString rows =
            m_what.buffer.dims.size() > 2
                ? QStringLiteral("%1 … %2").arg(lineText(m_firstLine), lineText(lastLine))
                : QStringLiteral("%1:%2").arg(lineText(m_firstLine)).arg(lineText(lastLine).toULongLong() + 1);
        return QStringLiteral("%1[%2, %3]").arg(m_what.name, rows, columns);
    }

    void paintRow(size_t i)
    {
        const bool joined = i > 0 && m_sweep.rows[m_folds[i].row].step > 0;
        noteFocused(i);
        paintLabel(i);
        if (isMatrix()) {
            paintMatrix(i);
            paintLineNumbers(i);
        } else {
            if (joined)
                paintArcs(i);
            paintStrip(i);
        }
        paintCells(i);
        if (!m_isWhole)
            joinLens(i);
    }

    /// What the focused thread reads in this row before it writes the next one.
    void noteFocused(size_t i)
    {
        m_read.clear();
        if (m_folds[i].row + 1 < m_sweep.rows.size())
            forEachArc(m_folds[i].row + 1, [&](const SweepArc& arc) {
                if (arc.thread == m_what.thread)
                    m_read.insert(arc.from);
            });
    }

    [[nodiscard]] bool isNow(size_t i) const { return m_what.row && m_folds[i].row == *m_what.row; }

    /// "epoch 3"; of folded ones "epochs 2, 4 … 126".
    [[nodiscard]] QString nameOf(const SweepFold& fold) const
    {
        const auto epoch = [&](size_t time) { return m_sweep.rows[fold.first + time * fold.every].epoch; };
        if (fold.count == 1 || (m_what.row && fold.row == *m_what.row))
            return QObject::tr("epoch %1").arg(m_sweep.rows[fold.row].epoch);
        return epoch(1) == epoch(0) + 1
                   ? QObject::tr("epochs %1 to %2").arg(epoch(0)).arg(epoch(fold.count - 1))
                   : QObject::tr("epochs %1, %2 … %3").arg(epoch(0)).arg(epoch(1)).arg(epoch(fold.count - 1));
    }

    void paintLabel(size_t i)
    {
        const SweepFold& fold = m_folds[i];
        const SweepRow& row = m_sweep.rows[fold.row];
        const double line = type(16);
        QRectF label(m_area.left(), top(i), type(126), line);
        const bool now = isNow(i);
        const double labelTop = label.top();
        m_c.text(label, nameOf(fold), m_c.sans(12.5, now), now ? m_theme.accent : m_theme.text);
        QStringList more;
        if (fold.count > 1)
            more << (now ? QObject::tr("one of %1 alike").arg(fold.count) : QObject::tr("%1 alike").arg(fold.count));
        more << QObject::tr("line %1").arg(m_what.snapshot.site(row.site).where.line);
        if (isMatrix())
            more << QObject::tr("%1 cells written")
                        .arg(
                            std::count_if(row.cells.begin(), row.cells.end(), [](const auto& c) { return c.written; }));
        if (m_pitch < static_cast<double>(more.size() + 1) * line)
            more = {more.join(QStringLiteral(" · "))};
        for (const QString& words : more) {
            label.translate(0, line);
            const bool fits = label.bottom() <= top(i) + m_pitch && label.bottom() <= m_rows.bottom() + m_c.u(2);
            if (fits && Canvas::widthOf(words, m_c.sans(11.5)) <= label.width())
                m_c.text(label, words, m_c.sans(11.5), m_theme.dim);
        }
        replay::Focus focus = m_what.snapshot.focus;
        focus.step = row.step + 1;
        m_c.hit({{label.left(), labelTop, label.width(), std::min(m_pitch, 3 * line)},
                 QObject::tr("%1, line %2: to its first write")
                     .arg(nameOf(fold))
                     .arg(m_what.snapshot.site(row.site).where.line),
                 focus,
                 {}});
    }

    [[nodiscard]] QColor colourOf(const SweepCell& cell, bool isRead) const
    {
        if (cell.written && cell.thread == m_what.thread)
            return m_theme.write;
        if (isRead)
            return m_theme.read;
        return cell.written ? mixed(m_theme.write, m_theme.stage, 0.3) : m_theme.cell;
    }

    /// All cells in a line: neighbours that are alike as one box, the focused thread's over them.
    void paintStrip(size_t i)
    {
        if (m_isWhole)
            return;
        const std::vector<SweepCell>& cells = m_sweep.rows[m_folds[i].row].cells;
        const QRectF box = strip(i);
        m_p.setPen(Qt::NoPen);
        for (size_t first = 0; first < cells.size();) {
            size_t last = first + 1;
            while (last < cells.size() && cells[last].written == cells[first].written)
                ++last;
            const double x = overviewX(static_cast<double>(first));
            m_p.fillRect(QRectF(x, box.top(), overviewX(static_cast<double>(last)) - x, box.height()),
                         cells[first].written ? mixed(m_theme.write, m_theme.stage, 0.3) : m_theme.cell);
            first = last;
        }
        for (size_t column = 0; column < cells.size(); ++column) {
            const bool mine = cells[column].written && cells[column].thread == m_what.thread;
            if (!mine && !m_read.contains(static_cast<uint32_t>(column)))
                continue;
            const double x = overviewX(static_cast<double>(column) + 0.5);
            m_p.fillRect(QRectF(x - m_c.u(1.5), box.top(), m_c.u(3), box.height()), colourOf(cells[column], !mine));
        }
        hitStrip(i, box);
    }

    void hitStrip(size_t i, const QRectF& box)
    {
        const double width = std::max(m_c.u(6), box.width() / static_cast<double>(m_sweep.columns));
        for (double x = box.left(); x < box.right() - 1; x += width) {
            const double share = (x + width / 2 - box.left()) / box.width();
            hitCell(i, std::min(m_sweep.columns - 1, static_cast<uint64_t>(share * double(m_sweep.columns))),
                    {x, box.top(), width, box.height()});
        }
    }

    [[nodiscard]] QRectF matrixRect(size_t i) const
    {
        const double height = std::min(m_pitch - type(22), m_overviewWidth / matrixAspect());
        return {m_overview.left(), top(i), height * matrixAspect(), height};
    }

    void paintMatrix(size_t i)
    {
        if (m_isWhole)
            return;
        const QRectF box = matrixRect(i);
        const std::vector<SweepCell>& cells = m_sweep.rows[m_folds[i].row].cells;
        QImage image(static_cast<int>(lineLength()), static_cast<int>(lines()), QImage::Format_ARGB32);
        image.fill(m_theme.stage);
        for (uint64_t column = 0; column < cells.size(); ++column)
            image.setPixelColor(static_cast<int>(column % lineLength()), static_cast<int>(column / lineLength()),
                                colourOf(cells[column], m_read.contains(static_cast<uint32_t>(column))));
        m_p.setRenderHint(QPainter::SmoothPixmapTransform, image.width() > box.width());
        m_p.drawImage(box, image);
        const uint64_t most = 24;
        const uint64_t stepX = (lineLength() + most - 1) / most;
        const uint64_t stepY = (lines() + most - 1) / most;
        const double wide = box.width() / static_cast<double>(lineLength());
        const double high = box.height() / static_cast<double>(lines());
        for (uint64_t y = 0; y < lines(); y += stepY)
            for (uint64_t x = 0; x < lineLength(); x += stepX)
                if (const uint64_t column = y * lineLength() + x; column < m_sweep.columns)
                    hitCell(i, column,
                            {box.left() + double(x) * wide, box.top() + double(y) * high, double(stepX) * wide,
                             double(stepY) * high});
    }

    /// The lens' part in the overview, and lines from there to the lens.
    void joinLens(size_t i)
    {
        const QRectF first = cellRect(i, m_firstLine * lineLength() + m_firstColumn);
        const double bottom = first.top() + static_cast<double>(m_lensLines) * m_cellHeight - m_c.u(3);
        QRectF part;
        if (isMatrix()) {
            const QRectF box = matrixRect(i);
            const double wide = box.width() / static_cast<double>(lineLength());
            const double high = box.height() / static_cast<double>(lines());
            part = {box.left() + double(m_firstColumn) * wide, box.top() + double(m_firstLine) * high,
                    double(m_columns) * wide, double(m_lensLines) * high};
        } else {
            const QRectF box = strip(i);
            part = {overviewX(double(m_firstColumn)), box.top(),
                    overviewX(double(m_firstColumn + m_columns)) - overviewX(double(m_firstColumn)), box.height()};
        }
        m_p.setBrush(Qt::NoBrush);
        m_p.setPen(QPen(m_theme.strong, m_c.u(1.4)));
        m_p.drawRect(part);
        if (!isMatrix())
            return;
        m_p.setPen(QPen(mixed(m_theme.dim, m_theme.stage, 0.4), 1));
        const double edge = m_lens.left() - type(45);
        m_p.drawLine(part.topRight(), QPointF(edge, first.top()));
        m_p.drawLine(part.bottomRight(), QPointF(edge, bottom));
    }

    void paintLineNumbers(size_t i)
    {
        const QFont font = m_c.mono(11);
        for (uint64_t line = 0; line < m_lensLines; ++line) {
            const double y = top(i) + static_cast<double>(line) * m_cellHeight;
            m_c.text({m_lens.left() - type(40), y, type(34), m_cellHeight - m_c.u(3)}, lineText(m_firstLine + line),
                     font, m_theme.dim, Qt::AlignRight | Qt::AlignVCenter);
        }
    }

    void paintCells(size_t i)
    {
        const std::vector<SweepCell>& cells = m_sweep.rows[m_folds[i].row].cells;
        for (uint64_t line = m_firstLine; line < m_firstLine + m_lensLines; ++line)
            for (uint64_t x = m_firstColumn; x < m_firstColumn + m_columns; ++x)
                if (const uint64_t column = line * lineLength() + x; column < cells.size())
                    paintCell(i, column, cells[column]);
    }

    void paintCell(size_t i, uint64_t column, const SweepCell& cell)
    {
        const QRectF box = cellRect(i, column);
        const bool mine = cell.written && cell.thread == m_what.thread;
        const bool isRead = m_read.contains(static_cast<uint32_t>(column));
        const QColor pen = mine ? m_theme.write : isRead ? m_theme.read : mixed(m_theme.write, m_theme.stage, 0.6);
        m_p.setPen(mine || isRead || cell.written ? QPen(pen, m_c.u(mine || isRead ? 2 : 1)) : QPen(Qt::NoPen));
        m_p.setBrush(cell.written ? mixed(m_theme.write, m_theme.stage, mine ? 0.4 : 0.2) : m_theme.cell);
        const double radius = std::min(m_c.u(4), box.height() * 0.16);
        m_p.drawRoundedRect(box, radius, radius);
        if (cell.known)
            m_c.text(box, shortValueText(m_what.buffer.element, cell.value.data(), kMostLetters), m_value,
                     cell.written ? m_theme.text : m_theme.cellText, Qt::AlignCenter);
        hitCell(i, column, box);
    }

    void hitCell(size_t i, uint64_t column, const QRectF& box)
    {
        const SweepRow& row = m_sweep.rows[m_folds[i].row];
        const SweepCell& cell = row.cells[column];
        replay::Focus focus = m_what.snapshot.focus;
        focus.buffer = m_what.buffer.id;
        focus.cell = elementOf(column);
        focus.step = row.step + 1;
        QString text = cellName(m_what.buffer, elementOf(column));
        if (cell.known) {
            focus.thread = positionOf(cell.thread, m_what.snapshot.launch().block);
            text += QStringLiteral(" = ") + valueText(m_what.buffer.element, cell.value.data());
        }
        if (cell.written)
            text += QObject::tr(" by thread %1").arg(threadText(m_what.snapshot, cell.thread));
        m_c.hit({box, text, focus, {}});
    }

    void paintArcs(size_t i)
    {
        const double from = top(i - 1) + m_cellHeight;
        std::unordered_set<uint64_t> drawn;
        const double bundle = m_c.u(7);
        m_p.setBrush(Qt::NoBrush);
        for (const bool focused : {false, true})
            forEachArc(m_folds[i].row, [&](const SweepArc& arc) {
                if ((arc.thread == m_what.thread) != focused)
                    return;
                const double a = overviewX(arc.from + 0.5);
                const double b = overviewX(arc.to + 0.5);
                const uint64_t key = static_cast<uint64_t>(a / bundle) << 32 | static_cast<uint64_t>(b / bundle);
                if (!m_isWhole && (focused || drawn.insert(key).second))
                    paintArc({a, from}, {b, top(i)}, focused, arc.from == arc.to);
                if (isInLens(arc.to) && isInLens(arc.from))
                    paintArc({cellRect(i - 1, arc.from).center().x(), from}, {cellRect(i, arc.to).center().x(), top(i)},
                             focused, arc.from == arc.to);
            });
        paintOrigins(i);
    }

    void paintArc(QPointF a, QPointF b, bool focused, bool straight)
    {
        const double bend = (b.y() - a.y()) * 0.15;
        const double middle = (a.y() + b.y()) / 2;
        QPainterPath path(a);
        path.cubicTo(QPointF(a.x(), middle + bend), QPointF(b.x(), middle - bend), b);
        const QColor colour = focused    ? m_theme.write
                              : straight ? mixed(m_theme.dim, m_theme.stage, 0.5)
                                         : mixed(m_theme.read, m_theme.stage, 0.7);
        m_p.setPen(QPen(colour, m_c.u(focused ? 2.2 : 1)));
        m_p.drawPath(path);
    }

    /// Above a cell of the lens: what was read that the lens does not show.
    void paintOrigins(size_t i)
    {
        std::map<uint32_t, std::vector<uint32_t>> outside;  // by what was written
        forEachArc(m_folds[i].row, [&](const SweepArc& arc) {
            if (isInLens(arc.to) && !isInLens(arc.from))
                outside[arc.to].push_back(arc.from);
        });
        const QFont font = m_c.mono(10.5);
        const double height = type(13);
        const double gap = m_pitch - m_cellHeight;
        if (gap < height)
            return;
        for (const auto& [to, froms] : outside) {
            const QRectF cell = cellRect(i, to);
            const bool mine = m_sweep.rows[m_folds[i].row].cells[to].thread == m_what.thread;
            QString text = QStringLiteral("[%1]").arg(elementOf(froms.front()));
            if (froms.size() > 1)
                text = QObject::tr("%1 reads").arg(froms.size());
            if (Canvas::widthOf(text, font) > m_cellWidth - m_c.u(1))
                text = froms.size() > 1 ? QString::number(froms.size()) : QString::number(elementOf(froms.front()));
            const QRectF at(cell.left() - m_c.u(1.5), cell.top() - height - m_c.u(1), m_cellWidth, height);
            const double width = Canvas::widthOf(text, font);
            m_p.fillRect(QRectF(at.center().x() - width / 2 - 1, at.top(), width + 2, height), m_theme.stage);
            if (width <= m_cellWidth)
                m_c.text(at, text, font, mine ? m_theme.write : m_theme.read, Qt::AlignCenter);
        }
    }

    void paintRest()
    {
        const double line = type(16);
        QStringList words;
        if (isMatrix())
            words << QObject::tr("orange: the focused thread wrote it; blue: it reads it before its next write");
        else if (!m_isWhole)
            words << QObject::tr("[n] above a value: read from element n, which the lens does not show");
        size_t visible = 0;
        for (size_t i = 0; i < m_folds.size(); ++i)
            visible += shows(i) ? 1 : 0;
        if (visible < m_folds.size()) {
            m_c.leaveOut();
            words << QObject::tr("scroll for %1 more rows").arg(m_folds.size() - visible);
        }
        m_c.text({m_area.left(), m_area.bottom() - line + m_c.u(6), m_area.width(), line},
                 words.join(QStringLiteral("  ·  ")), m_c.sans(12), m_theme.dim, Qt::AlignRight | Qt::AlignVCenter);
    }

    Canvas& m_c;
    QPainter& m_p;
    const Theme& m_theme;
    const LargeSweep& m_what;
    const analysis::Sweep& m_sweep;
    QRectF m_area;
    std::vector<SweepFold> m_folds;       ///< a row each
    std::vector<size_t> m_arcsOf;         ///< [row of the sweep] first of its arcs
    std::unordered_set<uint32_t> m_read;  ///< of the row that is painted: see noteFocused()
    QRectF m_rows;
    QRectF m_overview;
    QRectF m_lens;
    QFont m_value;
    double m_pitch = 1;
    double m_scroll = 0;
    double m_overviewWidth = 0;
    double m_cellWidth = 1;
    double m_cellHeight = 1;
    bool m_isWhole = false;      ///< the lens shows all: no overview
    uint64_t m_columns = 1;      ///< of the lens
    uint64_t m_lensLines = 1;    ///< of a matrix, in the lens
    uint64_t m_firstColumn = 0;  ///< in a line
    uint64_t m_firstLine = 0;
    uint64_t m_centre = 0;
};

}  // namespace

void paintLargeSweep(Canvas& canvas, const LargeSweep& what, const QRectF& area)
{
    LargeSweepPainter(canvas, what, area).paint();
}

}  // namespace lanescope::gui
