// SPDX-License-Identifier: GPL-3.0-or-later
// The exercise that the user works at: its file, its hints, the verdict.
#pragma once

#include <QObject>
#include <QString>

#include <optional>

#include "app/gui/window/actions.h"
#include "app/gui/window/exercise_runner.h"
#include "app/gui/window/views.h"
#include "core/exercise/shelf.h"

namespace lanescope::gui {

/// An exercise in a list.
struct ExerciseEntry {
    QString name;
    QString title;
    QString summary;
    QString program;  ///< path
    bool isRepair = false;
    bool isSolved = false;
};

class ExerciseDesk : public QObject {
    Q_OBJECT

public:
    /// \p gallery: folder of the programs. All must outlive it.
    ExerciseDesk(const QString& executable, QString gallery, const QString& folder, const Actions& actions,
                 const Views& views);

    [[nodiscard]] std::vector<ExerciseEntry> list() const;
    /// The user's own copy of the exercise \p name, made where there is none yet.
    [[nodiscard]] Result<QString> fileFor(const QString& name) const;
    /// Shows the exercise that \p program is an answer to; none: the desk is cleared.
    void setProgram(const QString& program);
    /// The file that is worked at; empty: none.
    [[nodiscard]] QString file() const { return m_file; }
    [[nodiscard]] ExerciseRunner& runner() { return m_runner; }
    /// The text of file() as it was begun.
    [[nodiscard]] QString startText() const;

signals:
    /// file() is to be saved, then the runner started.
    void checkWanted();
    /// file() is to be begun again.
    void restartWanted();

private:
    void takeHint();
    void showSolution();
    void takeVerdict(const ExerciseVerdict& verdict);
    void enableActions();

    ExerciseRunner m_runner;
    QString m_gallery;
    const Actions& m_actions;
    const Views& m_views;
    QString m_file;
    std::optional<exercise::Task> m_task;
    size_t m_hints = 0;  ///< taken
};

}  // namespace lanescope::gui
