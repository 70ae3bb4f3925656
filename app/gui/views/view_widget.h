// SPDX-License-Identifier: GPL-3.0-or-later
// A view on screen: asks for its data when the focus or a setting changes, paints, hands on clicks.
#pragma once

#include <QWidget>

#include "app/gui/engine/menu_place.h"
#include "app/gui/views/view.h"

class QMenu;

namespace lanescope::gui {

class ViewWorker;

class ViewWidget : public QWidget {
    Q_OBJECT

public:
    /// \p worker must outlive the widget.
    ViewWidget(const View& view, ViewWorker& worker, QWidget* parent = nullptr);

    void setSnapshot(const SnapshotPointer& snapshot);
    void setTheme(const Theme& theme);
    [[nodiscard]] const View& view() const { return m_view; }
    [[nodiscard]] const SnapshotPointer& snapshot() const { return m_snapshot; }
    [[nodiscard]] bool hasData() const { return m_data != nullptr; }
    [[nodiscard]] const ViewSettings& settings() const { return m_settings; }
    /// Places that were painted last and can be clicked.
    [[nodiscard]] const std::vector<Hit>& hits() const { return m_hits; }
    void paintTo(QPainter& painter, QSizeF size) const;
    QSize sizeHint() const override { return {900, 420}; }

    /// As if the user had chosen it.
    void change(const ViewSettings& settings);
    /// Steps that the view is to be about; none: everything recorded.
    void setSelection(const std::optional<analysis::StepsOfBlock>& steps);
    /// What the user calls roles of warps, by what they do.
    void setRoleNames(const std::map<std::string, std::string>& names);

signals:
    /// Asks for another name of the role.
    void renameWanted(const std::string& role);
    /// A menu opens on \p place; who knows more that can be done there adds it.
    void menuWanted(QMenu* menu, const lanescope::gui::MenuPlace& place);
    void focusChosen(const lanescope::replay::Focus& focus);
    void stepsChosen(const std::optional<lanescope::analysis::StepsOfBlock>& steps);
    void hovered(const QString& text);
    void dataChanged();

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void fillMenu(QMenu& menu, const Hit& hit);
    void ask();
    void paintOn(Canvas& canvas) const;
    void zoom(double factor, double x);
    void pan(double share);
    void slideTo(QPointF place);
    [[nodiscard]] const Hit* hitAt(QPointF place) const;

    const View& m_view;
    ViewWorker& m_worker;
    const Theme* m_theme;
    SnapshotPointer m_snapshot;
    ViewDataPointer m_data;
    QString m_message;
    ViewSettings m_settings;
    bool m_behind = false;  ///< the snapshot changed while this was hidden
    std::vector<Hit> m_hits;
    mutable Hit m_part;              ///< what hitAt() found last in a hit of many
    std::string m_pressedRole;       ///< where the button was pressed last; empty: on none
    std::optional<double> m_slideY;  ///< where a slider was taken hold of
};

}  // namespace lanescope::gui
