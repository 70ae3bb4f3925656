// SPDX-License-Identifier: GPL-3.0-or-later
// Where everything on the stage lies: rectangles only, no painting, no Qt widgets.
//
//   header
//   upper panels   global and constant buffers, titles above
//   ── channel ──  kept free of text: arrows run here
//   lower panels   grid of blocks, threads of the block, shared and local buffers, titles below
//   caption
//
// A band that is too wide wraps; each row has a channel of its own (below upper rows, above lower ones), and
// a riser at the left edge joins the channels. Lower rows between two channels have their titles beside them where
// there is room. Where all panels are larger so, they stand in one row.
//
// Where a panel's values cannot be read that way, all panels stand below each other on one grid of columns, as wide as
// a value, and show a part of their cells: a lens, with an overview of all cells beside it (stage_stack.cpp). How many
// cells it shows depends on the room, lookAt() says which.
#pragma once

#include <QPointF>
#include <QRectF>

#include <optional>
#include <vector>

#include "app/gui/engine/buffer_shape.h"

namespace lanescope::gui {

enum class PanelKind : uint8_t { Grid, Threads, Buffer };
enum class Band : uint8_t { Upper, Lower };

/// Cells beside a panel's own, for ghost cells.
struct Fringe {
    int64_t left = 0;
    int64_t right = 0;
    int64_t top = 0;
    int64_t bottom = 0;
    friend bool operator==(const Fringe&, const Fringe&) = default;
};

/// What a panel wants to show; sizes in cells.
struct PanelSpec {
    PanelKind kind = PanelKind::Buffer;
    Band band = Band::Upper;
    size_t buffer = 0;  ///< index into Snapshot::buffers
    uint64_t rows = 1;
    uint64_t columns = 1;
    uint64_t sliceRows = 0;  ///< of each of the matrices that stand side by side in it; 0: it is one
    uint64_t sliceColumns = 0;
    Fringe fringe;
    double aspect = 1.3;      ///< cell width / height
    double weight = 1.0;      ///< cell height in units of its band
    double gapShare = 0.12;   ///< gutter / cell height
    int letters = 0;          ///< of its widest value
    int rowLetters = 0;       ///< of the widest number of a row, beside a lens
    double leastCell = 0;     ///< pixels of cell height at which its values can be read; 0: it has none
    double imageUnits = 12;   ///< longest side of an image, in cells of its neighbours
    double titleWidth = 0.0;  ///< pixels for name and type
    double nameWidth = 0.0;   ///< pixels for the name alone, where room is short
    double besideWidth = 0;   ///< pixels for the title beside the panel, in several lines
    friend bool operator==(const PanelSpec&, const PanelSpec&) = default;
};

/// What a lens is to show.
struct LensTarget {
    Cell anchor;  ///< this cell in any case
    Cell first;   ///< and as much as it can of these, half-open, by pages: it stays while one steps within a page
    Cell last;
    bool acts = true;  ///< false: nothing happens there; a lens that shows some of these stays
    friend bool operator==(const LensTarget&, const LensTarget&) = default;
};

struct Panel {
    PanelSpec spec;
    QRectF body;   ///< the cells
    QRectF frame;  ///< with the ghost cells beside them
    QRectF title;  ///< above (upper band), below (lower band) or beside
    bool titleBeside = false;
    double pitchX = 1;
    double pitchY = 1;
    double gap = 0;            ///< gutter between cells; 0 for an image
    double sliceGap = 0;       ///< between slices, more than that between cells
    bool image = false;        ///< too many cells for values at scale 1
    size_t channel = 0;        ///< index into StageLayout::channels
    bool lens = false;         ///< the body shows a part, `overview` all of it
    bool facesChannel = true;  ///< nothing stands between it and its channel
    Cell first;                ///< in the body's corner; of a lens it may lie in the fringe
    uint64_t rows = 0;         ///< that the body shows
    uint64_t columns = 0;
    uint64_t perLine = 0;  ///< of those, how many stand in a line: a row goes on in the next one; 0: all
    bool turned = false;   ///< lookAt() has been called
    QRectF overview;       ///< empty where the lens shows all

    [[nodiscard]] uint64_t linesPerRow() const { return perLine == 0 ? 1 : (columns + perLine - 1) / perLine; }
    /// The line of cells that a cell is in, from the top of the body.
    [[nodiscard]] int64_t lineOf(Cell cell) const;
    /// Without the gutter.
    [[nodiscard]] QRectF cellRect(Cell cell) const;
    /// Bounding box of a half-open range of cells.
    [[nodiscard]] QRectF rangeRect(Cell begin, Cell end) const;
    /// The cell under a point of the body; a gutter belongs to the cell before it.
    [[nodiscard]] std::optional<Cell> cellAt(QPointF point) const;
    /// Whether the cell has a place on the stage; ghost cells beside a whole panel have.
    [[nodiscard]] bool shows(Cell cell) const;
    /// The cell of the buffer under a point of the overview.
    [[nodiscard]] std::optional<Cell> overviewCellAt(QPointF point) const;
    /// Turns a lens so that it shows the target.
    void lookAt(const LensTarget& target);
    /// Makes a lens's cells \p scale times as large as the layout has them, and shows as many as have room then: 1 is
    /// as it was, the least one shows all cells.
    void zoom(double scale);
    /// What zoom() has made of it.
    [[nodiscard]] double scale() const { return m_unzoomed ? pitchX / m_unzoomed->pitchX : 1; }

private:
    struct Density {
        double pitchX, pitchY, gap;
        uint64_t rows, columns, perLine;
    };
    std::optional<Density> m_unzoomed;
};

struct Channel {
    double top = 0;
    double bottom = 0;
};

struct StageLayout {
    QRectF header;
    QRectF caption;
    std::vector<Panel> panels;  ///< as the specs
    std::vector<Channel> channels;
    size_t mainChannel = 0;
    double riser = 0;  ///< x of the line that joins the channels

    /// \p size in pixels; \p typeScale as in Theme. All panels lie between header and caption when \p size
    /// is at least 480 × 360 times the scale. \p captionHeight: pixels; 0: as much as there is room for.
    static StageLayout compute(const std::vector<PanelSpec>& specs, QSizeF size, double typeScale,
                               double captionHeight = 0);
    [[nodiscard]] std::optional<size_t> panelAt(QPointF point) const;
    /// \p targets: [panel]. Cheap: sizes and places of panels stay.
    void lookAt(const std::vector<LensTarget>& targets);
};

/// The panels below each other on one grid of columns, between \p layout's header and caption; nothing where \p area
/// is too low or too narrow for a row of each.
std::optional<StageLayout> stackedLayout(const StageLayout& layout, const std::vector<PanelSpec>& specs,
                                         const QRectF& area, double typeScale);

}  // namespace lanescope::gui
