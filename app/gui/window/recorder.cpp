// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/recorder.h"

#include <csignal>

#include <sys/prctl.h>

#include <QFileInfo>
#include <QRegularExpression>
#include <QTimer>

namespace lanescope::gui {

namespace {
constexpr int kKillAfterMs = 2000;
constexpr int kWaitAtEndMs = 1000;
constexpr qsizetype kTail = 4000;
}  // namespace

Recorder::Recorder(QString executable, QObject* parent) : QObject(parent), m_executable(std::move(executable))
{
    m_process.setProcessChannelMode(QProcess::MergedChannels);
    // However the window goes, a kernel that never ends must not stay behind.
    m_process.setChildProcessModifier([] { prctl(PR_SET_PDEATHSIG, SIGTERM); });
    connect(&m_process, &QProcess::readyRead, this, &Recorder::read);
    connect(&m_process, &QProcess::finished, this, &Recorder::end);
    connect(&m_process, &QProcess::errorOccurred, this, &Recorder::startFailed);
}

Recorder::~Recorder()
{
    m_process.disconnect(this);
    if (!isRunning())
        return;
    m_process.terminate();
    if (!m_process.waitForFinished(kWaitAtEndMs)) {
        m_process.kill();
        m_process.waitForFinished(kWaitAtEndMs);
    }
}

void Recorder::start(const QString& program, const QString& device)
{
    if (isRunning()) {
        m_process.kill();
        m_process.waitForFinished(kWaitAtEndMs);
    }
    m_cancelled = false;
    m_tail.clear();
    m_trace =
        m_folder.filePath(QStringLiteral("%1-%2.lanes").arg(QFileInfo(program).completeBaseName()).arg(++m_count));
    emit started(program, m_trace);
    m_process.start(m_executable, {QStringLiteral("record"), program, QStringLiteral("-o"), m_trace,
                                   QStringLiteral("--device"), device});
}

void Recorder::cancel()
{
    if (!isRunning())
        return;
    m_cancelled = true;
    m_process.terminate();
    QTimer::singleShot(kKillAfterMs, &m_process, [this, count = m_count] {
        if (isRunning() && count == m_count)
            m_process.kill();
    });
}

void Recorder::read()
{
    const QString text = QString::fromUtf8(m_process.readAll());
    m_tail = (m_tail + text).right(kTail);
    emit output(text);
}

void Recorder::end(int exitCode, QProcess::ExitStatus status)
{
    read();
    emit finished(exitCode, messageFor(exitCode, status));
}

void Recorder::startFailed(QProcess::ProcessError error)
{
    if (error == QProcess::FailedToStart)
        emit finished(-1, tr("The recorder '%1' could not be started: %2").arg(m_executable, m_process.errorString()));
}

QString Recorder::messageFor(int exitCode, QProcess::ExitStatus status) const
{
    if (m_cancelled)
        return tr("Recording cancelled; what was recorded so far is shown.");
    if (status == QProcess::CrashExit)
        return tr("The recording process crashed; what was recorded so far is shown.");
    static const QRegularExpression diagnostic(QStringLiteral("^(.*:\\d+:\\d+: (?:fatal )?error: .*)$"),
                                               QRegularExpression::MultilineOption);
    if (const auto match = diagnostic.match(m_tail); exitCode == 2 && match.hasMatch())
        return tr("The program does not compile: %1").arg(match.captured(1));
    if (exitCode == 2)
        return tr("The program could not be compiled or run; the Output tab says why.");
    if (exitCode == 3)
        return tr("A limit stopped the recording; what was recorded up to there is shown.");
    return {};
}

}  // namespace lanescope::gui
