// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/export/render_job.h"

#include <csignal>

#include <sys/prctl.h>

#include <QFile>

namespace lanescope::gui {

RenderJob::RenderJob(QString executable, QObject* parent) : QObject(parent), m_executable(std::move(executable))
{
    m_process.setProcessChannelMode(QProcess::MergedChannels);
    m_process.setChildProcessModifier([] { prctl(PR_SET_PDEATHSIG, SIGTERM); });
    connect(&m_process, &QProcess::finished, this, &RenderJob::end);
    connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            emit finished(m_output, tr("'%1' could not be started: %2").arg(m_executable, m_process.errorString()));
    });
}

RenderJob::~RenderJob()
{
    m_process.disconnect(this);
    stop();
}

void RenderJob::stop()
{
    constexpr int kWaitMs = 2000;
    if (!isRunning())
        return;
    m_process.kill();
    m_process.waitForFinished(kWaitMs);
}

void RenderJob::start(const QStringList& arguments, const QString& output)
{
    cancel();
    m_cancelled = false;
    m_output = output;
    m_process.start(m_executable, QStringList{QStringLiteral("render")} + arguments << QStringLiteral("-o") << output);
}

void RenderJob::cancel()
{
    if (!isRunning())
        return;
    m_cancelled = true;
    stop();
}

void RenderJob::end(int exitCode, QProcess::ExitStatus status)
{
    if (m_cancelled) {
        QFile::remove(m_output);  // half a film
        emit finished(m_output, tr("The export was cancelled."));
        return;
    }
    const QString said = QString::fromUtf8(m_process.readAll()).trimmed();
    const bool good = status == QProcess::NormalExit && exitCode == 0;
    emit finished(m_output, good             ? QString()
                            : said.isEmpty() ? tr("The export ended without a word.")
                                             : said.section(u'\n', -1));
}

}  // namespace lanescope::gui
