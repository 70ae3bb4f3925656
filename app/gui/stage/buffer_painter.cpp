// SPDX-License-Identifier: GPL-3.0-or-later
// A buffer as a matrix: values where they fit, a heat image where they do not, hatching where nothing was
// ever written. Work is bounded by the visible cells, or by the pixels of the image.
#include <algorithm>
#include <cmath>

#include "app/gui/engine/value_format.h"
#include "app/gui/stage/overlay_tint.h"
#include "app/gui/stage/stamp.h"

namespace lanescope::gui {

namespace {

constexpr double kSmallestCell = 5;  // pixels; smaller cells become an image
constexpr double kSmallestType = 7.2;
constexpr double kTightCell = 26;     // pixels; narrower cells keep less room beside their value
constexpr int kFewestLetters = 4;     // to which values are cut before they give way to a tint
constexpr double kArrival = 0.8;      // of an arrow's way, when a written value appears
constexpr double kMonoAdvance = 0.6;  // of JetBrains Mono, in em

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

/// Heat images of contents that did not change since they were drawn; GUI thread only.
class ImageCache {
public:
    struct Key {
        std::shared_ptr<const BufferState> state;  // keeps the address from being used again
        const Theme* theme;
        QRectF body;
        QRectF shown;
        QSize pixels;
        friend bool operator==(const Key&, const Key&) = default;
    };

    static ImageCache& instance()
    {
        static ImageCache cache;
        return cache;
    }

    [[nodiscard]] const QImage* find(const Key& key) const
    {
        const auto hit =
            std::find_if(m_entries.begin(), m_entries.end(), [&](const auto& e) { return e.first == key; });
        return hit == m_entries.end() ? nullptr : &hit->second;
    }

    void put(const Key& key, const QImage& image)
    {
        constexpr size_t kMost = 12;  // a few buffers in two window sizes
        if (m_entries.size() >= kMost)
            m_entries.erase(m_entries.begin());
        m_entries.emplace_back(key, image);
    }

private:
    std::vector<std::pair<Key, QImage>> m_entries;
};

class BufferPainter {
public:
    BufferPainter(QPainter& painter, const StageDrawing& drawing, size_t panel)
        : m_painter(painter), m_d(drawing), m_panel(drawing.layout.panels[panel]), m_index(panel),
          m_buffer(drawing.scene.snapshot->buffers[m_panel.spec.buffer]), m_tint(drawing, m_buffer),
          m_body(drawing.view.map(m_panel.body)),
          m_pitch(m_panel.pitchX * drawing.view.scale, m_panel.pitchY * drawing.view.scale)
    {
        const QRectF clip(QPointF(0, 0), drawing.size);
        m_rows = visible(m_body.top(), m_pitch.height(), clip.top(), clip.bottom(), m_panel.spec.rows);
        m_columns = visible(m_body.left(), m_pitch.width(), clip.left(), clip.right(), m_panel.spec.columns);
    }

    void paint()
    {
        if (m_rows.first >= m_rows.last || m_columns.first >= m_columns.last)
            return;
        const bool image = std::min(m_pitch.width(), m_pitch.height()) < kSmallestCell;
        m_type = typeSize();
        if (image || (m_type < kSmallestType && m_panel.image))
            paintImage();
        else
            paintCells();
        paintMarks(image);
    }

private:
    [[nodiscard]] QRectF rect(Cell cell) const { return m_d.view.map(m_panel.cellRect(cell)); }

    /// Pixels of type at which this buffer's widest value fits its cells.
    [[nodiscard]] double typeSize() const
    {
        const QSizeF cell = m_d.view.map(m_panel.cellRect({0, 0})).size();
        const double side = cell.width() < kTightCell ? 1.5 : 4;
        const double whole = (cell.width() - side) / (kMonoAdvance * std::min(m_buffer.textColumns, 6));
        const double cut = std::min(kSmallestType, (cell.width() - 2) / (kMonoAdvance * kFewestLetters));
        const double high = std::max(cell.height() * 0.46, std::min(cell.height() * 0.66, kSmallestType + 1));
        return std::min({high, std::max(whole, cut), 24 * m_d.theme.typeScale});
    }

    void paintCells()
    {
        m_painter.setFont(m_d.theme.mono(m_type / m_d.theme.typeScale));
        const QSizeF cell = rect({0, 0}).size();
        const double side = cell.width() < kTightCell ? 1 : 2;
        m_letters = std::max(1, static_cast<int>((cell.width() - side) / (kMonoAdvance * m_type)));
        m_ascent = QFontMetricsF(m_painter.font()).capHeight();
        for (int64_t row = m_rows.first; row < m_rows.last; ++row)
            for (int64_t column = m_columns.first; column < m_columns.last; ++column)
                paintCell({row, column}, {restingFill({row, column}), {}, 0, m_d.theme.cellText, false});
    }

    /// A tint by value where the value itself has no room.
    QColor restingFill(Cell cell)
    {
        const uint64_t element = m_buffer.shape.elementOf(cell);
        if (m_tint.colours()) {
            const CellTint tint = m_tint.tint(element);
            return tint.count > 0 ? tint.colours[0] : m_d.theme.cell;
        }
        if (m_type >= kSmallestType || !m_buffer.hasValue(element))
            return m_d.theme.cell;
        return mixed(QColor(heat(shareOf(element))), m_d.theme.cell, 0.7);
    }

    /// Where the value lies between the buffer's smallest and largest, 0 … 1.
    [[nodiscard]] double shareOf(uint64_t element) const
    {
        const double low = m_buffer.state->low;
        const double span = m_buffer.state->high > low ? m_buffer.state->high - low : 1;
        const double share = (numberOf(m_buffer.buffer.element, m_buffer.at(element)) - low) / span;
        return std::isfinite(share) ? std::clamp(share, 0.0, 1.0) : 1.0;
    }

    void paintCell(Cell cell, const CellLook& look)
    {
        const uint64_t element = m_buffer.shape.elementOf(cell);
        if (element >= m_buffer.shape.elements)
            return;
        const QRectF box = rect(cell);
        const bool known = m_buffer.hasValue(element);
        m_painter.setPen(look.width > 0 ? QPen(look.outline, look.width) : QPen(Qt::NoPen));
        m_painter.setBrush(known || look.width > 0 || m_tint.colours() ? look.fill
                                                                       : mixed(look.fill, m_d.theme.stage, 0.4));
        const double radius = std::min(3.0, box.height() * 0.12);
        paintBox(m_painter, box, radius);
        if (m_tint.colours() && look.width == 0)
            paintStrips(box, m_tint.tint(element));
        if (!known)
            hatch(box);
        else if (m_type >= kSmallestType)
            paintValue(box, m_buffer, element, look);
    }

    /// A written cell while the value is still on its way: as it was before.
    void paintUnwritten(Cell cell, const CellMark& mark)
    {
        const uint64_t element = m_buffer.shape.elementOf(cell);
        const auto at = m_d.before->indexOf(m_buffer.buffer.id);
        const QRectF box = rect(cell);
        m_painter.setPen(mark.focused ? QPen(m_d.theme.strong, 2.6) : QPen(Qt::NoPen));
        m_painter.setBrush(m_d.theme.cell);
        const double radius = std::min(3.0, box.height() * 0.12);
        m_painter.drawRoundedRect(box, radius, radius);
        if (!at || !m_d.before->buffers[*at].hasValue(element))
            return hatch(box);
        if (m_type >= kSmallestType)
            paintValue(box, m_d.before->buffers[*at], element, {{}, {}, 0, m_d.theme.cellText, false});
    }

    /// The second overlay's colour and those after it, as bars along the lower edge.
    void paintStrips(const QRectF& box, const CellTint& tint)
    {
        const double high = std::max(2.0, box.height() * 0.2);
        m_painter.setPen(Qt::NoPen);
        for (size_t i = 1; i < tint.count; ++i) {
            m_painter.setBrush(tint.colours[i]);
            m_painter.drawRect(QRectF(box.left(), box.bottom() - high * static_cast<double>(i), box.width(), high));
        }
    }

    void paintValue(const QRectF& box, const BufferView& from, uint64_t element, const CellLook& look)
    {
        const QString text = shortValueText(from.buffer.element, from.at(element), m_letters);
        const double width = kMonoAdvance * m_painter.font().pixelSize() * static_cast<double>(text.size());
        m_painter.setPen(look.text);
        m_painter.drawText(QPointF(box.center().x() - width / 2, box.center().y() + m_ascent / 2), text);
    }

    void hatch(const QRectF& box)
    {
        paintHatch(m_painter, box, m_d.theme.hatch, std::clamp(box.height() / 4, 4.0, 9.0));
    }

    void paintImage()
    {
        const QRectF shown = m_body.intersected(QRectF(QPointF(0, 0), m_d.size));
        const double ratio = m_painter.device() != nullptr ? m_painter.device()->devicePixelRatioF() : 1.0;
        const int width = std::clamp(static_cast<int>(std::ceil(shown.width() * ratio)), 1, 4096);
        const int height = std::clamp(static_cast<int>(std::ceil(shown.height() * ratio)), 1, 4096);
        const ImageCache::Key key{m_buffer.state, &m_d.theme, m_body, shown, {width, height}};
        if (const QImage* known = ImageCache::instance().find(key); known != nullptr && !m_tint.colours())
            return m_painter.drawImage(shown, *known);
        QImage image(width, height, QImage::Format_RGB32);
        std::vector<uint64_t> columns(static_cast<size_t>(width));
        for (int x = 0; x < width; ++x)
            columns[static_cast<size_t>(x)] = std::min<uint64_t>(
                m_panel.spec.columns - 1,
                static_cast<uint64_t>((shown.left() - m_body.left() + (x + 0.5) / ratio) / m_pitch.width()));
        for (int y = 0; y < height; ++y) {
            const auto row = std::min<uint64_t>(
                m_panel.spec.rows - 1,
                static_cast<uint64_t>((shown.top() - m_body.top() + (y + 0.5) / ratio) / m_pitch.height()));
            paintImageRow(reinterpret_cast<QRgb*>(image.scanLine(y)), row, columns, y);
        }
        if (!m_tint.colours())
            ImageCache::instance().put(key, image);
        m_painter.drawImage(shown, image);
    }

    void paintImageRow(QRgb* line, uint64_t row, const std::vector<uint64_t>& columns, int y)
    {
        const QRgb blank = mixed(m_d.theme.cell, m_d.theme.stage, 0.5).rgb();
        const QRgb lines = m_d.theme.hatch.rgb();
        for (size_t x = 0; x < columns.size(); ++x) {
            const uint64_t element =
                m_buffer.shape.elementOf({static_cast<int64_t>(row), static_cast<int64_t>(columns[x])});
            if (m_tint.colours()) {
                const bool known = m_buffer.hasValue(element);
                line[x] = m_tint.fill(element, known ? QColor(heat(shareOf(element))) : QColor(blank)).rgb();
                continue;
            }
            if (!m_buffer.hasValue(element)) {
                line[x] = (static_cast<int>(x) + y) % 7 == 0 ? lines : blank;
                continue;
            }
            line[x] = heat(shareOf(element));
        }
    }

    QRgb heat(double share)
    {
        if (m_heat.empty())
            for (int i = 0; i < 256; ++i)
                m_heat.push_back(mixed(m_d.theme.heatHigh, m_d.theme.heatLow, i / 255.0).rgb());
        return m_heat[static_cast<size_t>(share * 255)];
    }

    void paintMarks(bool image)
    {
        const auto& marks = m_d.scene.marks[m_index];
        if (!image)
            m_painter.setFont(m_d.theme.mono(m_type / m_d.theme.typeScale, true));
        for (const CellMark& mark : marks) {
            const QColor colour = colourOf(m_d.theme, mark.kind);
            const bool writes = mark.kind != MarkKind::Read;
            const double progress = m_d.progressOf(mark.kind);
            if (writes && progress < kArrival && !image) {
                paintUnwritten(mark.cell, mark);
                continue;
            }
            const double flash = writes ? 2.5 * (1 - progress) : 0;
            const CellLook look{mixed(colour, m_d.theme.cell, (writes ? 0.34 : 0.10) + flash),
                                mark.focused ? m_d.theme.strong : mixed(colour, m_d.theme.cell, writes ? 0.75 : 0.9),
                                mark.focused ? 2.6 : 1.5, m_d.theme.text, true};
            if (image)
                paintSmallMark(mark, colour);
            else
                paintCell(mark.cell, look);
        }
        paintSelection();
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
        if (focus.buffer == m_buffer.buffer.id) {
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
    QSizeF m_pitch;
    Range m_rows;
    Range m_columns;
    double m_type = 0;
    double m_ascent = 0;
    int m_letters = 4;
    std::vector<QRgb> m_heat;
};

}  // namespace

void paintBuffer(QPainter& painter, const StageDrawing& drawing, size_t panel)
{
    painter.save();
    BufferPainter(painter, drawing, panel).paint();
    painter.restore();
}

}  // namespace lanescope::gui
