// SPDX-License-Identifier: GPL-3.0-or-later
// Lecture mode: the stage alone on the whole screen, in the projector theme; everything comes back as it was.
#pragma once

#include <QByteArray>
#include <QShortcut>
#include <QString>

namespace lanescope::gui {

class MainWindow;
struct Views;

class Lecture {
public:
    explicit Lecture(MainWindow& window);
    void set(MainWindow& window, const Views& views, bool on);
    /// The window has another size.
    void fit(MainWindow& window);

private:
    static void tellTheWayOut(const Views& views);

    bool m_on = false;
    int m_height = 0;  ///< of the window that type is fitted to
    QByteArray m_layout;
    QString m_theme;
    Qt::WindowStates m_state;
    QShortcut m_escape;  ///< leaves; not where Esc means something else
};

}  // namespace lanescope::gui
