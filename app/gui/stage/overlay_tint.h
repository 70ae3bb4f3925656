// SPDX-License-Identifier: GPL-3.0-or-later
// The overlays that colour a buffer's cells, and those that are drawn over them. Each is derived from the accesses of
// the whole launch or block, or from the findings.
#pragma once

#include "app/gui/stage/stage_painter.h"

namespace lanescope::gui {

/// What overlays ask of the snapshot.
void askFor(const Overlays& overlays, SnapshotOptions& options);

/// A legend entry: swatch and words.
struct LegendEntry {
    enum class Swatch : uint8_t { Filled, Hatched, Dashed };
    std::vector<QColor> colours;  ///< side by side where there are several
    QString text;
    Swatch swatch = Swatch::Filled;
};
std::vector<LegendEntry> legendOf(const Overlays& overlays, const Snapshot& snapshot, const Theme& theme);

/// What the chosen overlays colour a cell with, the first first.
struct CellTint {
    std::array<QRgb, 8> colours;
    size_t count = 0;

    [[nodiscard]] bool isFull() const { return count == colours.size(); }
    void add(QRgb colour) { colours[count++] = colour; }
};

/// One buffer's colours under the chosen overlays.
class OverlayTint {
public:
    OverlayTint(const StageDrawing& drawing, const BufferView& view);

    /// False: every cell keeps its own colour.
    [[nodiscard]] bool colours() const { return m_colours; }
    [[nodiscard]] CellTint tint(uint64_t element) const;
    /// The number behind the colour, where one overlay has one: a bank, a count, a thread or block; else empty.
    [[nodiscard]] QString number(uint64_t element) const;
    /// All of them mixed, for cells too small for more than one; \p resting where the overlays say nothing.
    [[nodiscard]] QRgb fill(uint64_t element, QRgb resting) const;
    /// What else than the uses and the contents decides the colours.
    [[nodiscard]] uint64_t signature() const;

private:
    void preparePalettes();
    /// Whose touches the mapping shows: global cells' by block, where there are several; other cells' by thread.
    [[nodiscard]] const analysis::BufferUse* mapped() const;
    void addTouchers(CellTint& tint, uint64_t element) const;
    [[nodiscard]] QRgb heatOf(uint32_t count) const;
    [[nodiscard]] QRgb ageOf(uint32_t writtenIn) const;

    const Theme& m_theme;
    const Overlays& m_overlays;
    const Snapshot& m_snapshot;
    const BufferView& m_view;
    const analysis::BufferUse* m_grid = nullptr;   ///< by block
    const analysis::BufferUse* m_block = nullptr;  ///< by thread of the focused block
    uint32_t m_hottest = 1;
    bool m_colours = false;
    std::array<QRgb, 24> m_numbered;
    std::array<QRgb, 32> m_banks;
    std::vector<QRgb> m_heat;  ///< [accesses]; of the rarer numbers of them
    QRgb m_halo = 0;
    QRgb m_shared = 0;  ///< with other blocks
};

/// Null where nobody touched the buffer, or nobody asked.
const analysis::BufferUse* useOf(const std::shared_ptr<const analysis::Footprint>& footprint, BufferId id);
bool isShownAsRace(const trace::Finding& finding);
/// The race whose sides are shown: that of the statement just run, or the focused block's first, or any;
/// null without one.
const trace::Finding* shownRace(const Snapshot& snapshot);

/// One of eight hues that colour-blind people can tell apart, each in three strengths, for things that have a number.
QColor numberedColour(const Theme& theme, uint64_t number);

/// Halo cells, ghost cells, hazards, accesses out of bounds, and the cells of what the pointer is over.
void paintOverlayMarks(QPainter& painter, const StageDrawing& drawing, size_t panel);
/// Outlines the threads and blocks that touch the cell under the pointer.
void paintHoveredThreads(QPainter& painter, const StageDrawing& drawing);
/// The threads on both sides of the shown race, and lines to the cell.
void paintRaceSides(QPainter& painter, const StageDrawing& drawing);

}  // namespace lanescope::gui
