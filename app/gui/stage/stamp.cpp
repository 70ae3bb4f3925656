// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/stage/stamp.h"

#include <QHash>
#include <QImage>

#include <algorithm>
#include <cmath>

#include "app/gui/stage/picture_cache.h"

namespace lanescope::gui {

namespace {

constexpr double kLargestSide = 96;      // pixels; few larger ones fit a screen
constexpr qsizetype kMostStamps = 4096;  // a few megabytes
constexpr int kPlaces = 4;               // stamps per pixel, each way

/// Everything that a stamp's look depends on; lengths in quarters of a pixel of the screen.
struct StampKey {
    int width = 0;
    int height = 0;
    int left = 0;  ///< 0 … kPlaces - 1: where in its pixel the box starts
    int top = 0;
    int shape = 0;  ///< radius of a box, in eighths; minus the step of a hatch
    QRgb fill = 0;
    QRgb outline = 0;
    int line = 0;   ///< width, in eighths; 0 = none
    int ratio = 0;  ///< pixels of the screen per pixel, in 64ths
    Qt::PenStyle style = Qt::SolidLine;
    friend bool operator==(const StampKey&, const StampKey&) = default;
};

size_t qHash(const StampKey& key, size_t seed)
{
    return qHashMulti(seed, key.width, key.height, key.left, key.top, key.shape, key.fill, key.outline, key.line,
                      key.ratio, int(key.style));
}

/// \p draw(painter, box, ratio) draws the shape with the pen and brush that are set, its lengths times ratio.
template <typename Draw>
void paintStamp(QPainter& painter, const QRectF& box, StampKey key, const Draw& draw)
{
    static QHash<StampKey, QImage> stamps;
    const double ratio = painter.deviceTransform().m11();
    const QPointF device = painter.deviceTransform().map(box.topLeft());
    const auto x = static_cast<int>(std::floor(device.x() * kPlaces + 0.5));
    const auto y = static_cast<int>(std::floor(device.y() * kPlaces + 0.5));
    key.left = x & (kPlaces - 1);
    key.top = y & (kPlaces - 1);
    key.width = qRound(box.width() * ratio * kPlaces);
    key.height = qRound(box.height() * ratio * kPlaces);
    key.shape = qRound(key.shape * ratio);
    key.line = qRound(key.line * ratio);
    key.ratio = qRound(ratio * 64);
    const int margin = key.line / 16 + 2;
    auto known = stamps.constFind(key);
    if (known == stamps.constEnd()) {
        if (stamps.size() >= kMostStamps)
            stamps.clear();
        const QRectF place(margin + double(key.left) / kPlaces, margin + double(key.top) / kPlaces,
                           double(key.width) / kPlaces, double(key.height) / kPlaces);
        QImage stamp(qCeil(place.right()) + margin, qCeil(place.bottom()) + margin,
                     QImage::Format_ARGB32_Premultiplied);
        stamp.fill(Qt::transparent);
        QPainter into(&stamp);
        into.setRenderHint(QPainter::Antialiasing);
        QPen pen = painter.pen();
        pen.setWidthF(pen.widthF() * ratio);
        into.setPen(pen);
        into.setBrush(painter.brush());
        draw(into, place, ratio);
        into.end();
        stamp.setDevicePixelRatio(ratio);
        known = stamps.insert(key, stamp);
    }
    const QPointF origin(painter.deviceTransform().dx(), painter.deviceTransform().dy());
    painter.drawImage((QPointF(x >> 2, y >> 2) - QPointF(margin, margin) - origin) / ratio, *known);
    static_assert(kPlaces == 1 << 2);
}

bool takesStamps(const QPainter& painter)
{
    const QTransform device = painter.deviceTransform();
    return isScreen(painter) && device.m11() > 0 && qFuzzyCompare(device.m11(), device.m22());
}

int eighths(double length)
{
    return qRound(length * 8);
}

}  // namespace

void paintBox(QPainter& painter, const QRectF& box, double radius)
{
    const QPen& pen = painter.pen();
    const QBrush& brush = painter.brush();
    const auto draw = [radius](QPainter& p, const QRectF& place, double ratio) {
        p.drawRoundedRect(place, radius * ratio, radius * ratio);
    };
    const bool plain = brush.style() == Qt::SolidPattern || brush.style() == Qt::NoBrush;
    if (!plain || std::max(box.width(), box.height()) > kLargestSide || !takesStamps(painter))
        return draw(painter, box, 1);
    StampKey key;
    key.shape = eighths(radius);
    key.fill = brush.style() == Qt::NoBrush ? 0 : brush.color().rgba();
    key.style = pen.style();
    key.line = pen.style() == Qt::NoPen ? 0 : std::max(1, eighths(pen.widthF()));
    key.outline = key.line == 0 ? 0 : pen.color().rgba();
    paintStamp(painter, box, key, draw);
}

void paintHatch(QPainter& painter, const QRectF& box, const QColor& colour, double step)
{
    painter.setPen(QPen(colour, 1));
    const auto draw = [step](QPainter& p, const QRectF& place, double ratio) {
        for (double at = step * ratio; at < place.width() + place.height(); at += step * ratio) {
            const double overX = std::max(0.0, at - place.width());
            const double overY = std::max(0.0, at - place.height());
            p.drawLine(QPointF(place.left() + at - overX, place.top() + overX),
                       QPointF(place.left() + overY, place.top() + at - overY));
        }
    };
    if (std::max(box.width(), box.height()) > kLargestSide || !takesStamps(painter))
        return draw(painter, box, 1);
    StampKey key;
    key.shape = -eighths(step);
    key.outline = colour.rgba();
    key.line = 8;
    paintStamp(painter, box, key, draw);
}

}  // namespace lanescope::gui
