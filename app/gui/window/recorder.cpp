// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/recorder.h"

#include <csignal>

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <utility>

#include <QDir>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTimer>

#include "core/findings/kinds/finding_kinds.h"

namespace lanescope::gui {

namespace {
constexpr int kKillAfterMs = 2000;
constexpr int kWaitAtEndMs = 1000;
constexpr qsizetype kTail = 4000;

RecordingEnd endOf(const QJsonObject& event)
{
    // As `lanescope` writes it: the end's parts, with the stop beside them.
    QStringList parts{event[QStringLiteral("how")].toString()};
    if (event.contains(QStringLiteral("status")))
        parts += QString::number(event[QStringLiteral("status")].toInt());
    else if (event.contains(QStringLiteral("signal")))
        parts += event[QStringLiteral("signal")].toString();
    const QJsonObject stopped = event[QStringLiteral("stopped")].toObject();
    return {trace::ProgramEnd::of(parts.join(QLatin1Char(' ')).toStdString()),
            stopped[QStringLiteral("kind")].toString(), stopped[QStringLiteral("message")].toString()};
}

QString progressText(const QJsonObject& event)
{
    const auto number = [&](const char* name) { return event[QLatin1String(name)].toDouble(); };
    return QObject::tr("launch %1, %2: %3 of %4 blocks, %5 million warp instructions, %6 s, %7 MB")
        .arg(number("launch"))
        .arg(event[QStringLiteral("kernel")].toString())
        .arg(number("blocksDone"))
        .arg(number("blocks"))
        .arg(number("warpInstructions") / 1e6, 0, 'f', 1)
        .arg(number("seconds"), 0, 'f', 1)
        .arg(number("bytes") / 1e6, 0, 'f', 1);
}

QString transferText(const QJsonObject& event)
{
    const auto megabytes = [&](const char* name) { return event[QLatin1String(name)].toDouble() / 1e6; };
    return QObject::tr("fetching the trace: %1 of %2 MB")
        .arg(megabytes("bytes"), 0, 'f', 1)
        .arg(megabytes("of"), 0, 'f', 1);
}

constexpr QLatin1String kFolderName("lanescope-window-");
constexpr QLatin1String kLockName(".lock");

/// A window that was killed leaves its recordings behind; whose lock nobody holds any more, nobody reads.
void removeAbandonedFolders()
{
    const QDir temporary(QDir::tempPath());
    for (const QFileInfo& folder :
         temporary.entryInfoList({kFolderName + QLatin1Char('*')}, QDir::Dirs | QDir::NoSymLinks)) {
        const QString lockPath = QDir(folder.filePath()).filePath(kLockName);
        QLockFile lock(lockPath);
        lock.setStaleLockTime(0);
        if (folder.ownerId() != getuid() || !QFileInfo::exists(lockPath) || !lock.tryLock(0))
            continue;
        lock.unlock();  // its file goes with the folder
        QDir(folder.filePath()).removeRecursively();
    }
}

}  // namespace

Recorder::Recorder(QString executable, QObject* parent)
    : QObject(parent), m_executable(std::move(executable)),
      m_folder(QDir(QDir::tempPath()).filePath(kFolderName + QLatin1String("XXXXXX"))),
      m_lock(m_folder.filePath(kLockName))
{
    m_lock.setStaleLockTime(0);
    m_lock.tryLock(0);
    removeAbandonedFolders();
    m_process.setProcessChannelMode(QProcess::MergedChannels);
    // However the window goes, a kernel that never ends must not stay behind.
    m_process.setChildProcessModifier([this] {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (m_progress[1] >= 0)
            fcntl(m_progress[1], F_SETFD, 0);
    });
    connect(&m_process, &QProcess::readyRead, this, &Recorder::read);
    connect(&m_process, &QProcess::finished, this, &Recorder::end);
    connect(&m_process, &QProcess::errorOccurred, this, &Recorder::startFailed);
}

Recorder::~Recorder()
{
    m_process.disconnect(this);
    closeProgress();
    if (!isRunning())
        return;
    m_process.terminate();
    if (!m_process.waitForFinished(kWaitAtEndMs)) {
        m_process.kill();
        m_process.waitForFinished(kWaitAtEndMs);
    }
}

void Recorder::start(const QString& program, const QString& device, const QStringList& more)
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
    QStringList arguments{QStringLiteral("record"),   program, QStringLiteral("-o"), m_trace,
                          QStringLiteral("--device"), device};
    m_end = {};
    m_isElsewhere = more.contains(QStringLiteral("--host"));
    if (openProgress())
        arguments += {QStringLiteral("--progress-fd"), QString::number(m_progress[1])};
    m_process.start(m_executable, arguments + more);
    // From now on the child's alone: it ends when the child does.
    if (m_progress[1] >= 0)
        ::close(std::exchange(m_progress[1], -1));
}

bool Recorder::openProgress()
{
    closeProgress();
    if (pipe2(m_progress, O_CLOEXEC) != 0)
        return false;
    fcntl(m_progress[0], F_SETFL, O_NONBLOCK);
    m_notifier = std::make_unique<QSocketNotifier>(m_progress[0], QSocketNotifier::Read);
    connect(m_notifier.get(), &QSocketNotifier::activated, this, &Recorder::readProgress);
    return true;
}

void Recorder::closeProgress()
{
    m_notifier.reset();
    m_line.clear();
    for (int& end : m_progress)
        if (end >= 0)
            ::close(std::exchange(end, -1));
}

void Recorder::readProgress()
{
    char bytes[4096];
    ssize_t count = 0;
    while ((count = ::read(m_progress[0], bytes, sizeof bytes)) > 0)
        m_line.append(bytes, count);
    for (qsizetype at = m_line.indexOf('\n'); at >= 0; at = m_line.indexOf('\n')) {
        const QJsonObject event = QJsonDocument::fromJson(m_line.left(at)).object();
        m_line.remove(0, at + 1);
        if (event[QStringLiteral("event")] == QStringLiteral("programEnd"))
            m_end = endOf(event);
        else if (event[QStringLiteral("event")] == QStringLiteral("progress"))
            emit progressed(progressText(event));
        else if (event[QStringLiteral("event")] == QStringLiteral("transfer"))
            emit progressed(transferText(event));
    }
    if (count == 0 && m_notifier)
        m_notifier->setEnabled(false);  // nobody writes any more
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
    readProgress();
    closeProgress();
    if (exitCode == 0 && m_end.program.how == trace::ProgramEnd::How::Unknown)
        m_end.program = trace::ProgramEnd::exited(0);
    emit finished(m_end, messageFor(status));
}

void Recorder::startFailed(QProcess::ProcessError error)
{
    if (error == QProcess::FailedToStart)
        emit finished({}, tr("The recorder '%1' could not be started: %2").arg(m_executable, m_process.errorString()));
}

QString Recorder::messageFor(QProcess::ExitStatus status) const
{
    using How = trace::ProgramEnd::How;
    if (m_cancelled)
        return tr("Recording cancelled; what was recorded so far is shown.");
    if (status == QProcess::CrashExit)
        return tr("The recording process crashed; what was recorded so far is shown.");
    if (m_end.program.how == How::Signal)
        return tr("The program was ended by %1; what was recorded up to there is shown.")
            .arg(QString::fromStdString(m_end.program.signal));
    if (m_end.program.how == How::Interrupted)
        return tr("The program was interrupted (%1); what was recorded up to there is shown.")
            .arg(QString::fromStdString(m_end.program.signal));
    if (!m_end.stopMessage.isEmpty())
        return stopMessage();
    static const QRegularExpression diagnostic(QStringLiteral("^(.*:\\d+:\\d+: (?:fatal )?error: .*)$"),
                                               QRegularExpression::MultilineOption);
    const bool isRunProgram = m_end.program.how == How::Exited || m_end.program.how == How::Limit;
    if (const auto match = diagnostic.match(m_tail); !isRunProgram && match.hasMatch())
        return tr("The program does not compile: %1").arg(match.captured(1));
    static const QRegularExpression reason(QStringLiteral("^lanescope: error: (.*)$"),
                                           QRegularExpression::MultilineOption);
    if (const auto match = reason.match(m_tail); m_isElsewhere && !isRunProgram && match.hasMatch())
        return tr("Nothing was recorded: %1").arg(match.captured(1));
    if (!isRunProgram)
        return tr("The program could not be compiled or run; the Output tab says why.");
    return {};
}

QString Recorder::stopMessage() const
{
    const std::optional<FindingKind> kind = kindNamed(m_end.stopKind.toStdString());
    if (kind && familyOf(*kind) == Family::Hang)
        return tr("A launch can never end, %1: %2").arg(QString::fromUtf8(infoOf(*kind).title), m_end.stopMessage);
    if (kind && familyOf(*kind) == Family::Limit)
        return tr("A limit stopped the recording, which is shown up to there: %1").arg(m_end.stopMessage);
    return tr("A launch was stopped: %1").arg(m_end.stopMessage);
}

}  // namespace lanescope::gui
