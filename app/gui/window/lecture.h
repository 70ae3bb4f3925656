// SPDX-License-Identifier: GPL-3.0-or-later
// Lecture mode: the stage alone on the whole screen, in the projector theme; everything comes back as it was.
#pragma once

#include <QByteArray>
#include <QString>

namespace lanescope::gui {

class MainWindow;
struct Views;

class Lecture {
public:
    void set(MainWindow& window, const Views& views, bool on);

private:
    bool m_on = false;
    QByteArray m_layout;
    QString m_theme;
    bool m_wasFullScreen = false;
};

}  // namespace lanescope::gui
