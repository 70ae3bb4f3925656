// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/views/tiles/tiles_view.h"

#include <QImage>

#include <algorithm>
#include <set>

#include "app/gui/engine/value_format.h"
#include "app/gui/stage/heat_image.h"
#include "app/gui/views/tiles/tile_times.h"

namespace lanescope::gui {

namespace {

using analysis::BlockWork;
using analysis::TileMap;
using analysis::TileWrite;

struct TilesData final : ViewData {
    std::shared_ptr<const TileMap> map;
};

class TilesPainter {
public:
    TilesPainter(TileScene& scene, std::shared_ptr<const TileMap> map)
        : m_s(scene), m_c(scene.canvas), m_p(scene.canvas.painter()), m_theme(scene.canvas.theme()),
          m_shared(std::move(map)), m_map(*m_shared)
    {
    }

    void paint()
    {
        const QRectF area = m_c.begin(subtitle());
        const double line = m_s.line();
        m_c.text({area.left(), area.top(), area.width(), 1.2 * line}, verdict(), m_c.sans(14.5), m_theme.text);
        const QRectF body = area.adjusted(0, 1.9 * line, 0, -1.6 * line);
        TileTimes times(m_s);
        if (m_map.rows == 1) {
            // A long array is a strip over all the width, time below it.
            const double height = std::min(body.height() * 0.3, m_c.u(130));
            paintMatrix({body.left(), body.top(), body.width(), height});
            times.paint(body.adjusted(0, height + m_c.u(14), 0, 0));
        } else {
            // As wide as the matrix asks for, within limits.
            const double aspect = double(m_map.cols) / double(m_map.rows);
            const double wanted = (body.height() - 4 * line) * std::clamp(aspect, 0.25, 4.0) + rowRuler();
            const double left = std::clamp(wanted, body.width() * 0.22, body.width() * 0.48);
            paintMatrix({body.left(), body.top(), left, body.height()});
            times.paint({body.left() + left + m_c.u(26), body.top(), body.width() - left - m_c.u(26), body.height()});
        }
        paintFoot({area.left(), area.bottom() - line, area.width(), line}, times.leftOut());
    }

private:
    [[nodiscard]] QString bufferName() const
    {
        return QString::fromStdString(m_s.snapshot.catalog->buffers[m_map.buffer->value].name);
    }

    [[nodiscard]] QString subtitle() const
    {
        const QString shape = m_map.rows == 1
                                  ? QObject::tr("%1 elements").arg(countText(m_map.cols))
                                  : QObject::tr("%1 × %2").arg(countText(m_map.rows), countText(m_map.cols));
        return QObject::tr("%1, %2  ·  %3 tiles by %4 blocks")
            .arg(bufferName(), shape, countText(m_map.tiles.size()), countText(m_map.blocks.size()));
    }

    /// How the work is spread, in a sentence: waves where there are more blocks than places, else who is last.
    [[nodiscard]] QString verdict() const
    {
        const auto places = std::max<uint64_t>(1, m_map.places);
        const double idle = m_map.length == 0 ? 0 : 100 * double(m_map.idle) / double(m_map.length) / double(places);
        const QString idleText = QObject::tr("%1 % of the time idle").arg(idle, 0, 'f', idle < 10 ? 1 : 0);
        if (m_map.blocks.size() > places) {
            const uint64_t waves = (m_map.blocks.size() + places - 1) / places;
            const uint64_t last = m_map.blocks.size() - (waves - 1) * places;
            return QObject::tr("%1 blocks on %2 places: %3 waves, the last one fills %4 of %2 places; %5.")
                .arg(countText(m_map.blocks.size()), countText(places), countText(waves), countText(last), idleText);
        }
        const auto end = [](const BlockWork& block) { return block.start + block.steps; };
        const auto [first, last] = std::ranges::minmax_element(m_map.blocks, {}, end);
        if (end(*first) == end(*last))
            return m_map.blocks.size() == 1
                       ? QObject::tr("One block does it all.")
                       : QObject::tr("%1 blocks, each on a place of its own, done at the same time: nobody is idle.")
                             .arg(m_map.blocks.size());
        return QObject::tr("Block %1 is done last, after %2 steps; block %3 was done after %4; %5.")
            .arg(m_s.blockName(last->block), countText(end(*last)), m_s.blockName(first->block), countText(end(*first)),
                 idleText);
    }

    [[nodiscard]] double rowRuler() const
    {
        return m_map.rows == 1 ? 0 : Canvas::widthOf(countText(m_map.rows), m_c.mono(11)) + m_c.u(10);
    }

    void paintMatrix(const QRectF& area)
    {
        const double line = m_s.line();
        m_c.text({area.left(), area.top(), area.width(), line}, QObject::tr("who wrote what last"), m_c.sans(13, true),
                 m_theme.text);
        const double legend = m_s.isByOrder() ? 1.5 * line : 0;
        const QRectF room = area.adjusted(rowRuler(), 2.4 * line, 0, -legend);
        QRectF matrix = room;
        if (m_map.rows > 1) {
            const double square = std::min(room.width() / double(m_map.cols), room.height() / double(m_map.rows));
            matrix.setWidth(std::max(square * double(m_map.cols), std::min(room.width(), m_c.u(40))));
            matrix.setHeight(std::max(square * double(m_map.rows), std::min(room.height(), m_c.u(40))));
        }
        paintPicture(matrix);
        paintRulers(matrix);
        const bool areMany = m_map.tiles.size() > kMostApart;
        if (areMany)
            hitAll(matrix);
        for (uint32_t i = 0; i < m_map.tiles.size(); ++i)
            if (m_map.tiles[i].cells > 0 && (m_s.isFocused(m_map.tiles[i].block) || (!areMany && isSeen(i))))
                paintTile(matrix, m_map.tiles[i]);
        if (legend > 0)
            paintLegend({area.left() + rowRuler(), matrix.bottom() + 0.5 * line, matrix.width(), line});
    }

    /// What the picture shows, where outlines and hits of single tiles would be smaller than a pointer.
    void hitAll(const QRectF& matrix)
    {
        const auto tileAt = [map = m_shared, matrix](QPointF place) -> const TileWrite* {
            const double x = (place.x() - matrix.left()) / matrix.width();
            const double y = (place.y() - matrix.top()) / matrix.height();
            const auto column = static_cast<uint32_t>(std::clamp(x, 0.0, 1.0) * map->pictureCols);
            const auto row = static_cast<uint32_t>(std::clamp(y, 0.0, 1.0) * map->pictureRows);
            if (column >= map->pictureCols || row >= map->pictureRows)
                return nullptr;
            const uint32_t index = map->picture[size_t{row} * map->pictureCols + column];
            return index == 0 ? nullptr : &map->tiles[index - 1];
        };
        m_s.hitAll(matrix, tileAt,
                   [map = m_shared, matrix](const TileWrite& tile) { return boxOf(*map, matrix, tile); });
    }

    [[nodiscard]] static QRectF boxOf(const TileMap& map, const QRectF& matrix, const TileWrite& tile)
    {
        const double across = matrix.width() / double(map.cols), down = matrix.height() / double(map.rows);
        return {matrix.left() + double(tile.firstCol) * across, matrix.top() + double(tile.firstRow) * down,
                double(tile.endCol - tile.firstCol) * across, double(tile.endRow - tile.firstRow) * down};
    }

    /// Of tiles that others were written over, only the last one shows, and can be named.
    [[nodiscard]] bool isSeen(uint32_t index) const
    {
        const TileWrite& tile = m_map.tiles[index];
        const uint64_t y = (tile.firstRow + tile.endRow) / 2 * m_map.pictureRows / m_map.rows;
        const uint64_t x = (tile.firstCol + tile.endCol) / 2 * m_map.pictureCols / m_map.cols;
        return !tile.isWhole() || m_map.picture[y * m_map.pictureCols + x] == index + 1;
    }

    void paintPicture(const QRectF& matrix)
    {
        std::vector<QRgb> colours{m_theme.cell.rgb()};
        for (const TileWrite& tile : m_map.tiles)
            colours.push_back(mixed(m_s.colourOf(tile.block), m_theme.stage, 0.55).rgb());
        QImage image(static_cast<int>(m_map.pictureCols), static_cast<int>(m_map.pictureRows), QImage::Format_RGB32);
        for (uint32_t y = 0; y < m_map.pictureRows; ++y) {
            auto* line = reinterpret_cast<QRgb*>(image.scanLine(static_cast<int>(y)));
            for (uint32_t x = 0; x < m_map.pictureCols; ++x)
                line[x] = colours[m_map.picture[size_t{y} * m_map.pictureCols + x]];
        }
        m_p.setRenderHint(QPainter::SmoothPixmapTransform, false);
        m_p.drawImage(matrix, image);
        m_p.setPen(QPen(m_theme.border, m_c.u(1)));
        m_p.setBrush(Qt::NoBrush);
        m_p.drawRect(matrix);
    }

    /// Where tiles begin, as far as the numbers have room.
    void paintRulers(const QRectF& matrix)
    {
        std::set<uint64_t> columns{0}, rows{0};
        for (const TileWrite& tile : m_map.tiles)
            if (tile.isWhole()) {
                columns.insert(tile.firstCol);
                rows.insert(tile.firstRow);
            }
        const QFont font = m_c.mono(11);
        const double line = m_s.line();
        double free = matrix.left();
        for (const uint64_t column : columns) {
            const double x = matrix.left() + matrix.width() * double(column) / double(m_map.cols);
            // Of many tiles most have no room, and need not be measured.
            if (x < free)
                continue;
            const double wide = Canvas::widthOf(countText(column), font) + m_c.u(4);
            if (x + wide > matrix.right() + m_c.u(4))
                continue;
            m_c.text({x, matrix.top() - line, wide, line}, countText(column), font, m_theme.dim);
            free = x + wide + m_c.u(8);
        }
        free = matrix.top();
        for (const uint64_t row : rows) {
            const double y = matrix.top() + matrix.height() * double(row) / double(m_map.rows);
            if (m_map.rows == 1 || y < free || y + line > matrix.bottom() + m_c.u(2))
                continue;
            m_c.text({matrix.left() - rowRuler(), y, rowRuler() - m_c.u(6), line}, countText(row), font, m_theme.dim,
                     Qt::AlignRight | Qt::AlignVCenter);
            free = y + line;
        }
    }

    /// Brightness says in which order blocks are handed out.
    void paintLegend(const QRectF& row)
    {
        const QFont font = m_c.sans(11.5);
        const QString first = QObject::tr("first block"), last = QObject::tr("last block");
        const double left = row.left() + Canvas::widthOf(first, font) + m_c.u(10);
        const double width = std::min(m_c.u(140), row.right() - left - Canvas::widthOf(last, font) - m_c.u(14));
        if (width < m_c.u(20))
            return;
        m_c.text({row.left(), row.top(), left - row.left(), row.height()}, first, font, m_theme.dim);
        constexpr int kParts = 24;
        for (int i = 0; i < kParts; ++i)
            m_p.fillRect(QRectF(left + width * i / kParts, row.top() + 0.25 * row.height(), width / kParts + 0.5,
                                0.5 * row.height()),
                         mixed(heatColourOf(m_theme, double(i) / (kParts - 1)), m_theme.stage, 0.55));
        m_c.text({left + width + m_c.u(10), row.top(), row.right() - left - width - m_c.u(10), row.height()}, last,
                 font, m_theme.dim);
    }

    void paintTile(const QRectF& matrix, const TileWrite& tile)
    {
        const QRectF box = boxOf(m_map, matrix, tile);
        const bool isFocused = m_s.isFocused(tile.block);
        if (tile.isWhole() || isFocused) {
            const bool isSmall = std::min(box.width(), box.height()) < m_c.u(5);
            m_p.setBrush(Qt::NoBrush);
            m_p.setPen(isFocused ? QPen(m_theme.strong, m_c.u(2)) : QPen(m_theme.stage, m_c.u(isSmall ? 0.5 : 1)));
            m_p.drawRect(box);
        }
        if (tile.isWhole() && isSeen(static_cast<uint32_t>(&tile - m_map.tiles.data())))
            paintName(box, tile);
        m_s.hit(box, tile);
    }

    /// In the largest type in which its whole name has room; a shorter name in smaller type else.
    void paintName(const QRectF& box, const TileWrite& tile)
    {
        constexpr double kNarrowLetter = 0.4;  // of its size: what is narrower than these all need not be measured
        if (box.width() < m_c.u(kNarrowLetter * 11.5 * 3) || box.height() < m_c.u(1.35 * 11.5) * m_theme.typeScale)
            return;
        for (const QString& words : m_s.namesOf(tile))
            for (const double size : {17.0, 14.0, 11.5}) {
                if (box.width() < m_c.u(kNarrowLetter * size * double(words.size())))
                    continue;
                const QFont font = m_c.sans(size);
                if (Canvas::widthOf(words, font) <= box.width() - m_c.u(6) &&
                    box.height() >= m_c.u(1.35 * size) * m_theme.typeScale)
                    return m_c.text(box, words, font, m_theme.text, Qt::AlignCenter);
            }
    }

    void paintFoot(const QRectF& line, const QString& leftOut)
    {
        const QFont font = m_c.sans(11.5);
        for (const QString& words :
             {QObject::tr("bright stripe: writes  ·  outlined: the focused block  ·  blocks go, in their order, to the "
                          "place that is free first"),
              QObject::tr("bright stripe: writes  ·  outlined: the focused block"),
              QObject::tr("bright stripe: writes")})
            if (Canvas::widthOf(leftOut + words, font) <= line.width())
                return m_c.text(line, leftOut + words, font, m_theme.dim);
        m_c.text(line, leftOut, font, m_theme.dim);
    }

    /// Tiles that are outlined and met each by itself.
    static constexpr size_t kMostApart = 4096;

    TileScene& m_s;
    Canvas& m_c;
    QPainter& m_p;
    const Theme& m_theme;
    std::shared_ptr<const TileMap> m_shared;  ///< hits outlive what is painted
    const TileMap& m_map;
};

}  // namespace

TilesView::TilesView()
    : View({.name = "tiles",
            .title = "Tiles",
            .help = "which block computed which tile of the output, in what order, and who is idle at the end"})
{
}

Result<ViewDataPointer> TilesView::compute(AnalysisCache& cache, const Snapshot& snapshot,
                                           const ViewSettings& settings) const
{
    auto map = cache.tileMap(snapshot.focus.launch, snapshot.focus.buffer, settings.warps());
    if (!map)
        return map.error();
    auto data = std::make_shared<TilesData>();
    data->map = map.value();
    return ViewDataPointer(data);
}

void TilesView::paint(Canvas& canvas, const Snapshot& snapshot, const ViewData& data,
                      const ViewSettings& settings) const
{
    const std::shared_ptr<const TileMap>& shared = static_cast<const TilesData&>(data).map;
    const TileMap& map = *shared;
    if (!map.buffer || map.tiles.empty()) {
        canvas.begin({});
        return canvas.empty(settings.warps().empty()
                                ? QObject::tr("No recorded block of this launch writes global memory.")
                                : QObject::tr("These warps write no global memory in any recorded block."));
    }
    TileScene scene(canvas, snapshot, map, settings);
    TilesPainter(scene, shared).paint();
}

}  // namespace lanescope::gui
