// SPDX-License-Identifier: GPL-3.0-or-later
// The stage on screen: zoom, pan, hover, click. All drawing is stage_painter's, all places stage_layout's.
#pragma once

#include <QVariantAnimation>
#include <QWidget>

#include "app/gui/engine/menu_place.h"
#include "app/gui/stage/stage_painter.h"

class QMenu;

namespace lanescope::gui {

class StageWidget : public QWidget {
    Q_OBJECT

public:
    explicit StageWidget(QWidget* parent = nullptr);

    void setSnapshot(const SnapshotPointer& snapshot);
    void setTheme(const Theme& theme);
    void setOverlay(Overlay overlay, bool on);
    /// Whether steps are shown as a short motion; not where people asked for less of it.
    void setMotion(bool on);
    [[nodiscard]] bool isMoving() const { return m_motion.state() == QAbstractAnimation::Running; }
    /// Threads of other warps fade; ascending, empty: none does.
    void setWarps(const std::vector<uint16_t>& warps);
    /// Shows only some panels, from now on.
    void setCamera(const StageCamera& camera);
    [[nodiscard]] const Overlays& overlays() const { return m_overlays; }
    [[nodiscard]] const StageLayout& layoutOfPanels() const { return m_layout; }
    [[nodiscard]] const Theme& theme() const { return *m_theme; }
    [[nodiscard]] const StageScene* scene() const { return m_scene ? &*m_scene : nullptr; }
    /// Draws what is on screen at another size, for exports.
    void paintTo(QPainter& painter, QSizeF size) const;
    QSize sizeHint() const override { return {1000, 700}; }
    QSize minimumSizeHint() const override { return {320, 240}; }

public slots:
    void fit();

signals:
    void cellClicked(lanescope::BufferId buffer, uint64_t element);
    void threadClicked(lanescope::Dim3 thread);
    void blockClicked(lanescope::Dim3 block);
    /// The user wants another shape for a buffer: an index into Snapshot::buffers.
    void reshapeWanted(size_t buffer);
    /// A menu opens on \p place; who knows more that can be done there adds it.
    void menuWanted(QMenu* menu, const lanescope::gui::MenuPlace& place);
    /// What is under the pointer, in words; empty when nothing is.
    void hovered(const QString& text);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    void rebuild();
    void turnLenses();
    bool pressOverview(QPointF position);
    bool releaseLens(QPointF position);
    bool zoomLens(QPointF position, double factor);
    [[nodiscard]] StageHover targetAt(QPointF position) const;
    void click(const StageHover& target);
    [[nodiscard]] MenuPlace placeOf(const StageHover& target) const;
    [[nodiscard]] QString threadValues(uint64_t thread) const;
    [[nodiscard]] QString describe(const StageHover& target) const;

    const Theme* m_theme;
    SnapshotPointer m_snapshot;
    std::optional<StageScene> m_scene;
    StageLayout m_layout;
    QSize m_layoutSize;
    const Theme* m_layoutTheme = nullptr;
    StageView m_view;
    StageCamera m_camera;
    std::vector<uint16_t> m_warps;
    Overlays m_overlays{Overlay::Tiles, Overlay::Race, Overlay::Bounds};
    StageHover m_hover;
    QVariantAnimation m_motion;
    SnapshotPointer m_before;  ///< where the motion starts
    bool m_moves = false;
    QPointF m_pressedAt;
    QPointF m_viewAtPress;
    bool m_panning = false;
    bool m_onOverview = false;          ///< since the button was pressed
    std::map<BufferId, Cell> m_held;    ///< middles of lenses that the user turned
    std::map<BufferId, double> m_zoom;  ///< of lenses whose cells the user made larger or smaller
};

}  // namespace lanescope::gui
