// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/views/findings/finding_picture.h"

#include <QFontMetricsF>
#include <QObject>

#include <algorithm>

#include "app/gui/engine/buffer_shape.h"
#include "app/gui/engine/value_format.h"

namespace lanescope::gui {

namespace {

constexpr int kMostNeighbours = 2;  // cells on each side
constexpr size_t kMostSides = 2;

int64_t floorDiv(int64_t a, int64_t b)
{
    return a / b - (a % b < 0 ? 1 : 0);
}

/// Points from \p from to \p to, its head at \p to.
void paintArrow(Canvas& canvas, QPointF from, QPointF to, const QColor& colour)
{
    QPainter& painter = canvas.painter();
    painter.setPen(QPen(colour, canvas.u(1.8)));
    painter.drawLine(from, to);
    const double reach = canvas.u(5);
    const QLineF back = QLineF(to, from).unitVector();
    const QPointF along(back.dx() * reach, back.dy() * reach);
    const QPointF across(-along.y() * 0.6, along.x() * 0.6);
    painter.setBrush(colour);
    painter.setPen(Qt::NoPen);
    painter.drawPolygon(QPolygonF({to, to + along + across, to + along - across}));
}

}  // namespace

FindingPicture::FindingPicture(const trace::Catalog& catalog, const trace::Finding& finding) : m_finding(finding)
{
    if (finding.cell.empty() || finding.kernel.empty() || finding.accesses.empty() ||
        finding.severity == Severity::Advice || finding.launch.value >= catalog.launches.size())
        return;
    m_launch = &catalog.launches[finding.launch.value];
    m_buffer = bufferOf(catalog, finding);
    if (m_buffer && m_buffer->dims.empty())
        m_buffer = nullptr;
}

FindingPicture::Place FindingPicture::place() const
{
    const auto columns = static_cast<int64_t>(std::max<uint64_t>(1, m_buffer->dims.back()));
    if (m_buffer->dims.size() < 2)
        return {0, m_finding.cell.back()};
    if (m_finding.cell.size() == 1)  // flat
        return {floorDiv(m_finding.cell[0], columns),
                m_finding.cell[0] - floorDiv(m_finding.cell[0], columns) * columns};
    int64_t row = 0;
    for (size_t i = 0; i + 1 < m_finding.cell.size(); ++i)
        row = row * (i == 0 ? 1 : static_cast<int64_t>(m_buffer->dims[std::min(i, m_buffer->dims.size() - 1)])) +
              m_finding.cell[i];
    return {row, m_finding.cell.back()};
}

bool FindingPicture::isInside(Place place) const
{
    int64_t rows = 1;
    for (size_t i = 0; i + 1 < m_buffer->dims.size(); ++i)
        rows *= static_cast<int64_t>(m_buffer->dims[i]);
    return place.row >= 0 && place.row < rows && place.column >= 0 &&
           place.column < static_cast<int64_t>(m_buffer->dims.back());
}

QString FindingPicture::rowName(Place place) const
{
    QString indices;
    int64_t row = place.row;
    for (size_t i = m_buffer->dims.size() - 1; i-- > 0;) {
        const auto extent = static_cast<int64_t>(std::max<uint64_t>(1, m_buffer->dims[i]));
        indices.prepend(QStringLiteral("[%1]").arg(i == 0 ? row : row % extent));
        row /= extent;
    }
    return QString::fromStdString(m_buffer->name) + indices;
}

QString FindingPicture::threadName(const trace::FindingAccess& access) const
{
    const QString thread = positionText(access.thread, m_launch->block);
    const bool differs = std::ranges::any_of(
        m_finding.accesses, [&](const trace::FindingAccess& other) { return other.block != access.block; });
    return differs ? QObject::tr("%1 of %2").arg(thread, positionText(access.block, m_launch->grid)) : thread;
}

void FindingPicture::paintCell(Canvas& canvas, const QRectF& cell, Place place, bool isTheOne,
                               const QColor& colour) const
{
    QPainter& painter = canvas.painter();
    const Theme& theme = canvas.theme();
    const bool inside = isInside(place);
    if (!inside && !isTheOne)
        return;
    QColor fill = isTheOne ? colour : theme.raised;
    fill.setAlphaF(isTheOne ? 0.28F : 1.0F);
    painter.setPen(
        QPen(isTheOne ? colour : theme.border, canvas.u(isTheOne ? 1.8 : 1), inside ? Qt::SolidLine : Qt::DashLine));
    painter.setBrush(fill);
    painter.drawRoundedRect(cell, canvas.u(2), canvas.u(2));
    canvas.text(cell, QString::number(place.column), canvas.mono(11.5, isTheOne), isTheOne ? theme.text : theme.dim,
                Qt::AlignCenter);
}

void FindingPicture::paintSide(Canvas& canvas, const QRectF& chip, QPointF cell,
                               const trace::FindingAccess& access) const
{
    QPainter& painter = canvas.painter();
    const Theme& theme = canvas.theme();
    const bool reads = access.access == "read";
    const QColor colour = reads ? theme.read : theme.dark ? theme.write : theme.warning;
    painter.setPen(QPen(colour, canvas.u(1.2)));
    painter.setBrush(theme.raised);
    painter.drawRoundedRect(chip, canvas.u(3), canvas.u(3));
    canvas.text(chip, threadName(access), canvas.mono(11.5), theme.text, Qt::AlignCenter);
    const QPointF thread(chip.center().x(), chip.top());
    paintArrow(canvas, reads ? cell : thread, reads ? thread : cell, colour);
}

void FindingPicture::paint(Canvas& canvas, const QRectF& area, const QColor& colour) const
{
    const Place at = place();
    const double line = canvas.u(19) * canvas.theme().typeScale;
    canvas.text({area.left(), area.top(), area.width(), line}, rowName(at), canvas.mono(11.5), canvas.theme().dim,
                Qt::AlignCenter);
    // Fewer cells rather than cut indices.
    const double widest = 1.2 * QFontMetricsF(canvas.mono(11.5, true)).horizontalAdvance(QString::number(at.column));
    int neighbours = kMostNeighbours;
    while (neighbours > 0 && area.width() / (2 * neighbours + 1) < widest)
        --neighbours;
    const double side = area.width() / (2 * neighbours + 1);
    const QRectF row(area.left(), area.top() + line, area.width(), line * 1.25);
    for (int i = -neighbours; i <= neighbours; ++i)
        paintCell(canvas,
                  QRectF(row.left() + (i + neighbours) * side, row.top(), side, row.height())
                      .adjusted(canvas.u(1.5), 0, -canvas.u(1.5), 0),
                  {at.row, at.column + i}, i == 0, colour);
    // One thread that does both is one chip.
    const std::vector<trace::FindingAccess>& all = m_finding.accesses;
    const size_t sides = std::min(all.size(), kMostSides);
    const double width = area.width() / static_cast<double>(sides);
    const double top = area.bottom() - line;
    for (size_t i = 0; i < sides; ++i) {
        const double inset = std::max(canvas.u(6), (width - canvas.u(110)) / 2);
        const QRectF chip = QRectF(area.left() + double(i) * width, top, width, line).adjusted(inset, 0, -inset, 0);
        const double offset = (double(i) - double(sides - 1) / 2) * side * 0.4;
        paintSide(canvas, chip, {row.center().x() + offset, row.bottom() + canvas.u(2)}, all[i]);
    }
}

}  // namespace lanescope::gui
