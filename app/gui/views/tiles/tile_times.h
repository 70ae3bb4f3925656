// SPDX-License-Identifier: GPL-3.0-or-later
// When tiles are computed: a row to each place that a GPU has for a block, and below, how many of them work.
#pragma once

#include "app/gui/views/tiles/tile_scene.h"

namespace lanescope::gui {

class TileTimes {
public:
    explicit TileTimes(TileScene& scene)
        : m_s(scene), m_c(scene.canvas), m_p(scene.canvas.painter()), m_theme(scene.canvas.theme()), m_map(scene.map)
    {
    }
    void paint(const QRectF& area);
    /// "places 0 to 99 of 264; scroll; " where not all have room.
    [[nodiscard]] QString leftOut() const;

private:
    void paintRows();
    void paintWork(const analysis::BlockWork& block);
    void paintName(const QRectF& bar, const analysis::TileWrite& tile, bool isFirst);
    void paintIdle(size_t slot, uint64_t from);
    void paintAxis(double y);
    void paintBusy(const QRectF& area);
    [[nodiscard]] double xOf(uint64_t time) const;
    [[nodiscard]] double yOf(size_t slot) const;
    [[nodiscard]] QRectF barOf(size_t slot, uint64_t from, uint64_t to) const;

    TileScene& m_s;
    Canvas& m_c;
    QPainter& m_p;
    const Theme& m_theme;
    const analysis::TileMap& m_map;
    QRectF m_plot;
    double m_label = 0;   ///< width of the places' numbers
    double m_height = 0;  ///< of a slot
    size_t m_first = 0;   ///< slot that shows at the top
    size_t m_rows = 0;    ///< slots that show
};

}  // namespace lanescope::gui
