// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/session_store.h"

#include <QFileInfo>
#include <QSettings>

namespace lanescope::gui {

namespace {

constexpr qsizetype kMostRecent = 10;
const QString kRecent = QStringLiteral("recentFiles");
const QString kLastInput = QStringLiteral("lastSession/input");
const QString kLastFocus = QStringLiteral("lastSession/focus");
const QString kGreeted = QStringLiteral("greeted");

}  // namespace

QStringList SessionStore::recentFiles()
{
    QStringList files = QSettings().value(kRecent).toStringList();
    files.removeIf([](const QString& path) { return !QFileInfo::exists(path); });
    return files;
}

void SessionStore::noteOpened(const QString& path)
{
    const QString whole = QFileInfo(path).absoluteFilePath();
    QStringList files = recentFiles();
    files.removeAll(whole);
    files.prepend(whole);
    while (files.size() > kMostRecent)
        files.removeLast();
    QSettings().setValue(kRecent, files);
}

void SessionStore::keep(const LastSession& session)
{
    QSettings settings;
    settings.setValue(kLastInput, session.input.isEmpty() ? QString() : QFileInfo(session.input).absoluteFilePath());
    settings.setValue(kLastFocus, session.focus);
}

LastSession SessionStore::last()
{
    const QSettings settings;
    LastSession session{settings.value(kLastInput).toString(), settings.value(kLastFocus).toString()};
    return QFileInfo::exists(session.input) ? session : LastSession{};
}

bool SessionStore::isFirstRun()
{
    QSettings settings;
    const bool first = !settings.value(kGreeted, false).toBool();
    settings.setValue(kGreeted, true);
    return first;
}

}  // namespace lanescope::gui
