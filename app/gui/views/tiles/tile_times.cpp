// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/views/tiles/tile_times.h"

#include <algorithm>
#include <cmath>

#include "app/gui/engine/value_format.h"

namespace lanescope::gui {

using analysis::BlockWork;
using analysis::TileWrite;

void TileTimes::paint(const QRectF& area)
{
    m_c.text({area.left(), area.top(), area.width(), m_s.line()},
             QObject::tr("when, by place on the GPU; hatched: idle"), m_c.sans(13, true), m_theme.text);
    m_label = m_c.u(44) * m_theme.typeScale;
    constexpr double kBusyShare = 0.2;
    const double axis = 1.2 * m_s.line();
    const double busy = std::clamp(area.height() * kBusyShare, 2 * m_s.line(), m_c.u(120));
    const double busyTitle = 1.6 * m_s.line();
    m_plot = area.adjusted(m_label, 1.4 * m_s.line(), -m_c.u(6), -busy - busyTitle - axis);
    constexpr double kLeast = 1.2;
    const auto room = std::max<size_t>(1, static_cast<size_t>(m_plot.height() / m_c.u(kLeast)));
    m_every = (m_map.places + room - 1) / room;
    m_rows = (m_map.places + m_every - 1) / m_every;
    for (const BlockWork& block : m_map.blocks)
        if (m_s.isFocused(block.block))
            m_focused = block.slot;
    m_height = std::min(m_plot.height() / double(m_rows), m_c.u(56) * m_theme.typeScale);
    paintRows();
    const double bottom = m_plot.top() + m_height * double(m_rows);
    paintAxis(bottom);
    const QRectF rest(area.left(), bottom + axis, area.width(), area.bottom() - bottom - axis);
    m_c.text({rest.left(), rest.top(), rest.width(), busyTitle}, QObject::tr("places that work"), m_c.sans(13, true),
             m_theme.text);
    paintBusy({m_plot.left(), rest.top() + busyTitle, m_plot.width(),
               std::min(m_c.u(120), rest.height() - busyTitle - m_c.u(4))});
}

QString TileTimes::leftOut() const
{
    return m_every == 1 ? QString() : QObject::tr("a row stands for %1 places  ·  ").arg(m_every);
}

/// Of those that a row stands for the first, or the focused block's.
size_t TileTimes::slotOf(size_t row) const
{
    return m_focused / m_every == row ? m_focused : row * m_every;
}

void TileTimes::paintRows()
{
    std::vector<uint64_t> done(m_map.places);
    for (const BlockWork& block : m_map.blocks) {
        done[block.slot] = std::max(done[block.slot], block.start + block.steps);
        if (slotOf(block.slot / m_every) == block.slot)
            paintWork(block);
    }
    for (size_t row = 0; row < m_rows; ++row)
        paintIdle(slotOf(row), done[slotOf(row)]);
    for (const uint64_t slot : TileScene::ticks(m_map.places, m_height * double(m_rows), m_s.line()))
        if (slot < m_map.places)
            m_c.text({m_plot.left() - m_label, yOf(slot) + std::min(0.0, m_height - m_s.line()) / 2, m_label - m_c.u(8),
                      std::max(m_height, m_s.line())},
                     QString::number(slot), m_c.mono(11), m_theme.dim, Qt::AlignRight | Qt::AlignVCenter);
}

double TileTimes::yOf(size_t slot) const
{
    const size_t row = slot / m_every;
    return m_plot.top() + double(row) * m_height;
}

double TileTimes::xOf(uint64_t time) const
{
    return m_plot.left() + m_plot.width() * double(time) / double(std::max<uint64_t>(1, m_map.length));
}

QRectF TileTimes::barOf(size_t slot, uint64_t from, uint64_t to) const
{
    const double margin = m_height > m_c.u(9) ? m_c.u(2) : std::min(0.5, m_height * 0.15);
    return {xOf(from), yOf(slot) + margin, xOf(to) - xOf(from), m_height - 2 * margin};
}

/// A tile takes from the end of the one before to its last write.
void TileTimes::paintWork(const BlockWork& block)
{
    const QColor colour = m_s.colourOf(block.block);
    const QRectF whole = barOf(block.slot, block.start, block.start + block.steps);
    m_p.setPen(Qt::NoPen);
    m_p.setBrush(mixed(colour, m_theme.stage, 0.22));
    m_p.drawRect(whole);
    StepIndex from = 0;
    for (const uint32_t index : block.tiles) {
        const TileWrite& tile = m_map.tiles[index];
        const QRectF bar = barOf(block.slot, block.start + from, block.start + tile.last + 1);
        m_p.setPen(Qt::NoPen);
        m_p.setBrush(mixed(colour, m_theme.stage, tile.order % 2 == 0 ? 0.6 : 0.42));
        m_p.drawRect(bar);
        m_p.fillRect(barOf(block.slot, block.start + tile.first, block.start + tile.last + 1), m_theme.write);
        paintName(bar, tile, from == 0);
        m_s.hit(bar, tile);
        from = tile.last + 1;
    }
    if (m_s.isFocused(block.block)) {
        m_p.setPen(QPen(m_theme.strong, m_c.u(1.6)));
        m_p.setBrush(Qt::NoBrush);
        m_p.drawRect(whole);
        const double now = xOf(block.start + m_s.snapshot.focus.step);
        m_p.drawLine(QPointF(now, whole.top() - m_c.u(2)), QPointF(now, whole.bottom() + m_c.u(2)));
    }
}

void TileTimes::paintName(const QRectF& bar, const TileWrite& tile, bool isFirst)
{
    if (bar.height() < 0.75 * m_s.line())
        return;
    const QFont font = m_c.sans(bar.height() > 1.6 * m_s.line() ? 13 : 11.5);
    QStringList names = m_s.namesOf(tile);
    if (!isFirst)
        names = {QObject::tr("tile %1").arg(tile.order + 1), QString::number(tile.order + 1)};
    for (const QString& words : names)
        if (Canvas::widthOf(words, font) <= bar.width() - m_c.u(8))
            return m_c.text(bar.adjusted(m_c.u(5), 0, 0, 0), words, font, m_theme.text);
}

void TileTimes::paintIdle(size_t slot, uint64_t from)
{
    if (from >= m_map.length)
        return;
    const QRectF bar = barOf(slot, from, m_map.length);
    m_p.fillRect(bar, QBrush(m_theme.hatch, Qt::BDiagPattern));
    m_c.hit({bar,
             QObject::tr("idle for %1 of %2 steps").arg(countText(m_map.length - from), countText(m_map.length)),
             {},
             {}});
}

void TileTimes::paintAxis(double y)
{
    const QFont font = m_c.mono(11);
    const QString unit = QObject::tr("steps");
    const double end = m_plot.right() - Canvas::widthOf(unit, m_c.sans(11)) - m_c.u(8);
    m_p.setPen(QPen(m_theme.border, m_c.u(1)));
    m_p.drawLine(QPointF(m_plot.left(), y), QPointF(m_plot.right(), y));
    const double widest = Canvas::widthOf(countText(m_map.length), font);
    for (const uint64_t at : TileScene::ticks(m_map.length, m_plot.width(), widest + m_c.u(34))) {
        const double x = xOf(at);
        m_p.setPen(QPen(m_theme.dim, m_c.u(1)));
        m_p.drawLine(QPointF(x, y), QPointF(x, y + m_c.u(4)));
        const double left = std::max(m_plot.left(), x - widest / 2 - m_c.u(2));
        if (left + widest + m_c.u(4) < end)
            m_c.text({left, y + m_c.u(4), widest + m_c.u(4), m_s.line()}, countText(at), font, m_theme.dim,
                     at == 0 ? Qt::AlignLeft | Qt::AlignVCenter : Qt::AlignCenter);
    }
    m_c.text({end, y + m_c.u(4), m_plot.right() - end, m_s.line()}, unit, m_c.sans(11), m_theme.dim,
             Qt::AlignRight | Qt::AlignVCenter);
}

/// As many as are not done: places have no pauses between their blocks.
void TileTimes::paintBusy(const QRectF& area)
{
    if (area.height() < m_s.line())
        return;
    std::vector<uint64_t> ends(m_map.places);
    for (const BlockWork& block : m_map.blocks)
        ends[block.slot] = std::max(ends[block.slot], block.start + block.steps);
    std::ranges::sort(ends);
    const auto yFor = [&](size_t busy) {
        return area.bottom() - area.height() * double(busy) / double(std::max<size_t>(1, ends.size()));
    };
    QPolygonF outline{QPointF(area.left(), area.bottom()), QPointF(area.left(), area.top())};
    for (size_t i = 0; i < ends.size(); ++i)
        outline << QPointF(xOf(ends[i]), yFor(ends.size() - i)) << QPointF(xOf(ends[i]), yFor(ends.size() - i - 1));
    m_p.setPen(Qt::NoPen);
    m_p.setBrush(mixed(m_theme.accent, m_theme.stage, 0.45));
    m_p.drawPolygon(outline);
    m_p.setPen(QPen(m_theme.border, m_c.u(1)));
    m_p.drawLine(area.bottomLeft(), area.bottomRight());
    m_c.text({area.left() - m_label, area.top(), m_label - m_c.u(8), m_s.line()}, QString::number(ends.size()),
             m_c.mono(11), m_theme.dim, Qt::AlignRight | Qt::AlignVCenter);
    if (area.height() > 2 * m_s.line())
        m_c.text({area.left() - m_label, area.bottom() - m_s.line(), m_label - m_c.u(8), m_s.line()},
                 QStringLiteral("0"), m_c.mono(11), m_theme.dim, Qt::AlignRight | Qt::AlignVCenter);
}

}  // namespace lanescope::gui
