// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline on screen: a cached body, the scrubber on top; drag scrubs, wheel zooms, Shift+wheel pans, Shift+drag
// or a click on an epoch's name selects steps.
#pragma once

#include <QPixmap>
#include <QWidget>

#include "app/gui/timeline/timeline_painter.h"
#include "core/analysis/analysis.h"

namespace lanescope::gui {

class TimelineWidget : public QWidget {
    Q_OBJECT

public:
    explicit TimelineWidget(QWidget* parent = nullptr);

    void setSnapshot(const SnapshotPointer& snapshot);
    void setTheme(const Theme& theme);
    [[nodiscard]] const SnapshotPointer& snapshot() const { return m_snapshot; }
    [[nodiscard]] TimelineLayout layoutOfSteps() const;
    [[nodiscard]] const std::optional<analysis::StepsOfBlock>& selection() const { return m_selection; }
    /// Of the block that is shown; an empty range or none takes it away.
    void select(std::optional<analysis::StepsOfBlock> steps);
    QSize sizeHint() const override { return {1000, 190}; }
    QSize minimumSizeHint() const override { return {300, 110}; }

signals:
    void scrubbed(lanescope::StepIndex step);
    /// Steps of the block that is shown, or none any more.
    void selected(std::optional<lanescope::analysis::StepsOfBlock> steps);
    /// What is under the pointer, in words; empty when nothing is.
    void hovered(const QString& text);
    void rowClicked(lanescope::BlockIndex block, uint16_t warp, lanescope::StepIndex step);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    void zoom(double factor, double around);
    void pan(double steps);
    void setRange(StepRange range);
    void followFocus();
    void centreOn(double x);
    void centreOn(double step, double span);
    void keepRow(const Snapshot& next);
    [[nodiscard]] QString describe(QPointF place) const;
    [[nodiscard]] QString describe(const TimelineRow& shown, const QString& label, StepIndex step) const;
    [[nodiscard]] StepIndex stepAt(QPointF place) const;
    [[nodiscard]] const EpochSpan* epochNamedAt(QPointF place) const;
    void selectTo(StepIndex step);
    void paintSelection(QPainter& painter, const TimelineLayout& layout) const;
    void paintBody(const TimelineLayout& layout);

    const Theme* m_theme;
    SnapshotPointer m_snapshot;
    StepRange m_range{0, 0};
    std::optional<size_t> m_firstRow;  ///< so that rows stay where they are while the focus moves among them
    std::optional<analysis::StepsOfBlock> m_selection;
    bool m_onLens = false;              ///< the press was there
    bool m_onMap = false;               ///< the drag moves what is shown
    std::optional<StepIndex> m_anchor;  ///< where the drag that selects began

    // what the cached body shows
    QPixmap m_body;
    const BlockOverview* m_cachedOverview = nullptr;
    StepRange m_cachedRange{0, 0};
    size_t m_cachedRow = 0;
    size_t m_cachedFirstRow = 0;
    StepIndex m_cachedStep = 0;
};

}  // namespace lanescope::gui
