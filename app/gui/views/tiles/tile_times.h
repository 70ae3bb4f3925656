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
    /// "a row stands for 3 places" where not each has room for one.
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
    [[nodiscard]] size_t slotOf(size_t row) const;
    [[nodiscard]] QRectF barOf(size_t slot, uint64_t from, uint64_t to) const;

    TileScene& m_s;
    Canvas& m_c;
    QPainter& m_p;
    const Theme& m_theme;
    const analysis::TileMap& m_map;
    QRectF m_plot;
    double m_label = 0;   ///< width of the places' numbers
    double m_height = 0;  ///< of a slot
    size_t m_every = 1;   ///< slots that a row stands for
    size_t m_rows = 0;
    size_t m_focused = SIZE_MAX;  ///< slot of the focused block
};

}  // namespace lanescope::gui
