// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/views/tiles/tiles_view.h"

#include <QImage>

#include <algorithm>
#include <cmath>
#include <map>

#include "app/gui/engine/value_format.h"
#include "app/gui/stage/heat_image.h"
#include "app/gui/stage/overlay_tint.h"
#include "app/gui/views/ring/ring_card.h"
#include "core/analysis/tile_map.h"

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
    TilesPainter(Canvas& canvas, const Snapshot& snapshot, const TileMap& map, const ViewSettings& settings)
        : m_c(canvas), m_p(canvas.painter()), m_theme(canvas.theme()), m_snapshot(snapshot), m_map(map),
          m_settings(settings), m_line(canvas.u(18) * canvas.theme().typeScale)
    {
        for (uint32_t i = 0; i < map.blocks.size(); ++i)
            m_ordinals[map.blocks[i].block] = i;
    }

    void paint()
    {
        const QRectF area = m_c.begin(subtitle());
        const QRectF body = area.adjusted(0, 0, 0, -1.6 * m_line);
        // As wide as the matrix asks for, within limits.
        const double aspect = double(m_map.cols) / double(m_map.rows);
        const double wanted = (body.height() - 1.4 * m_line) * std::clamp(aspect, 0.25, 4.0);
        const double left = std::clamp(wanted, body.width() * 0.22, body.width() * 0.48);
        paintMatrix({body.left(), body.top(), left, body.height()});
        paintSlots({body.left() + left + m_c.u(26), body.top(), body.width() - left - m_c.u(26), body.height()});
        paintFoot({area.left(), area.bottom() - m_line, area.width(), m_line});
    }

private:
    [[nodiscard]] QString bufferName() const
    {
        return QString::fromStdString(m_snapshot.catalog->buffers[m_map.buffer->value].name);
    }
    [[nodiscard]] QString blockName(BlockIndex block) const
    {
        return positionText(positionOf(block.value, m_snapshot.launch().grid), m_snapshot.launch().grid);
    }
    /// Few blocks have a colour each. Of many, colours that come again would say that tiles far apart are one block's:
    /// theirs say which came first.
    [[nodiscard]] QColor colourOf(BlockIndex block) const
    {
        constexpr size_t kMostApart = 16;
        const auto at = m_ordinals.find(block);
        const uint32_t ordinal = at == m_ordinals.end() ? 0 : at->second;
        return m_ordinals.size() <= kMostApart ? numberedColour(m_theme, ordinal)
                                               : heatColourOf(m_theme, double(ordinal) / double(m_ordinals.size() - 1));
    }

    [[nodiscard]] QString subtitle() const
    {
        const double idle =
            m_map.length == 0 ? 0 : double(m_map.idle) / double(m_map.length) / double(std::max(1U, m_map.places));
        return QObject::tr("%1, %2 × %3  ·  %4 tiles by %5 blocks  ·  %6 % of the time idle")
            .arg(bufferName(), bytesText(m_map.rows), bytesText(m_map.cols), bytesText(m_map.tiles.size()),
                 bytesText(m_map.blocks.size()))
            .arg(100 * idle, 0, 'f', idle < 0.1 ? 1 : 0);
    }

    // ---- The matrix ----

    void paintMatrix(const QRectF& area)
    {
        m_c.text({area.left(), area.top(), area.width(), m_line}, QObject::tr("who wrote what last"),
                 m_c.sans(12.5, true), m_theme.text);
        const QRectF room = area.adjusted(0, 1.4 * m_line, 0, 0);
        const double square = std::min(room.width() / double(m_map.cols), room.height() / double(m_map.rows));
        const double width = std::max(square * double(m_map.cols), std::min(room.width(), m_c.u(40)));
        const double height = std::max(square * double(m_map.rows), std::min(room.height(), m_c.u(40)));
        const QRectF matrix(room.left(), room.top(), width, height);
        QImage image(static_cast<int>(m_map.pictureCols), static_cast<int>(m_map.pictureRows), QImage::Format_ARGB32);
        for (uint32_t y = 0; y < m_map.pictureRows; ++y)
            for (uint32_t x = 0; x < m_map.pictureCols; ++x) {
                const uint32_t tile = m_map.picture[size_t{y} * m_map.pictureCols + x];
                image.setPixelColor(static_cast<int>(x), static_cast<int>(y),
                                    tile == 0 ? m_theme.cell
                                              : mixed(colourOf(m_map.tiles[tile - 1].block), m_theme.stage, 0.55));
            }
        m_p.setRenderHint(QPainter::SmoothPixmapTransform, false);
        m_p.drawImage(matrix, image);
        m_p.setPen(QPen(m_theme.border, m_c.u(1)));
        m_p.setBrush(Qt::NoBrush);
        m_p.drawRect(matrix);
        for (const TileWrite& tile : m_map.tiles)
            if (tile.cells > 0)
                paintTile(matrix, tile);
    }

    [[nodiscard]] bool isFocused(const TileWrite& tile) const
    {
        return tile.block.value == linearIndex(m_snapshot.focus.block, m_snapshot.launch().grid);
    }

    void paintTile(const QRectF& matrix, const TileWrite& tile)
    {
        const double across = matrix.width() / double(m_map.cols), down = matrix.height() / double(m_map.rows);
        const QRectF box(matrix.left() + double(tile.firstCol) * across, matrix.top() + double(tile.firstRow) * down,
                         double(tile.endCol - tile.firstCol) * across, double(tile.endRow - tile.firstRow) * down);
        if (tile.isWhole() || isFocused(tile)) {
            const bool isSmall = std::min(box.width(), box.height()) < m_c.u(5);
            m_p.setBrush(Qt::NoBrush);
            m_p.setPen(isFocused(tile) ? QPen(m_theme.strong, m_c.u(2))
                                       : QPen(m_theme.stage, m_c.u(isSmall ? 0.5 : 1)));
            m_p.drawRect(box);
        }
        for (const QString& words : {QObject::tr("%1 · %2").arg(blockName(tile.block)).arg(tile.order + 1),
                                     blockName(tile.block), QString::number(tile.order + 1)}) {
            const QFont font = m_c.sans(10.5);
            if (!tile.isWhole() || Canvas::widthOf(words, font) > box.width() - m_c.u(4) || box.height() < m_c.u(14))
                continue;
            m_c.text(box, words, font, m_theme.text, Qt::AlignCenter);
            break;
        }
        hit(box, tile);
    }

    void hit(const QRectF& area, const TileWrite& tile)
    {
        replay::Focus focus = m_snapshot.focus;
        focus.block = positionOf(tile.block.value, m_snapshot.launch().grid);
        focus.step = tile.first;
        m_c.hit({area,
                 QObject::tr("rows %1 to %2, columns %3 to %4: %5, its tile %6, steps %7 to %8")
                     .arg(tile.firstRow)
                     .arg(tile.endRow - 1)
                     .arg(tile.firstCol)
                     .arg(tile.endCol - 1)
                     .arg(blockText(focus.block, m_snapshot.launch()))
                     .arg(tile.order + 1)
                     .arg(tile.first)
                     .arg(tile.last),
                 focus,
                 {}});
    }

    // ---- Time ----

    void paintSlots(const QRectF& area)
    {
        m_c.text({area.left(), area.top(), area.width(), m_line},
                 QObject::tr("when: a row to each place for a block; hatched: idle"), m_c.sans(12.5, true),
                 m_theme.text);
        const double label = m_c.u(40) * m_theme.typeScale;
        m_plot = area.adjusted(label, 1.4 * m_line, 0, 0);
        const double least = m_c.u(5);
        m_rows = std::min<size_t>(m_map.places, std::max<size_t>(1, static_cast<size_t>(m_plot.height() / least)));
        m_first = std::min<size_t>(m_map.places - m_rows, static_cast<size_t>(std::max(0.0, m_settings.scroll)));
        m_height = std::min(m_plot.height() / double(m_rows), m_c.u(34) * m_theme.typeScale);
        std::vector<uint64_t> done(m_map.places);
        for (const BlockWork& block : m_map.blocks) {
            done[block.slot] = std::max(done[block.slot], block.start + block.steps);
            if (block.slot >= m_first && block.slot < m_first + m_rows)
                paintWork(block);
        }
        const auto every = static_cast<size_t>(std::ceil(m_line / m_height));
        for (size_t slot = m_first; slot < m_first + m_rows; ++slot) {
            paintIdle(slot, done[slot]);
            if ((slot - m_first) % every == 0)
                m_c.text({area.left(), yOf(slot), label - m_c.u(8), std::max(m_height, m_line)}, QString::number(slot),
                         m_c.mono(10), m_theme.dim, Qt::AlignRight | Qt::AlignVCenter);
        }
    }

    [[nodiscard]] double yOf(size_t slot) const { return m_plot.top() + double(slot - m_first) * m_height; }
    [[nodiscard]] double xOf(uint64_t time) const
    {
        return m_plot.left() + m_plot.width() * double(time) / double(std::max<uint64_t>(1, m_map.length));
    }
    [[nodiscard]] QRectF barOf(size_t slot, uint64_t from, uint64_t to) const
    {
        const double margin = m_height > m_c.u(9) ? m_c.u(2) : 0.5;
        return {xOf(from), yOf(slot) + margin, xOf(to) - xOf(from), m_height - 2 * margin};
    }

    /// A tile takes from the end of the one before to its last write.
    void paintWork(const BlockWork& block)
    {
        const QColor colour = colourOf(block.block);
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
            hit(bar, tile);
            from = tile.last + 1;
        }
        if (block.block.value == linearIndex(m_snapshot.focus.block, m_snapshot.launch().grid)) {
            m_p.setPen(QPen(m_theme.strong, m_c.u(1.6)));
            m_p.setBrush(Qt::NoBrush);
            m_p.drawRect(whole);
            const double now = xOf(block.start + m_snapshot.focus.step);
            m_p.drawLine(QPointF(now, whole.top() - m_c.u(2)), QPointF(now, whole.bottom() + m_c.u(2)));
        }
    }

    void paintName(const QRectF& bar, const TileWrite& tile, bool isFirst)
    {
        if (bar.height() < m_c.u(12))
            return;
        const QFont font = m_c.sans(10.5);
        const QString number = QString::number(tile.order + 1);
        for (const QString& words :
             {isFirst ? QObject::tr("%1 · %2").arg(blockName(tile.block), number) : number, number})
            if (Canvas::widthOf(words, font) <= bar.width() - m_c.u(6))
                return m_c.text(bar.adjusted(m_c.u(4), 0, 0, 0), words, font, m_theme.text);
    }

    void paintIdle(size_t slot, uint64_t from)
    {
        if (from >= m_map.length)
            return;
        const QRectF bar = barOf(slot, from, m_map.length);
        m_p.fillRect(bar, QBrush(m_theme.hatch, Qt::BDiagPattern));
        m_c.hit({bar,
                 QObject::tr("idle for %1 of %2 steps").arg(bytesText(m_map.length - from), bytesText(m_map.length)),
                 {},
                 {}});
    }

    void paintFoot(const QRectF& line)
    {
        QString text;
        if (m_rows < m_map.places) {
            m_c.leaveOut();
            text =
                QObject::tr("places %1 to %2 of %3; scroll; ").arg(m_first).arg(m_first + m_rows - 1).arg(m_map.places);
        }
        const QFont font = m_c.sans(11);
        for (const QString& words :
             {QObject::tr(
                  "(block) · number of its tile; a bright stripe: its writes; time in steps, blocks handed out in "
                  "their order to the place that is free first"),
              QObject::tr("(block) · number of its tile; a bright stripe: its writes; time in steps"),
              QObject::tr("(block) · number of its tile")})
            if (Canvas::widthOf(text + words, font) <= line.width())
                return m_c.text(line, text + words, font, m_theme.dim);
        m_c.text(line, text, font, m_theme.dim);
    }

    Canvas& m_c;
    QPainter& m_p;
    const Theme& m_theme;
    const Snapshot& m_snapshot;
    const TileMap& m_map;
    const ViewSettings& m_settings;
    double m_line;
    std::map<BlockIndex, uint32_t> m_ordinals;
    QRectF m_plot;
    double m_height = 0;  ///< of a slot
    size_t m_first = 0;   ///< slot that shows at the top
    size_t m_rows = 0;    ///< slots that show
};

}  // namespace

TilesView::TilesView()
    : View({.name = "tiles",
            .title = "Tiles",
            .help = "which block computed which tile of the output, in what order, and who is idle at the end"})
{
}

Result<ViewDataPointer> TilesView::compute(AnalysisCache& cache, const Snapshot& snapshot, const ViewSettings&) const
{
    auto map = cache.tileMap(snapshot.focus.launch, snapshot.focus.buffer);
    if (!map)
        return map.error();
    auto data = std::make_shared<TilesData>();
    data->map = map.value();
    return ViewDataPointer(data);
}

void TilesView::paint(Canvas& canvas, const Snapshot& snapshot, const ViewData& data,
                      const ViewSettings& settings) const
{
    const TileMap& map = *static_cast<const TilesData&>(data).map;
    if (!map.buffer || map.tiles.empty()) {
        canvas.begin({});
        return canvas.empty(QObject::tr("No recorded block of this launch writes global memory."));
    }
    TilesPainter(canvas, snapshot, map, settings).paint();
}

}  // namespace lanescope::gui
