// SPDX-License-Identifier: GPL-3.0-or-later
// The plot of a roofline by Qt Charts, in a scene of its own that is painted wherever a picture is: grid, lines and
// points on logarithmic axes. What is written at them is the view's.
#pragma once

#include <QGraphicsScene>
#include <QPen>
#include <QtCharts/QChart>

#include "app/gui/theme/theme.h"

class QXYSeries;

namespace lanescope::gui {

class RooflineChart {
public:
    /// \p plot: where the axes lie. From \p low to \p high, both powers of ten.
    RooflineChart(const Theme& theme, const QRectF& plot, QPointF low, QPointF high);
    ~RooflineChart();
    Q_DISABLE_COPY_MOVE(RooflineChart)

    void addLine(QPointF from, QPointF to, const QPen& pen);
    void addPoint(QPointF where, double radius, const QColor& fill, const QPen& outline);
    /// Where a value lies in the picture.
    [[nodiscard]] QPointF at(QPointF value) const;
    void paint(QPainter& painter);

private:
    void add(QXYSeries* series);

    QRectF m_plot;
    QPointF m_low;
    QPointF m_high;
    QGraphicsScene m_scene;
    QChart m_chart;
};

}  // namespace lanescope::gui
