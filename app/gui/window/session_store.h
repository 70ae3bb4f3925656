// SPDX-License-Identifier: GPL-3.0-or-later
// What the window remembers from one run to the next: files opened lately, and where the user was.
#pragma once

#include <QString>
#include <QStringList>

namespace lanescope::gui {

/// What was open when the window closed.
struct LastSession {
    QString input;  ///< a program of the gallery, or a trace
    QString focus;  ///< FOCUS text; may be empty
};

class SessionStore {
public:
    /// The latest first; files that are gone are left out.
    [[nodiscard]] static QStringList recentFiles();
    static void noteOpened(const QString& path);
    static void keep(const LastSession& session);
    /// Empty input when there was none, or when it is gone.
    [[nodiscard]] static LastSession last();
    /// True the first time that it is asked on this account.
    [[nodiscard]] static bool isFirstRun();
};

}  // namespace lanescope::gui
