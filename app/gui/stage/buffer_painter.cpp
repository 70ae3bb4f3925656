// SPDX-License-Identifier: GPL-3.0-or-later
// A buffer as a matrix: values where they fit, a heat image where they do not, hatching where nothing was
// ever written. Work is bounded by the visible cells, or by the pixels of the image.
#include <algorithm>
#include <cmath>

#include "app/gui/engine/value_format.h"
#include "app/gui/stage/cell_text.h"
#include "app/gui/stage/heat_image.h"
#include "app/gui/stage/picture_cache.h"
#include "app/gui/stage/stamp.h"
#include "app/gui/theme/text_line.h"

namespace lanescope::gui {

namespace {

constexpr double kSmallestCell = 5;  // pixels; smaller cells become an image
constexpr double kTightCell = 26;    // pixels; narrower cells keep less room beside their value
constexpr double kArrival = 0.8;     // of an arrow's way, when a written value appears

struct Range {
    int64_t first = 0;
    int64_t last = 0;  // one past
};

Range visible(double origin, double pitch, double low, double high, uint64_t count)
{
    const auto first = static_cast<int64_t>(std::floor((low - origin) / pitch));
    const auto last = static_cast<int64_t>(std::ceil((high - origin) / pitch));
    const auto most = static_cast<int64_t>(count);
    return {std::clamp<int64_t>(first, 0, most), std::clamp<int64_t>(last, 0, most)};
}

/// What of \p range a panel shows: rounded coordinates may reach a cell further.
Range within(const Range& range, int64_t first, uint64_t shown)
{
    return {std::max(range.first, first), std::min(range.last, first + static_cast<int64_t>(shown))};
}

class BufferPainter {
public:
    BufferPainter(QPainter& painter, const StageDrawing& drawing, size_t panel)
        : m_painter(painter), m_d(drawing), m_panel(drawing.layout.panels[panel]), m_index(panel),
          m_buffer(drawing.scene.snapshot->buffers[m_panel.spec.buffer]), m_tint(drawing, m_buffer),
          m_body(drawing.view.map(m_panel.body)),
          m_pitch(m_panel.pitchX * drawing.view.scale, m_panel.pitchY * drawing.view.scale)
    {
        const QRectF clip = QRectF(QPointF(0, 0), drawing.size).intersected(m_body);
        m_origin = m_body.topLeft() - QPointF(static_cast<double>(m_panel.first.column) * m_pitch.width(),
                                              static_cast<double>(m_panel.first.row) * m_pitch.height());
        if (m_panel.perLine != 0 || m_panel.sliceGap > 0) {  // few cells, not in even distances
            m_rows = within({0, static_cast<int64_t>(m_panel.spec.rows)}, m_panel.first.row, m_panel.rows);
            m_columns = within({0, static_cast<int64_t>(m_panel.spec.columns)}, m_panel.first.column, m_panel.columns);
            return;
        }
        m_rows = within(visible(m_origin.y(), m_pitch.height(), clip.top(), clip.bottom(), m_panel.spec.rows),
                        m_panel.first.row, m_panel.rows);
        m_columns = within(visible(m_origin.x(), m_pitch.width(), clip.left(), clip.right(), m_panel.spec.columns),
                           m_panel.first.column, m_panel.columns);
    }

    void paint()
    {
        if (m_rows.first >= m_rows.last || m_columns.first >= m_columns.last)
            return;
        const bool image = std::min(m_pitch.width(), m_pitch.height()) < kSmallestCell;
        m_type = typeSize();
        const bool heat = image || (m_type < kSmallestCellType && m_panel.image);
        constexpr double kEdge = 1;
        const QRectF area = heat ? shownBody() : shownBody().adjusted(-kEdge, -kEdge, kEdge, kEdge);
        // Most steps leave most buffers as they were.
        paintCached(m_painter, area, key(), m_d.theme.stage,
                    [&](QPainter& painter) { heat ? paintImage(painter) : paintCells(painter); });
        prepareType(m_painter);
        paintMarks(image);
    }

private:
    [[nodiscard]] QRectF rect(Cell cell) const { return m_d.view.map(m_panel.cellRect(cell)); }

    /// Pixels of type at which this buffer's widest value fits its cells.
    [[nodiscard]] double typeSize() const
    {
        const QSizeF cell = m_d.view.map(m_panel.cellRect({0, 0})).size();
        const double side = cell.width() < kTightCell ? 1.5 : 4;
        const double whole = (cell.width() - side) / (kMonoAdvance * std::max(1, m_panel.spec.letters));
        const double cut = std::min(kSmallestCellType, (cell.width() - 2) / (kMonoAdvance * kFewestCellLetters));
        const double high = std::max(cell.height() * 0.46, std::min(cell.height() * 0.66, kSmallestCellType + 1));
        return std::min({high, std::max(whole, cut), 24 * m_d.theme.typeScale});
    }

    [[nodiscard]] QRectF shownBody() const { return m_body.intersected(QRectF(QPointF(0, 0), m_d.size)); }

    [[nodiscard]] PictureKey key() const
    {
        const bool uses = m_tint.colours();
        const BufferShape& shape = m_buffer.shape;
        return {{m_buffer.state, uses ? m_d.scene.snapshot->gridUse : nullptr,
                 uses ? m_d.scene.snapshot->blockUse : nullptr},
                &m_d.theme,
                m_body,
                {m_buffer.buffer.id.value, static_cast<uint64_t>(m_panel.spec.letters), m_tint.signature(), shape.rows,
                 shape.columns, shape.columnMajor ? 1U : 0U, static_cast<uint64_t>(m_panel.first.row),
                 static_cast<uint64_t>(m_panel.first.column), shape.sliceColumns,
                 static_cast<uint64_t>(m_panel.pitchX * 1000), m_panel.perLine}};
    }

    void prepareType(QPainter& painter)
    {
        painter.setFont(m_d.theme.mono(m_type / m_d.theme.typeScale));
        const QSizeF cell = rect({0, 0}).size();
        const double side = cell.width() < kTightCell ? 1 : 2;
        m_letters = std::max(1, static_cast<int>((cell.width() - side) / (kMonoAdvance * m_type)));
        m_ascent = QFontMetricsF(painter.font()).capHeight();
    }

    void paintCells(QPainter& painter)
    {
        prepareType(painter);
        for (int64_t row = m_rows.first; row < m_rows.last; ++row)
            for (int64_t column = m_columns.first; column < m_columns.last; ++column)
                paintCell(
                    painter, {row, column},
                    {restingFill({row, column}), {}, 0, m_tint.colours() ? m_d.theme.text : m_d.theme.cellText, false});
    }

    /// A tint by value where the value itself has no room.
    QColor restingFill(Cell cell)
    {
        const uint64_t element = m_buffer.shape.elementOf(cell);
        if (m_tint.colours()) {
            const CellTint tint = m_tint.tint(element);
            return tint.count > 0 ? QColor(tint.colours[0]) : m_d.theme.cell;
        }
        if (m_type >= kSmallestCellType || !m_buffer.hasValue(element))
            return m_d.theme.cell;
        return mixed(heatColourOf(m_d.theme, shareOf(m_buffer, element)), m_d.theme.cell, 0.7);
    }

    void paintCell(QPainter& painter, Cell cell, const CellLook& look)
    {
        const uint64_t element = m_buffer.shape.elementOf(cell);
        if (element >= m_buffer.shape.elements)
            return;
        const QRectF box = rect(cell);
        const bool known = m_buffer.hasValue(element);
        painter.setPen(look.width > 0 ? QPen(look.outline, look.width) : QPen(Qt::NoPen));
        painter.setBrush(known || look.width > 0 || m_tint.colours() ? look.fill
                                                                     : mixed(look.fill, m_d.theme.stage, 0.4));
        const double radius = std::min(3.0, box.height() * 0.12);
        paintBox(painter, box, radius);
        if (m_tint.colours())
            paintStrips(painter, box, m_tint.tint(element));
        const QRectF below = m_tint.colours() ? paintNumber(painter, box, element, look) : box;
        if (!known)
            hatch(painter, box);
        else if (m_type >= kSmallestCellType)
            paintValue(painter, below, m_buffer, element, look);
    }

    /// A written cell while the value is still on its way: as it was before.
    void paintUnwritten(QPainter& painter, Cell cell, const CellMark& mark)
    {
        const uint64_t element = m_buffer.shape.elementOf(cell);
        const auto at = m_d.before->indexOf(m_buffer.buffer.id);
        const QRectF box = rect(cell);
        painter.setPen(mark.focused ? QPen(m_d.theme.strong, 2.6) : QPen(Qt::NoPen));
        painter.setBrush(m_d.theme.cell);
        const double radius = std::min(3.0, box.height() * 0.12);
        painter.drawRoundedRect(box, radius, radius);
        if (!at || !m_d.before->buffers[*at].hasValue(element))
            return hatch(painter, box);
        if (m_type >= kSmallestCellType)
            paintValue(painter, box, m_d.before->buffers[*at], element, {{}, {}, 0, m_d.theme.cellText, false});
    }

    /// The second overlay's colour and those after it, as bars along the lower edge.
    void paintStrips(QPainter& painter, const QRectF& box, const CellTint& tint)
    {
        constexpr double kAll = 0.36;  // of the height, so that the value above can be read
        const double high = std::clamp(box.height() * kAll / static_cast<double>(std::max<size_t>(1, tint.count - 1)),
                                       2.0, std::max(2.0, box.height() * 0.2));
        painter.setPen(Qt::NoPen);
        for (size_t i = 1; i < tint.count; ++i) {
            painter.setBrush(QColor(tint.colours[i]));
            painter.drawRect(QRectF(box.left(), box.bottom() - high * static_cast<double>(i), box.width(), high));
        }
    }

    /// The overlay's number in the upper right corner, where there is room; returns what it leaves to the value.
    QRectF paintNumber(QPainter& painter, const QRectF& box, uint64_t element, const CellLook& look)
    {
        constexpr double kPixels = 8;
        const double scale = m_d.theme.typeScale;
        const double high = kPixels * scale;
        if (m_type < kSmallestCellType || box.height() < high + m_ascent + 5 * scale)
            return box;
        const QString text = m_tint.number(element);
        const QFont value = painter.font();
        const QFont small = m_d.theme.mono(kPixels);
        if (text.isEmpty() || textWidth(small, text) > box.width() - 2)
            return box;
        painter.setFont(small);
        painter.setPen(look.text);
        drawTextLine(painter, {box.left(), box.top() + 1, box.width() - 2, high}, Qt::AlignRight | Qt::AlignVCenter,
                     text);
        painter.setFont(value);
        return box.adjusted(0, high - 1, 0, 0);
    }

    void paintValue(QPainter& painter, const QRectF& box, const BufferView& from, uint64_t element,
                    const CellLook& look)
    {
        const QString text = shortValueText(from.buffer.element, from.at(element), m_letters);
        painter.setPen(look.text);
        drawNumber(painter, {box.center().x(), box.center().y() + m_ascent / 2}, text);
    }

    void hatch(QPainter& painter, const QRectF& box)
    {
        paintHatch(painter, box, m_d.theme.hatch, std::clamp(box.height() / 4, 4.0, 9.0));
    }

    /// For each of \p count pixels from \p first: which of \p cells is under its middle.
    static std::vector<uint32_t> cellsUnder(double first, int count, double step, double origin, double pitch,
                                            uint64_t cells)
    {
        std::vector<uint32_t> under(static_cast<size_t>(count));
        for (int i = 0; i < count; ++i) {
            const double cell = std::floor((first + (i + 0.5) * step - origin) / pitch);
            under[static_cast<size_t>(i)] =
                static_cast<uint32_t>(std::clamp(cell, 0.0, static_cast<double>(cells - 1)));
        }
        return under;
    }

    void paintImage(QPainter& painter)
    {
        constexpr int kMostPixels = 8192;
        const QRectF shown = shownBody();
        const double ratio = isScreen(painter) ? painter.deviceTransform().m11() : 1.0;
        const int width = std::clamp(static_cast<int>(std::ceil(shown.width() * ratio)), 1, kMostPixels);
        const int height = std::clamp(static_cast<int>(std::ceil(shown.height() * ratio)), 1, kMostPixels);
        const CellRaster raster{
            cellsUnder(shown.top(), height, 1 / ratio, m_origin.y(), m_pitch.height(), m_panel.spec.rows),
            cellsUnder(shown.left(), width, 1 / ratio, m_origin.x(), m_pitch.width(), m_panel.spec.columns)};
        painter.drawImage(shown, heatImage(m_buffer, m_tint, m_d.theme, raster));
    }

    void paintMarks(bool image)
    {
        const auto& marks = m_d.scene.marks[m_index];
        if (!image)
            m_painter.setFont(m_d.theme.mono(m_type / m_d.theme.typeScale, true));
        for (const CellMark& mark : marks) {
            if (!m_panel.shows(mark.cell))
                continue;
            const QColor colour = colourOf(m_d.theme, mark.kind);
            const bool writes = mark.kind != MarkKind::Read;
            const double progress = m_d.progressOf(mark.kind);
            if (writes && progress < kArrival && !image) {
                paintUnwritten(m_painter, mark.cell, mark);
                continue;
            }
            const double flash = writes ? 2.5 * (1 - progress) : 0;
            const CellLook look{accessedFill(mark, (writes ? 0.34 : 0.10) + flash),
                                mark.focused ? m_d.theme.strong : mixed(colour, m_d.theme.cell, writes ? 0.75 : 0.9),
                                mark.focused ? 2.6 : 1.5, m_d.theme.text, true};
            if (image)
                paintSmallMark(mark, colour);
            else
                paintCell(m_painter, mark.cell, look);
        }
        paintSelection();
    }

    /// An overlay keeps its colour: the outline says what was accessed.
    QColor accessedFill(const CellMark& mark, double share)
    {
        const bool tinted = m_tint.colours() && m_tint.tint(m_buffer.shape.elementOf(mark.cell)).count > 0;
        return tinted ? restingFill(mark.cell) : mixed(colourOf(m_d.theme, mark.kind), m_d.theme.cell, share);
    }

    void paintSmallMark(const CellMark& mark, const QColor& colour)
    {
        QRectF box = rect(mark.cell);
        const double least = mark.focused ? 6 : 2.5;
        box.adjust(-std::max(0.0, least - box.width()) / 2, -std::max(0.0, least - box.height()) / 2,
                   std::max(0.0, least - box.width()) / 2, std::max(0.0, least - box.height()) / 2);
        m_painter.setPen(mark.focused ? QPen(m_d.theme.strong, 1.6) : QPen(Qt::NoPen));
        m_painter.setBrush(colour);
        m_painter.drawRect(box);
    }

    /// The cell that the user chose, and the one under the pointer.
    void paintSelection()
    {
        const replay::Focus& focus = m_d.scene.snapshot->focus;
        m_painter.setBrush(Qt::NoBrush);
        if (focus.buffer == m_buffer.buffer.id && m_panel.shows(m_buffer.shape.cellOf(focus.cell))) {
            m_painter.setPen(QPen(m_d.theme.accent, 2, Qt::DashLine));
            m_painter.drawRect(rect(m_buffer.shape.cellOf(focus.cell)).adjusted(-2, -2, 2, 2));
        }
        if (m_d.hover.panel == m_index) {
            m_painter.setPen(QPen(m_d.theme.dim, 1.2));
            m_painter.drawRect(rect(m_d.hover.cell).adjusted(-1, -1, 1, 1));
        }
    }

    QPainter& m_painter;
    const StageDrawing& m_d;
    const Panel& m_panel;
    size_t m_index;
    const BufferView& m_buffer;
    OverlayTint m_tint;
    QRectF m_body;
    QPointF m_origin;  ///< of cell (0, 0)
    QSizeF m_pitch;
    Range m_rows;
    Range m_columns;
    double m_type = 0;
    double m_ascent = 0;
    int m_letters = 4;
};

}  // namespace

void paintBuffer(QPainter& painter, const StageDrawing& drawing, size_t panel)
{
    painter.save();
    BufferPainter(painter, drawing, panel).paint();
    painter.restore();
}

}  // namespace lanescope::gui
