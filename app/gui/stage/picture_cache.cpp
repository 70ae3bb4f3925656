// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/stage/picture_cache.h"

#include <QImage>
#include <QPaintEngine>

#include <algorithm>
#include <deque>

namespace lanescope::gui {

namespace {

struct Entry {
    PictureKey key;
    QRect area;
    QImage picture;
};

constexpr qsizetype kMostBytes = qsizetype{16} << 20;  // the panels of a large window, before a step and after it

class PictureCache {
public:
    [[nodiscard]] const QImage* find(const PictureKey& key, const QRect& area, double ratio)
    {
        const auto hit = std::find_if(m_entries.begin(), m_entries.end(), [&](const Entry& entry) {
            return entry.area == area && entry.picture.devicePixelRatio() == ratio && entry.key == key;
        });
        if (hit == m_entries.end())
            return nullptr;
        std::rotate(hit, hit + 1, m_entries.end());
        return &m_entries.back().picture;
    }

    void put(Entry entry)
    {
        std::erase_if(m_entries, [](const Entry& old) { return old.key.isOfThePast(); });
        m_entries.push_back(std::move(entry));
        qsizetype bytes = 0;
        for (const Entry& one : m_entries)
            bytes += one.picture.sizeInBytes();
        for (; bytes > kMostBytes && m_entries.size() > 1; m_entries.pop_front())
            bytes -= m_entries.front().picture.sizeInBytes();
    }

private:
    std::deque<Entry> m_entries;  ///< what was not shown for longest first
};

}  // namespace

bool isScreen(const QPainter& painter)
{
    return painter.paintEngine() != nullptr && painter.paintEngine()->type() == QPaintEngine::Raster &&
           painter.deviceTransform().type() <= QTransform::TxScale;
}

void paintCached(QPainter& painter, const QRectF& area, const PictureKey& key, const QColor& background,
                 const std::function<void(QPainter&)>& draw)
{
    if (!isScreen(painter))
        return draw(painter);
    static PictureCache cache;
    const QRect place = area.toAlignedRect();
    const double ratio = painter.deviceTransform().m11();
    const QImage* known = cache.find(key, place, ratio);
    QImage picture;
    if (known == nullptr) {
        picture = QImage((QSizeF(place.size()) * ratio).toSize(), QImage::Format_RGB32);
        if (picture.isNull())
            return;
        picture.setDevicePixelRatio(ratio);
        picture.fill(background);
        QPainter into(&picture);
        into.setRenderHints(painter.renderHints());
        into.translate(-place.topLeft());
        draw(into);
        into.end();
        cache.put({key, place, picture});
    }
    painter.drawImage(QPointF(place.topLeft()), known != nullptr ? *known : picture);
}

}  // namespace lanescope::gui
