// SPDX-License-Identifier: GPL-3.0-or-later
// Draws a stage scene with QPainter, so that the widget, PNG, SVG and PDF are one drawing.
#pragma once

#include <QPainter>

#include "app/gui/stage/stage_scene.h"

namespace lanescope::gui {

struct StageDrawing;

/// Zoom and pan of the panels. Type and line widths do not scale: zooming in makes room for values.
struct StageView {
    double scale = 1;
    QPointF offset;

    [[nodiscard]] QPointF map(QPointF p) const { return p * scale + offset; }
    [[nodiscard]] QRectF map(const QRectF& r) const { return {map(r.topLeft()), r.size() * scale}; }
    [[nodiscard]] QPointF unmap(QPointF p) const { return (p - offset) / scale; }
    [[nodiscard]] bool isHome() const { return scale == 1 && offset.isNull(); }
};

/// What the pointer is over.
struct StageHover {
    std::optional<size_t> panel;
    Cell cell;
};

struct StageDrawing {
    const StageScene& scene;
    const StageLayout& layout;
    const Theme& theme;
    StageView view;
    Overlays overlays;
    StageHover hover;
    QSizeF size;
    const Snapshot* before = nullptr;  ///< where the motion starts; null: nothing moves
    double progress = 1;               ///< of the motion, 0 … 1

    [[nodiscard]] bool moves() const { return before != nullptr && progress < 1; }
    /// Of what is read, and then of what is written, when something is read first.
    [[nodiscard]] double progressOf(MarkKind kind) const;
    /// Both ends of the arrow are on the stage.
    [[nodiscard]] bool shows(const Link& link) const;
};

/// Paints everything, background included.
void paintStage(QPainter& painter, const StageDrawing& drawing);

// The parts, in drawing order; each leaves the painter as it found it.
void paintBuffer(QPainter& painter, const StageDrawing& drawing, size_t panel);
void paintThreads(QPainter& painter, const StageDrawing& drawing);
/// Arcs from lane to lane, of a shuffle.
void paintExchanges(QPainter& painter, const StageDrawing& drawing);
/// Votes, reductions and matches of the statement: a mark in each lane that takes part, and what joins them.
void paintCollective(QPainter& painter, const StageDrawing& drawing);
void paintGrid(QPainter& painter, const StageDrawing& drawing);
/// Of a panel that is a lens: the overview, what of it the lens shows, and the numbers of rows and columns.
/// "a[512:516, 32:64]": what a lens on a buffer shows; "warp 0 of 32": that on threads.
QString windowText(const StageDrawing& drawing, const Panel& panel);
void paintLens(QPainter& painter, const StageDrawing& drawing, size_t panel);
void paintTiles(QPainter& painter, const StageDrawing& drawing, size_t panel);
void paintArrows(QPainter& painter, const StageDrawing& drawing);
void paintTitles(QPainter& painter, const StageDrawing& drawing);
void paintHeader(QPainter& painter, const StageDrawing& drawing);
/// What the colours of the overlays mean, between the header's texts.
void paintLegend(QPainter& painter, const StageDrawing& drawing, const QRectF& area);
void paintCaption(QPainter& painter, const StageDrawing& drawing);

QColor colourOf(const Theme& theme, MarkKind kind);

/// A cell's look.
struct CellLook {
    QColor fill;
    QColor outline;
    double width = 0;  ///< of the outline; 0 = none
    QColor text;
    bool bold = false;
};

}  // namespace lanescope::gui
