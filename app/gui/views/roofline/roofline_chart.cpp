// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/views/roofline/roofline_chart.h"

#include <QtCharts/QLegend>
#include <QtCharts/QLineSeries>
#include <QtCharts/QLogValueAxis>
#include <QtCharts/QScatterSeries>

#include <QGraphicsLayout>

#include <cmath>

namespace lanescope::gui {

RooflineChart::RooflineChart(const Theme& theme, const QRectF& plot, QPointF low, QPointF high)
    : m_low(low), m_high(high)
{
    m_scene.addItem(&m_chart);
    m_chart.legend()->hide();
    m_chart.setBackgroundVisible(false);
    const auto addAxis = [&](Qt::Alignment side, double from, double to) {
        auto* axis = new QLogValueAxis(&m_chart);
        axis->setRange(from, to);
        axis->setLabelsVisible(false);
        axis->setGridLinePen(QPen(mixed(theme.border, theme.stage, 0.6), 1));
        axis->setLinePen(QPen(theme.border, 1));
        m_chart.addAxis(axis, side);
    };
    addAxis(Qt::AlignBottom, low.x(), high.x());
    addAxis(Qt::AlignLeft, low.y(), high.y());
    m_chart.setMargins({});
    m_chart.layout()->setContentsMargins(0, 0, 0, 0);
    m_chart.setGeometry(plot);
    m_chart.layout()->activate();  // what a shown chart leaves to the event loop
    m_plot = m_chart.plotArea().translated(plot.topLeft());
}

RooflineChart::~RooflineChart()
{
    m_scene.removeItem(&m_chart);
}

void RooflineChart::add(QXYSeries* series)
{
    m_chart.addSeries(series);
    for (QAbstractAxis* axis : m_chart.axes())
        series->attachAxis(axis);
}

void RooflineChart::addLine(QPointF from, QPointF to, const QPen& pen)
{
    auto* line = new QLineSeries(&m_chart);
    line->append(from);
    line->append(to);
    add(line);
    line->setPen(pen);
}

void RooflineChart::addPoint(QPointF where, double radius, const QColor& fill, const QPen& outline)
{
    auto* point = new QScatterSeries(&m_chart);
    point->append(where);
    point->setMarkerSize(2 * radius);
    add(point);
    point->setBrush(fill);
    point->setPen(outline);
}

QPointF RooflineChart::at(QPointF value) const
{
    const auto share = [](double at, double low, double high) { return std::log(at / low) / std::log(high / low); };
    return {m_plot.left() + m_plot.width() * share(value.x(), m_low.x(), m_high.x()),
            m_plot.bottom() - m_plot.height() * share(value.y(), m_low.y(), m_high.y())};
}

void RooflineChart::paint(QPainter& painter)
{
    const QRectF all = m_chart.geometry();
    m_scene.render(&painter, all, all, Qt::IgnoreAspectRatio);
}

}  // namespace lanescope::gui
