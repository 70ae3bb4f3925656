// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/tour/tour_caption.h"

#include <QFontMetricsF>

namespace lanescope::gui {

namespace {

constexpr double kMargin = 20;
constexpr double kTitle = 19;
constexpr double kText = 17;
constexpr int kFlags = Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap;

struct CaptionLayout {
    QRectF title;
    QRectF text;
    double height = 0;

    CaptionLayout(const tour::Stop& stop, const Theme& theme, double width)
    {
        const double margin = kMargin * theme.typeScale;
        const QRectF column(margin, margin * 0.6, width - 2 * margin, 1e6);
        title =
            QFontMetricsF(theme.sans(kTitle, true)).boundingRect(column, kFlags, QString::fromStdString(stop.title));
        const QRectF below = column.translated(0, title.height() + margin * 0.25);
        text = QFontMetricsF(theme.sans(kText)).boundingRect(below, kFlags, QString::fromStdString(stop.caption));
        title.setWidth(column.width());
        text.setWidth(column.width());
        height = text.bottom() + margin * 0.6;
    }
};

}  // namespace

double tourCaptionHeight(const tour::Stop& stop, const Theme& theme, double width)
{
    return CaptionLayout(stop, theme, width).height;
}

void paintTourCaption(QPainter& painter, const tour::Stop& stop, const QString& position, const Theme& theme,
                      const QRectF& area)
{
    const CaptionLayout layout(stop, theme, area.width());
    painter.save();
    painter.fillRect(area, theme.raised);
    painter.fillRect(QRectF(area.topLeft(), QSizeF(5 * theme.typeScale, area.height())), theme.accent);
    painter.translate(area.topLeft());
    painter.setPen(theme.text);
    painter.setFont(theme.sans(kTitle, true));
    painter.drawText(layout.title, kFlags, QString::fromStdString(stop.title));
    painter.setFont(theme.sans(kText));
    painter.drawText(layout.text, kFlags, QString::fromStdString(stop.caption));
    painter.setPen(theme.dim);
    painter.drawText(layout.title, Qt::AlignRight | Qt::AlignTop, position);
    painter.restore();
}

}  // namespace lanescope::gui
