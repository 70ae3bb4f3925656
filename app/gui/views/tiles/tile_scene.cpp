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
    for (uint32_t i = 0; i < map.blocks.size(); ++i)
        m_ordinals[map.blocks[i].block] = i;
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
    return m_ordinals.size() > kMostApart;
}

QColor TileScene::colourOf(BlockIndex block) const
{
    const auto at = m_ordinals.find(block);
    const uint32_t ordinal = at == m_ordinals.end() ? 0 : at->second;
    return isByOrder() ? heatColourOf(canvas.theme(), double(ordinal) / double(m_ordinals.size() - 1))
                       : numberedColour(canvas.theme(), ordinal);
}

void TileScene::hit(const QRectF& area, const TileWrite& tile)
{
    replay::Focus focus = snapshot.focus;
    focus.block = positionOf(tile.block.value, snapshot.launch().grid);
    focus.step = tile.first;
    canvas.hit({area,
                QObject::tr("rows %1 to %2, columns %3 to %4: %5, its tile %6, steps %7 to %8")
                    .arg(tile.firstRow)
                    .arg(tile.endRow - 1)
                    .arg(tile.firstCol)
                    .arg(tile.endCol - 1)
                    .arg(blockText(focus.block, snapshot.launch()))
                    .arg(tile.order + 1)
                    .arg(tile.first)
                    .arg(tile.last),
                focus,
                {}});
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
