// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/views/tiles/tile_scene.h"

#include <algorithm>

#include "app/gui/engine/value_format.h"
#include "app/gui/stage/heat_image.h"
#include "app/gui/stage/overlay_tint.h"

namespace lanescope::gui {

using analysis::TileWrite;

TileScene::TileScene(Canvas& onto, const Snapshot& of, const analysis::TileMap& tiles, const ViewSettings& chosen)
    : canvas(onto), snapshot(of), map(tiles), settings(chosen), m_line(onto.u(18) * onto.theme().typeScale)
{
    m_hasSeveralEach = std::ranges::any_of(map.tiles, [](const TileWrite& tile) { return tile.order > 0; });
}

QString TileScene::blockName(BlockIndex block) const
{
    return positionText(positionOf(block.value, snapshot.launch().grid), snapshot.launch().grid);
}

QStringList TileScene::namesOf(const TileWrite& tile) const
{
    const QString block = blockName(tile.block);
    if (!m_hasSeveralEach)
        return {QObject::tr("block %1").arg(block), block};
    return {QObject::tr("block %1, tile %2").arg(block).arg(tile.order + 1),
            QObject::tr("%1 · %2").arg(block).arg(tile.order + 1), block};
}

bool TileScene::isFocused(BlockIndex block) const
{
    return block.value == linearIndex(snapshot.focus.block, snapshot.launch().grid);
}

bool TileScene::isByOrder() const
{
    constexpr size_t kMostApart = 16;
    return map.blocks.size() > kMostApart;
}

QColor TileScene::colourOf(BlockIndex block) const
{
    const auto at = std::ranges::lower_bound(map.blocks, block, {}, &analysis::BlockWork::block);
    const bool isKnown = at != map.blocks.end() && at->block == block;
    const auto ordinal = static_cast<uint32_t>(isKnown ? at - map.blocks.begin() : 0);
    return isByOrder() ? heatColourOf(canvas.theme(), double(ordinal) / double(map.blocks.size() - 1))
                       : numberedColour(canvas.theme(), ordinal);
}

namespace {

Hit hitOf(const QRectF& area, const TileWrite& tile, replay::Focus focus, const trace::Launch& launch)
{
    focus.block = positionOf(tile.block.value, launch.grid);
    focus.step = tile.first;
    return {area,
            QObject::tr("rows %1 to %2, columns %3 to %4: %5, its tile %6, steps %7 to %8")
                .arg(tile.firstRow)
                .arg(tile.endRow - 1)
                .arg(tile.firstCol)
                .arg(tile.endCol - 1)
                .arg(blockText(focus.block, launch))
                .arg(tile.order + 1)
                .arg(tile.first)
                .arg(tile.last),
            focus,
            {}};
}

}  // namespace

void TileScene::hit(const QRectF& area, const TileWrite& tile)
{
    canvas.hit(hitOf(area, tile, snapshot.focus, snapshot.launch()));
}

void TileScene::hitAll(const QRectF& all, std::function<const TileWrite*(QPointF)> tileAt,
                       std::function<QRectF(const TileWrite&)> area)
{
    Hit hit{all, {}, {}, {}};
    hit.at = [tileAt = std::move(tileAt), area = std::move(area), focus = snapshot.focus,
              launch = snapshot.launch()](QPointF place) {
        const TileWrite* const tile = tileAt(place);
        return tile ? hitOf(area(*tile), *tile, focus, launch) : Hit{};
    };
    canvas.hit(std::move(hit));
}

std::vector<uint64_t> TileScene::ticks(uint64_t length, double pixels, double room)
{
    uint64_t step = 1;
    const auto tooClose = [&](uint64_t of) {
        return double(of) / double(std::max<uint64_t>(1, length)) * pixels < room;
    };
    for (int i = 0; tooClose(step) && step < length; ++i)
        step = i % 3 == 1 ? step / 2 * 5 : step * 2;
    std::vector<uint64_t> all;
    for (uint64_t at = 0; at <= length; at += step)
        all.push_back(at);
    return all;
}

}  // namespace lanescope::gui
