// SPDX-License-Identifier: GPL-3.0-or-later
// What both halves of the view of tiles need: what blocks and tiles are called, which colour they have, what a click
// does.
#pragma once

#include <functional>

#include "app/gui/engine/snapshot.h"
#include "app/gui/views/canvas.h"
#include "core/analysis/tile_map.h"

namespace lanescope::gui {

class TileScene {
public:
    TileScene(Canvas& canvas, const Snapshot& snapshot, const analysis::TileMap& map, const ViewSettings& settings);

    /// Pixels that a line of text takes.
    [[nodiscard]] double line() const { return m_line; }
    [[nodiscard]] QString blockName(BlockIndex block) const;
    /// What a tile is called, the longest first. Its number says something only where blocks compute several.
    [[nodiscard]] QStringList namesOf(const analysis::TileWrite& tile) const;
    [[nodiscard]] bool isFocused(BlockIndex block) const;
    /// Few blocks have a colour each. Of many, colours that come again would say that tiles far apart are one block's:
    /// theirs say which came first.
    [[nodiscard]] QColor colourOf(BlockIndex block) const;
    [[nodiscard]] bool isByOrder() const;
    [[nodiscard]] bool hasSeveralEach() const { return m_hasSeveralEach; }
    void hit(const QRectF& area, const analysis::TileWrite& tile);
    /// The same for all tiles at once, where each is too small to be met by itself: \p tileAt says which one is at a
    /// place, and \p area where that one is.
    void hitAll(const QRectF& all, std::function<const analysis::TileWrite*(QPointF)> tileAt,
                std::function<QRectF(const analysis::TileWrite&)> area);
    /// Where numbers stand along an axis of \p length units on \p pixels: round ones, \p room pixels apart at least.
    [[nodiscard]] static std::vector<uint64_t> ticks(uint64_t length, double pixels, double room);

    Canvas& canvas;
    const Snapshot& snapshot;
    const analysis::TileMap& map;
    const ViewSettings& settings;

private:
    double m_line;
    bool m_hasSeveralEach = false;
};

}  // namespace lanescope::gui
