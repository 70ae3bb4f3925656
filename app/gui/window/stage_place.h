// SPDX-License-Identifier: GPL-3.0-or-later
// The middle of the window: the stage, or one analysis in its place. Tours and comparisons take it from each other.
#pragma once

#include <QObject>
#include <QPointer>

#include "app/gui/engine/focus_controller.h"
#include "app/gui/views/view_widget.h"

namespace lanescope::gui {

struct Views;

class StagePlace : public QObject {
    Q_OBJECT

public:
    /// All must outlive it.
    StagePlace(FocusController& focus, ViewWorker& worker, const Views& views);

    /// Takes the place of whatever is there; lives until something else does.
    ViewWidget* show(const View& view, const ViewSettings& settings);
    void showStage();
    /// Null while the stage is there.
    [[nodiscard]] ViewWidget* widget() const { return m_widget; }
    void setTheme(const Theme& theme);

signals:
    /// Something else is there.
    void changed();

private:
    FocusController& m_focus;
    ViewWorker& m_worker;
    const Views& m_views;
    QPointer<ViewWidget> m_widget;
    const Theme* m_theme;
};

}  // namespace lanescope::gui
