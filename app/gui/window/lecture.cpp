// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/lecture.h"

#include <QDockWidget>
#include <QMenuBar>
#include <QStatusBar>
#include <QToolBar>

#include "app/gui/stage/stage_widget.h"
#include "app/gui/window/main_window.h"

namespace lanescope::gui {

void Lecture::set(MainWindow& window, const Views& views, bool on)
{
    if (on == m_on)
        return;
    m_on = on;
    if (on) {
        m_layout = window.saveState();
        m_theme = window.themeName();
        m_wasFullScreen = window.isFullScreen();
        for (QDockWidget* dock : views.docks)
            dock->hide();
    }
    window.menuBar()->setVisible(!on);
    window.statusBar()->setVisible(!on);
    for (QToolBar* bar : window.findChildren<QToolBar*>())
        bar->setVisible(!on);
    if (!on)
        window.restoreState(m_layout);
    window.setThemeName(on ? QStringLiteral("projector") : m_theme);
    if (on)
        window.showFullScreen();
    else if (!m_wasFullScreen)
        window.showNormal();
    views.stage->setFocus();
}

}  // namespace lanescope::gui
