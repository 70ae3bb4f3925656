// SPDX-License-Identifier: GPL-3.0-or-later
// Runs `lanescope exercise check FILE` as a child process: compiles, records and judges an answer.
#pragma once

#include <QObject>
#include <QProcess>
#include <QTemporaryDir>

#include <vector>

namespace lanescope::gui {

/// One thing that was looked at, as `lanescope exercise check --format json` tells it.
struct ExerciseCheck {
    bool passed = false;
    QString message;
    QString trace;  ///< of its test; empty: there is none
    QString focus;  ///< FOCUS of the step to look at; empty: none
};

struct ExerciseTest {
    QString title;
    bool ran = false;
    bool passed = false;
    QString trace;
    std::vector<ExerciseCheck> checks;
};

struct ExerciseVerdict {
    bool solved = false;
    std::vector<ExerciseTest> tests;

    /// Empty optional: \p document is none of the command's.
    static std::optional<ExerciseVerdict> of(const QByteArray& document);
    /// The first one that leads to a step, else the first; null where every check passed.
    [[nodiscard]] const ExerciseCheck* firstFailure() const;
};

class ExerciseRunner : public QObject {
    Q_OBJECT

public:
    /// \p executable: path of the lanescope binary.
    /// \p folder: for its recordings, which goes with the window.
    ExerciseRunner(QString executable, const QString& folder, QObject* parent = nullptr);
    ~ExerciseRunner() override;  ///< stops the child

    void start(const QString& file);
    void cancel();
    [[nodiscard]] bool isRunning() const { return m_process.state() != QProcess::NotRunning; }

signals:
    /// "test 2 of 4 …"
    void progressed(const QString& text);
    void judged(const lanescope::gui::ExerciseVerdict& verdict);
    /// It could not be run. \p output: what the command said, clang's messages too; empty: it was cancelled.
    void failed(const QString& output);

private:
    void readProgress();
    void end(int exitCode, QProcess::ExitStatus status);

    QString m_executable;
    QProcess m_process;
    QTemporaryDir m_folder;
    QByteArray m_said;  ///< on stderr
    bool m_cancelled = false;
    int m_count = 0;
};

}  // namespace lanescope::gui
