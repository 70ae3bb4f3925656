// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/thumbnails.h"

#include <csignal>

#include <sys/prctl.h>

#include <QCryptographicHash>
#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>

#include <algorithm>

namespace lanescope::gui {

namespace {
constexpr int kWaitAtEndMs = 1000;
}

Thumbnails::Thumbnails(QString executable, const RecordingCache& recordings, const QString& folder, QObject* parent)
    : QObject(parent), m_executable(std::move(executable)), m_recordings(recordings),
      m_folder(folder + QStringLiteral("/thumbnails-XXXXXX"))
{
    m_process.setStandardOutputFile(QProcess::nullDevice());
    m_process.setStandardErrorFile(QProcess::nullDevice());
    m_process.setChildProcessModifier([] { prctl(PR_SET_PDEATHSIG, SIGTERM); });
    connect(&m_process, &QProcess::finished, this, &Thumbnails::end);
    connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            m_waiting.clear();  // none of them can be drawn
    });
}

Thumbnails::~Thumbnails()
{
    m_process.disconnect(this);
    m_process.kill();
    m_process.waitForFinished(kWaitAtEndMs);
}

void Thumbnails::setTheme(const QString& name)
{
    if (m_theme == name)
        return;
    m_theme = name;
    m_pictures.clear();
    m_waiting.clear();
}

/// Another one for another text of the program, another drawer, another theme.
QString Thumbnails::placeOf(const ThumbnailOf& what) const
{
    const QFileInfo program(what.program);
    const QFileInfo drawer(m_executable);
    const QString key = QStringLiteral("%1 %2 %3 %4 %5 %6 %7")
                            .arg(program.canonicalFilePath())
                            .arg(program.lastModified().toMSecsSinceEpoch())
                            .arg(program.size())
                            .arg(drawer.lastModified().toMSecsSinceEpoch())
                            .arg(drawer.size())
                            .arg(m_theme)
                            .arg(what.tour);
    const QByteArray hash = QCryptographicHash::hash(key.toUtf8(), QCryptographicHash::Sha1).toHex();
    return QDir(QStandardPaths::writableLocation(QStandardPaths::CacheLocation) + QStringLiteral("/thumbnails"))
        .filePath(QString::fromLatin1(hash) + QStringLiteral(".png"));
}

QPixmap Thumbnails::of(const ThumbnailOf& what)
{
    if (const auto known = m_pictures.find(what); known != m_pictures.end())
        return known->second;
    if (QPixmap kept; kept.load(placeOf(what)))
        return m_pictures[what] = kept;
    if (std::ranges::find(m_waiting, what) == m_waiting.end())
        m_waiting.push_back(what);
    next();
    return {};
}

void Thumbnails::setRunning(bool on)
{
    m_isRunning = on;
    next();
}

void Thumbnails::next()
{
    if (!m_isRunning || m_waiting.empty() || m_process.state() != QProcess::NotRunning)
        return;
    const QString kept = m_recordings.find(m_waiting.front().program);
    if (kept.isEmpty())
        record();
    else
        draw(kept);
}

void Thumbnails::record()
{
    m_isDrawing = false;
    m_trace = m_folder.filePath(QStringLiteral("thumbnail.lanes"));
    QFile::remove(m_trace);
    m_process.start(m_executable, {QStringLiteral("record"), QStringLiteral("-q"), QStringLiteral("-o"), m_trace,
                                   m_waiting.front().program});
}

void Thumbnails::draw(const QString& trace)
{
    m_isDrawing = true;
    const QString place = placeOf(m_waiting.front());
    QDir().mkpath(QFileInfo(place).path());
    QStringList arguments{QStringLiteral("render"),  trace,
                          QStringLiteral("--view"),  QStringLiteral("stage"),
                          QStringLiteral("--theme"), m_theme,
                          QStringLiteral("-o"),      place,
                          QStringLiteral("--size"),  QStringLiteral("%1x%2").arg(kSize.width()).arg(kSize.height())};
    if (m_waiting.front().tour)
        arguments << QStringLiteral("--tour-stop") << QStringLiteral("1") << QStringLiteral("--no-caption");
    m_process.start(m_executable, arguments);
}

void Thumbnails::end()
{
    if (m_waiting.empty())
        return;  // the theme has changed meanwhile
    const ThumbnailOf what = m_waiting.front();
    if (!m_isDrawing && QFileInfo(m_trace).size() > 0) {
        if (m_process.exitStatus() == QProcess::NormalExit && m_process.exitCode() == 0)
            m_recordings.keep(what.program, m_trace);  // it opens at once then
        return draw(m_trace);
    }
    m_waiting.pop_front();
    QPixmap drawn;
    drawn.load(placeOf(what));
    m_pictures[what] = drawn;  // null: it cannot be drawn
    if (!drawn.isNull())
        emit ready(what);
    next();
}

}  // namespace lanescope::gui
