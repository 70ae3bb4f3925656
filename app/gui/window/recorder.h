// SPDX-License-Identifier: GPL-3.0-or-later
// Runs `lanescope record PROG.cu -o T.lanes` as a child process, so that nothing that the program does can
// take the window down.
#pragma once

#include <QObject>
#include <QProcess>
#include <QTemporaryDir>

namespace lanescope::gui {

class Recorder : public QObject {
    Q_OBJECT

public:
    /// \p executable: path of the lanescope binary.
    explicit Recorder(QString executable, QObject* parent = nullptr);
    ~Recorder() override;  ///< stops the child

    /// Starts; a recording under way is stopped first. The trace grows in a temporary file.
    /// \p device: as `lanescope record --device` takes it.
    void start(const QString& program, const QString& device);
    /// Asks the child to end, then ends it.
    void cancel();
    [[nodiscard]] bool isRunning() const { return m_process.state() != QProcess::NotRunning; }
    [[nodiscard]] QString tracePath() const { return m_trace; }

signals:
    void started(const QString& program, const QString& trace);
    void output(const QString& text);
    /// \p message: empty when it went well, else what to tell the user.
    void finished(int exitCode, const QString& message);

private:
    void read();
    void end(int exitCode, QProcess::ExitStatus status);
    void startFailed(QProcess::ProcessError error);
    [[nodiscard]] QString messageFor(int exitCode, QProcess::ExitStatus status) const;

    QString m_executable;
    QProcess m_process;
    QTemporaryDir m_folder;
    QString m_trace;
    QString m_tail;  ///< the last of the output, for messages
    bool m_cancelled = false;
    int m_count = 0;
};

}  // namespace lanescope::gui
