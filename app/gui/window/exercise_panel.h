// SPDX-License-Identifier: GPL-3.0-or-later
// What an exercise wants, the verdict on the answer, the hints taken so far.
#pragma once

#include <QWidget>

#include "app/gui/window/exercise_runner.h"
#include "core/exercise/exercise.h"

class QAction;
class QLabel;
class QStandardItemModel;
class QTreeView;

namespace lanescope::gui {

class ExercisePanel : public QWidget {
    Q_OBJECT

public:
    /// \p buttons: what is on them and what they do, in their order.
    explicit ExercisePanel(const std::vector<std::pair<QString, QAction*>>& buttons, QWidget* parent = nullptr);

    void setExercise(const exercise::Exercise& exercise);
    /// The first \p count of the exercise's hints.
    void showHints(size_t count);
    /// Empty: it is hidden.
    void showSolution(const QString& code);
    void setVerdict(const ExerciseVerdict& verdict);
    void clearVerdict();
    [[nodiscard]] QTreeView* verdict() const { return m_verdict; }
    [[nodiscard]] QString text() const;
    QSize sizeHint() const override { return {320, 500}; }

signals:
    /// The user wants to see where a check failed.
    void checkChosen(const lanescope::gui::ExerciseCheck& check);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QLabel* addLabel(const char* objectName, QWidget* parent);
    void choose(const QModelIndex& index);

    exercise::Exercise m_exercise;
    QLabel* m_title;
    QLabel* m_text;
    QLabel* m_hints;
    QLabel* m_solution;
    QLabel* m_state;  ///< "solved", "not yet"
    QStandardItemModel* m_model;
    QTreeView* m_verdict;
    std::vector<ExerciseCheck> m_checks;  ///< of the verdict, by the number that an item has
};

}  // namespace lanescope::gui
