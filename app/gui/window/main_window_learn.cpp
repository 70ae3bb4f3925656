// SPDX-License-Identifier: GPL-3.0-or-later
// MainWindow: the start page, and the exercise that is worked at.
#include <QDockWidget>
#include <QFile>
#include <QListView>
#include <QMessageBox>
#include <QPlainTextEdit>

#include "app/gui/source/source_view.h"
#include "app/gui/stage/stage_widget.h"
#include "app/gui/tour/tour_bar.h"
#include "app/gui/window/banner.h"
#include "app/gui/window/exercise_panel.h"
#include "app/gui/window/gallery_panel.h"
#include "app/gui/window/main_window.h"
#include "app/gui/window/session_store.h"
#include "app/gui/window/start_page.h"
#include "core/exercise/sheet.h"

namespace lanescope::gui {

void MainWindow::connectLearning()
{
    m_views.start->setThumbnails(m_thumbnails);
    connect(m_actions[Command::Start], &QAction::toggled, this, &MainWindow::showStart);
    connect(m_views.start, &StartPage::closeWanted, this, [this] {
        if (m_focus.snapshot())
            m_actions[Command::Start]->setChecked(false);
        else
            say(tr("Nothing is open yet: choose something, or Ctrl+O for a file."));
    });
    connect(m_views.start, &StartPage::fileChosen, this, [this](const QString& path) { open(path, {}); });
    connect(m_views.start, &StartPage::exerciseChosen, this, &MainWindow::startExercise);
    connect(m_views.start, &StartPage::tourChosen, this, &MainWindow::startTour);
    connect(&m_exercise, &ExerciseDesk::checkWanted, this, &MainWindow::checkAnswer);
    connect(&m_exercise, &ExerciseDesk::restartWanted, this, &MainWindow::startOver);
    connect(&m_exercise.runner(), &ExerciseRunner::progressed, this, [this](const QString& text) {
        m_views.banner->show(Banner::Kind::Busy, tr("Checking the answer: %1").arg(text), tr("Cancel"));
    });
    connect(&m_exercise.runner(), &ExerciseRunner::judged, this, &MainWindow::showVerdict);
    connect(&m_exercise.runner(), &ExerciseRunner::failed, this, &MainWindow::showNoVerdict);
    connect(m_views.exercise, &ExercisePanel::checkChosen, this,
            [this](const ExerciseCheck& check) { showTest(check.trace, check.focus); });
    connect(&m_focus, &FocusController::snapshotChanged, this, &MainWindow::revealHole);
}

void MainWindow::showStart(bool on)
{
    if (on == m_views.start->isVisibleTo(this))
        return;
    if (on) {
        m_actions[Command::Lecture]->setChecked(false);
        m_actions[Command::Tour]->setChecked(false);
        m_views.banner->hideInfo();
        m_layoutBeforeStart = saveState();
        for (QDockWidget* dock : m_views.docks)
            dock->hide();
        m_views.start->fill(toursThrough(m_gallery), m_exercise.list(), SessionStore::recentFiles());
    }
    m_views.stage->setVisible(!on);
    m_views.stageBar->setVisible(!on);
    m_views.start->setVisible(on);
    if (on) {
        m_views.start->lists().front()->setFocus();
        return;
    }
    restoreState(m_layoutBeforeStart);
    m_views.stage->setFocus();
}

void MainWindow::startTour(const QString& program)
{
    open(program, {});
    m_tourWanted = program;
    if (m_traceOpen)
        playWantedTour();
}

/// Once the program that it leads through is open, its recording whole.
void MainWindow::playWantedTour()
{
    if (m_tourWanted.isEmpty() || m_tour.tour() == nullptr || m_program != m_tourWanted)
        return;
    m_tourWanted.clear();
    m_actions[Command::Tour]->setChecked(true);
}

void MainWindow::startExercise(const QString& name)
{
    const Result<QString> file = m_exercise.fileFor(name);
    if (!file) {
        m_views.banner->show(Banner::Kind::Error, QString::fromStdString(file.error().text()));
        return;
    }
    open(file.value(), {});
}

/// The program that was opened may be an answer to an exercise: then it is shown to be edited.
void MainWindow::takeExercise(const QString& program)
{
    m_exercise.setProgram(program);
    m_holeWanted = !m_exercise.file().isEmpty();
    m_actions[Command::Edit]->setChecked(m_holeWanted);
}

/// Once its text is there: the cursor in the hole.
void MainWindow::revealHole()
{
    if (!m_holeWanted)
        return;
    const auto hole = exercise::holeLinesOf(m_views.source->text().toStdString());
    if (!hole)
        return;
    m_holeWanted = false;
    m_views.source->putCursor(hole->first);
    m_views.source->setFocus();
}

void MainWindow::checkAnswer()
{
    if (m_exercise.file().isEmpty() || !saveEdited(m_exercise.file()))
        return;
    m_recorder.cancel();
    m_views.source->showDiagnostics({});
    m_views.exercise->clearVerdict();
    m_views.banner->show(Banner::Kind::Busy, tr("Checking the answer …"), tr("Cancel"));
    m_exercise.runner().start(m_exercise.file());
}

void MainWindow::showVerdict(const ExerciseVerdict& verdict)
{
    m_views.banner->hide();
    m_views.exerciseDock->show();
    m_views.exerciseDock->raise();
    if (const ExerciseCheck* failure = verdict.firstFailure())
        showTest(failure->trace, failure->focus);
    else if (!verdict.tests.empty())
        showTest(verdict.tests.front().trace, {});
}

/// The recording of a test.
void MainWindow::showTest(const QString& trace, const QString& focus)
{
    if (trace.isEmpty())
        return;
    if (trace == m_tracePath && m_traceOpen) {
        if (!focus.isEmpty())
            m_focus.goToText(focus);
        return;
    }
    openTrace(trace, focus);
}

void MainWindow::showNoVerdict(const QString& output)
{
    if (output.isEmpty()) {
        m_views.banner->show(Banner::Kind::Info, tr("The check was cancelled."));
        return;
    }
    m_views.output->setPlainText(output);
    m_views.source->showDiagnostics(output);
    offerOutput();
    const QString last = output.section(u'\n', -1);
    m_views.banner->show(Banner::Kind::Error,
                         last.startsWith(QLatin1String("lanescope: error: ")) ? last.mid(18) : last, tr("Show output"));
}

void MainWindow::startOver()
{
    const auto answer = QMessageBox::question(this, tr("Start over"), tr("Throw away what was written so far?"));
    if (answer == QMessageBox::Yes)
        throwAnswerAway();
}

void MainWindow::throwAnswerAway()
{
    QFile file(m_exercise.file());
    const QByteArray text = m_exercise.startText().toUtf8();
    if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size()) {
        m_views.banner->show(Banner::Kind::Error, tr("Cannot save %1: %2").arg(file.fileName(), file.errorString()));
        return;
    }
    file.close();
    m_views.source->setModified(false);
    m_views.exercise->clearVerdict();
    m_holeWanted = true;
    record(file.fileName(), {});
}

}  // namespace lanescope::gui
