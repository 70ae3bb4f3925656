// SPDX-License-Identifier: GPL-3.0-or-later
// A second recording beside the one that is open, in the stage's place; it keeps step.
#pragma once

#include <QObject>
#include <QPointer>

#include "app/gui/engine/focus_controller.h"
#include "app/gui/views/view_widget.h"
#include "app/gui/window/actions.h"

namespace lanescope::gui {

struct Views;

class Comparison : public QObject {
    Q_OBJECT

public:
    /// All must outlive it.
    Comparison(FocusController& focus, ViewWorker& worker, const Actions& actions, const Views& views);

    /// Shows the trace at \p path beside the open one; empty: the stage alone again.
    void with(const QString& path);
    void setTheme(const Theme& theme);
    /// Null while nothing is compared.
    [[nodiscard]] ViewWidget* widget() const { return m_widget; }

private:
    void toggle(bool on);

    FocusController& m_focus;
    ViewWorker& m_worker;
    const Actions& m_actions;
    const Views& m_views;
    QPointer<ViewWidget> m_widget;
    const Theme* m_theme = nullptr;
};

}  // namespace lanescope::gui
