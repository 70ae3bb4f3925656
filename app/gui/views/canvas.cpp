// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/views/canvas.h"

#include <algorithm>

#include <QObject>

#include "app/gui/theme/text_line.h"

namespace lanescope::gui {

namespace {
constexpr double kSmallestUnit = 0.85;
constexpr double kLargestUnit = 3.2;
}  // namespace

Canvas::Canvas(QPainter& painter, const Theme& theme, QSizeF size, QString title, std::vector<Hit>* hits,
               double magnification)
    : m_painter(painter), m_theme(theme), m_size(size), m_title(std::move(title)),
      m_unit(std::clamp(std::min(size.width() / 1200, size.height() / 700), kSmallestUnit, kLargestUnit) *
             magnification),
      m_hits(hits)
{
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setRenderHint(QPainter::TextAntialiasing);
}

QFont Canvas::sans(double pixels, bool bold) const
{
    return m_theme.sans(pixels * m_unit, bold);
}

QFont Canvas::mono(double pixels, bool bold) const
{
    return m_theme.mono(pixels * m_unit, bold);
}

QRectF Canvas::begin(const QString& subtitle)
{
    m_painter.fillRect(QRectF(QPointF(0, 0), m_size), m_theme.stage);
    const double margin = u(22);
    const double line = u(26) * m_theme.typeScale;
    const QFont bold = sans(19, true);
    const double width = widthOf(m_title, bold) + u(14);
    const QRectF row(margin, u(12), m_size.width() - 2 * margin, line);
    text(row, m_title, bold, m_theme.text);
    const double taken = m_chip.isEmpty() ? 0 : paintChip(row) + u(12);
    text(row.adjusted(width, u(2), -taken, u(2)), subtitle, sans(13.5), m_theme.dim);
    return {margin, row.bottom() + u(12), row.width(), m_size.height() - row.bottom() - u(24)};
}

/// Returns its width.
double Canvas::paintChip(const QRectF& row)
{
    const QFont font = sans(12.5, true);
    const QString label = takesClicks() ? m_chip + QStringLiteral("  ×") : m_chip;
    const double width = widthOf(label, font) + u(22);
    const QRectF area(row.right() - width, row.top(), width, row.height());
    m_painter.setPen(QPen(m_theme.accent, u(1.2)));
    m_painter.setBrush(mixed(m_theme.accent, m_theme.stage, 0.2));
    m_painter.drawRoundedRect(area, area.height() / 2, area.height() / 2);
    text(area, label, font, m_theme.text, Qt::AlignCenter);
    Hit all{area, QObject::tr("only these warps are counted; a click takes all again"), {}, {}};
    all.steps.emplace();
    hit(std::move(all));
    return width;
}

void Canvas::text(const QRectF& area, const QString& text, const QFont& font, const QColor& colour,
                  Qt::Alignment alignment)
{
    m_painter.setFont(font);
    m_painter.setPen(colour);
    const QString shown = elided(font, text, area.width() + 1);
    m_isCut = m_isCut || shown != text;
    m_bottom = std::max(m_bottom, area.bottom());
    drawTextLine(m_painter, area, alignment, shown);
}

double Canvas::widthOf(const QString& text, const QFont& font)
{
    return textWidth(font, text);
}

QStringList Canvas::wrapped(const QString& text, const QFont& font, double width, int mostLines)
{
    QStringList lines{QString()};
    for (const QString& word : text.split(u' ')) {
        const QString longer = lines.last().isEmpty() ? word : lines.last() + u' ' + word;
        const bool fits = lines.last().isEmpty() || lines.size() == mostLines || widthOf(longer, font) <= width;
        if (fits)
            lines.last() = longer;
        else
            lines << word;
    }
    return lines;
}

void Canvas::empty(const QString& message)
{
    text({u(40), m_size.height() / 2 - u(20), m_size.width() - u(80), u(40)}, message, sans(15), m_theme.dim,
         Qt::AlignCenter);
}

void Canvas::bar(const QRectF& area, double share, const QColor& colour)
{
    m_painter.setPen(Qt::NoPen);
    m_painter.setBrush(mixed(m_theme.border, m_theme.stage, 0.5));
    const double radius = area.height() / 2;
    m_painter.drawRoundedRect(area, radius, radius);
    if (share <= 0)
        return;
    m_painter.setBrush(colour);
    m_painter.drawRoundedRect(
        QRectF(area.topLeft(), QSizeF(std::max(area.height(), area.width() * std::min(share, 1.0)), area.height())),
        radius, radius);
}

double Canvas::pill(QPointF leftTop, const QString& label, bool on, const ViewSettings& settings)
{
    const QFont font = sans(12.5, on);
    const QRectF area(leftTop, QSizeF(widthOf(label, font) + u(22), u(24) * m_theme.typeScale));
    m_painter.setPen(QPen(on ? m_theme.accent : m_theme.border, u(1.2)));
    m_painter.setBrush(on ? mixed(m_theme.accent, m_theme.stage, 0.2) : m_theme.stage);
    m_painter.drawRoundedRect(area, area.height() / 2, area.height() / 2);
    text(area, label, font, on ? m_theme.text : m_theme.dim, Qt::AlignCenter);
    hit({area, label, {}, settings});
    return area.right();
}

double Canvas::slider(QPointF leftTop, size_t chosen, const std::vector<ViewSettings>& choices,
                      const std::function<QString(size_t)>& text)
{
    const double notch = u(11) * m_theme.typeScale;
    const double height = u(24) * m_theme.typeScale;
    const double y = leftTop.y() + height / 2;
    const auto at = [&](size_t choice) { return leftTop.x() + notch * (static_cast<double>(choice) + 0.5); };
    const double thick = u(3);
    m_painter.setPen(QPen(m_theme.border, thick, Qt::SolidLine, Qt::RoundCap));
    m_painter.drawLine(QPointF(at(0), y), QPointF(at(choices.size() - 1), y));
    m_painter.setPen(QPen(m_theme.accent, thick, Qt::SolidLine, Qt::RoundCap));
    m_painter.drawLine(QPointF(at(0), y), QPointF(at(chosen), y));
    m_painter.setPen(Qt::NoPen);
    m_painter.setBrush(m_theme.accent);
    m_painter.drawEllipse(QPointF(at(chosen), y), u(7), u(7));
    for (size_t choice = 0; choice < choices.size(); ++choice) {
        Hit place{{at(choice) - notch / 2, leftTop.y(), notch, height}, text(choice), {}, choices[choice]};
        place.slides = true;
        hit(place);
    }
    return at(choices.size());
}

void Canvas::hit(Hit hit)
{
    if (m_hits != nullptr)
        m_hits->push_back(std::move(hit));
}

}  // namespace lanescope::gui
