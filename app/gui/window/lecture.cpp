// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/lecture.h"

#include <QDockWidget>
#include <QLabel>
#include <QMenuBar>
#include <QStatusBar>
#include <QTimer>
#include <QToolBar>

#include "app/gui/stage/stage_widget.h"
#include "app/gui/window/banner.h"
#include "app/gui/window/main_window.h"

namespace lanescope::gui {

Lecture::Lecture(MainWindow& window) : m_escape(Qt::Key_Escape, &window)
{
    m_escape.setEnabled(false);
    QObject::connect(&m_escape, &QShortcut::activated, &window,
                     [&window] { window.actionTable()[Command::Lecture]->setChecked(false); });
}

void Lecture::set(MainWindow& window, const Views& views, bool on)
{
    if (on == m_on)
        return;
    m_on = on;
    if (on) {
        m_layout = window.saveState();
        m_theme = window.themeName();
        m_state = window.windowState();
        for (QDockWidget* dock : views.docks)
            dock->hide();
    }
    window.menuBar()->setVisible(!on);
    window.statusBar()->setVisible(!on);
    views.hoverText->parentWidget()->setVisible(!on);  // the overlays' buttons: their keys and the menu remain
    for (QToolBar* bar : window.findChildren<QToolBar*>())
        bar->setVisible(!on);
    if (!on)
        window.restoreState(m_layout);
    m_height = 0;
    if (on)
        fit(window);
    else
        window.setThemeName(m_theme);
    window.setWindowState(on ? m_state | Qt::WindowFullScreen : m_state);
    m_escape.setEnabled(on);
    views.stage->setFocus();
    if (on)
        tellTheWayOut(views);
    else
        views.banner->hideInfo();
}

/// Long enough to be read.
void Lecture::tellTheWayOut(const Views& views)
{
    constexpr int kReadingTime = 4000;  // ms
    views.banner->show(Banner::Kind::Info,
                       QObject::tr("Esc leaves the lecture. Arrow keys, or a presenter's, go from step to step."));
    QTimer::singleShot(kReadingTime, views.banner, &Banner::hideInfo);
}

void Lecture::fit(MainWindow& window)
{
    if (!m_on || m_height == window.height())
        return;
    m_height = window.height();
    window.setLectureHeight(m_height);
}

}  // namespace lanescope::gui
