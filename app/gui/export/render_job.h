// SPDX-License-Identifier: GPL-3.0-or-later
// Runs `lanescope render` as a child process: a film of a thousand steps takes a while and can be cancelled.
#pragma once

#include <QObject>
#include <QProcess>

namespace lanescope::gui {

class RenderJob : public QObject {
    Q_OBJECT

public:
    /// \p executable: path of the lanescope binary.
    explicit RenderJob(QString executable, QObject* parent = nullptr);
    ~RenderJob() override;  ///< stops the child

    /// \p arguments: of render, without the output. Replaces a job under way.
    void start(const QStringList& arguments, const QString& output);
    /// Stops the job and removes what it has written.
    void cancel();
    [[nodiscard]] bool isRunning() const { return m_process.state() != QProcess::NotRunning; }

signals:
    /// \p message: empty when it went well, else what to tell the user.
    void finished(const QString& output, const QString& message);

private:
    void stop();
    void end(int exitCode, QProcess::ExitStatus status);

    QString m_executable;
    QString m_output;
    QProcess m_process;
    bool m_cancelled = false;
};

}  // namespace lanescope::gui
