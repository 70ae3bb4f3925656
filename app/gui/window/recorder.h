// SPDX-License-Identifier: GPL-3.0-or-later
// Runs `lanescope record PROG.cu -o T.lanes` as a child process, so that nothing that the program does can
// take the window down.
#pragma once

#include <memory>

#include <QDir>
#include <QLockFile>
#include <QObject>
#include <QProcess>
#include <QSocketNotifier>
#include <QTemporaryDir>

#include "core/trace/program_end.h"

namespace lanescope::gui {

/// How the recorded program ended, by its own account and the command's, not by the exit status, which may be anything.
struct RecordingEnd {
    trace::ProgramEnd program;
    QString stopKind;     ///< of finding, when a launch was stopped: "step-limit", "livelock"
    QString stopMessage;  ///< why one was; empty: none was

    [[nodiscard]] bool isGood() const { return program == trace::ProgramEnd::exited(0) && stopMessage.isEmpty(); }
};

class Recorder : public QObject {
    Q_OBJECT

public:
    /// \p executable: path of the lanescope binary.
    explicit Recorder(QString executable, QObject* parent = nullptr);
    ~Recorder() override;  ///< stops the child

    /// Starts; a recording under way is stopped first. The trace grows in a temporary file.
    /// \p device: as `lanescope record --device` takes it. \p more: of its command line, RecordSettings::commandLine.
    void start(const QString& program, const QString& device, const QStringList& more = {});
    /// Asks the child to end, then ends it.
    void cancel();
    [[nodiscard]] bool isRunning() const { return m_process.state() != QProcess::NotRunning; }
    [[nodiscard]] QString tracePath() const { return m_trace; }
    /// For files of this window; a later one removes it where this one was killed.
    [[nodiscard]] QString folder() const { return m_folder.isValid() ? m_folder.path() : QDir::tempPath(); }

signals:
    void started(const QString& program, const QString& trace);
    void output(const QString& text);
    /// "launch 0, over: 12 of 64 blocks, 163 million warp instructions, 3 s, 12 MB"
    void progressed(const QString& text);
    /// \p message: empty when it went well, else what to tell the user.
    void finished(const RecordingEnd& end, const QString& message);

private:
    void read();
    void readProgress();
    bool openProgress();
    void closeProgress();
    void end(int exitCode, QProcess::ExitStatus status);
    void startFailed(QProcess::ProcessError error);
    [[nodiscard]] QString messageFor(QProcess::ExitStatus status) const;
    [[nodiscard]] QString stopMessage() const;

    QString m_executable;
    QProcess m_process;
    QTemporaryDir m_folder;
    QLockFile m_lock;  ///< of the folder, while this window lives
    QString m_trace;
    QString m_tail;  ///< the last of the output, for messages
    RecordingEnd m_end;
    int m_progress[2] = {-1, -1};  ///< pipe of `--progress-fd`: what we read, what the child writes
    std::unique_ptr<QSocketNotifier> m_notifier;
    QByteArray m_line;  ///< of progress, so far
    bool m_cancelled = false;
    bool m_isElsewhere = false;  ///< another machine records
    int m_count = 0;
};

}  // namespace lanescope::gui
