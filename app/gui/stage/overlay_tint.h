// SPDX-License-Identifier: GPL-3.0-or-later
// The overlays that colour a buffer's cells, and those that are drawn over them. Each is derived from the accesses of
// the whole launch or block, or from the findings.
#pragma once

#include "app/gui/stage/stage_painter.h"

namespace lanescope::gui {

/// What overlays ask of the snapshot.
void askFor(const Overlays& overlays, ViewOptions& options);

/// A legend entry: swatch and words; an invalid colour for words alone.
struct LegendEntry {
    QColor colour;
    QString text;
    bool hatched = false;
};
std::vector<LegendEntry> legendOf(const Overlays& overlays, const Snapshot& snapshot, const Theme& theme);

/// One buffer's colours under the chosen overlays.
class OverlayTint {
public:
    OverlayTint(const StageDrawing& drawing, const BufferView& view);

    /// False: every cell keeps its own colour.
    [[nodiscard]] bool colours() const { return m_colours; }
    /// \p resting where the overlays say nothing.
    [[nodiscard]] QColor fill(uint64_t element, const QColor& resting) const;

private:
    [[nodiscard]] QColor heat(uint64_t element, const QColor& resting) const;
    [[nodiscard]] QColor age(uint64_t element, const QColor& resting) const;
    [[nodiscard]] QColor halo(uint64_t element, const QColor& resting) const;

    const Theme& m_theme;
    const Overlays& m_overlays;
    const Snapshot& m_snapshot;
    const BufferView& m_view;
    const analysis::BufferUse* m_grid = nullptr;   ///< by block
    const analysis::BufferUse* m_block = nullptr;  ///< by thread of the focused block
    uint32_t m_hottest = 1;
    bool m_colours = false;
};

/// One of eight hues that colour-blind people can tell apart, for things that have a number.
QColor numberedColour(const Theme& theme, uint64_t number);

/// Halo cells, hazards, accesses out of bounds, and the other side of what the pointer is over.
void paintOverlayMarks(QPainter& painter, const StageDrawing& drawing, size_t panel);
/// Outlines the threads that touch the cell under the pointer.
void paintHoveredThreads(QPainter& painter, const StageDrawing& drawing);

}  // namespace lanescope::gui
