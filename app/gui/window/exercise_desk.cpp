// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/exercise_desk.h"

#include <QDir>
#include <QDockWidget>
#include <QFile>
#include <QFileInfo>
#include <QSettings>
#include <QStandardPaths>

#include "app/gui/window/exercise_panel.h"

namespace lanescope::gui {

namespace {

const QString kSolved = QStringLiteral("exercises/solved");

QString hintsKey(const std::string& name)
{
    return QStringLiteral("exercises/hints/") + QString::fromStdString(name);
}

}  // namespace

ExerciseDesk::ExerciseDesk(const QString& executable, QString gallery, const QString& folder, const Actions& actions,
                           const Views& views)
    : m_runner(executable, folder), m_gallery(std::move(gallery)), m_actions(actions), m_views(views)
{
    connect(m_actions[Command::CheckAnswer], &QAction::triggered, this, &ExerciseDesk::checkWanted);
    connect(m_actions[Command::Hint], &QAction::triggered, this, &ExerciseDesk::takeHint);
    connect(m_actions[Command::Solution], &QAction::triggered, this, &ExerciseDesk::showSolution);
    connect(m_actions[Command::StartOver], &QAction::triggered, this, &ExerciseDesk::restartWanted);
    connect(&m_runner, &ExerciseRunner::judged, this, &ExerciseDesk::takeVerdict);
    enableActions();
}

std::vector<ExerciseEntry> ExerciseDesk::list() const
{
    const QStringList solved = QSettings().value(kSolved).toStringList();
    std::vector<ExerciseEntry> all;
    for (const std::string& name : exercise::namesIn(m_gallery.toStdString()))
        if (const auto task = exercise::load(m_gallery.toStdString(), name)) {
            const exercise::Exercise& one = task.value().exercise;
            all.push_back({QString::fromStdString(name), QString::fromStdString(one.title),
                           QString::fromStdString(one.summary),
                           QDir(m_gallery).filePath(QString::fromStdString(one.program)), one.isRepair,
                           solved.contains(QString::fromStdString(name))});
        }
    return all;
}

Result<QString> ExerciseDesk::fileFor(const QString& name) const
{
    const auto task = exercise::load(m_gallery.toStdString(), name.toStdString());
    if (!task)
        return task.error();
    const QDir folder(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + QStringLiteral("/exercises"));
    const QString path = folder.filePath(name + QStringLiteral(".cu"));
    if (QFile::exists(path))
        return path;
    QFile file(path);
    const QByteArray text = QByteArray::fromStdString(task.value().sheet.start());
    if (!QDir().mkpath(folder.path()) || !file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
        return Error{Error::Code::Io, file.errorString().toStdString(), path.toStdString()};
    return path;
}

void ExerciseDesk::setProgram(const QString& program)
{
    const QString path = QFileInfo(program).absoluteFilePath();
    if (!m_file.isEmpty() && path == m_file)
        return;
    m_runner.cancel();
    m_task.reset();
    m_file.clear();
    if (const auto text = exercise::readText(program.toStdString()))
        if (const auto name = exercise::exerciseNamedIn(text.value()))
            if (auto task = exercise::load(m_gallery.toStdString(), *name)) {
                m_task = std::move(task).value();
                m_file = path;
            }
    enableActions();
    m_views.exerciseDock->setVisible(m_task.has_value());
    if (!m_task)
        return;
    m_views.exercise->setExercise(m_task->exercise);
    m_hints = QSettings().value(hintsKey(m_task->exercise.name)).toUInt();
    m_views.exercise->showHints(m_hints);
    enableActions();
    m_views.exerciseDock->raise();
}

QString ExerciseDesk::startText() const
{
    return m_task ? QString::fromStdString(m_task->sheet.start()) : QString();
}

void ExerciseDesk::takeHint()
{
    m_hints = std::min(m_hints + 1, m_task->exercise.hints.size());
    QSettings().setValue(hintsKey(m_task->exercise.name), static_cast<uint>(m_hints));
    m_views.exercise->showHints(m_hints);
    enableActions();
}

void ExerciseDesk::showSolution()
{
    m_views.exercise->showSolution(QString::fromStdString(m_task->sheet.solution()));
}

void ExerciseDesk::takeVerdict(const ExerciseVerdict& verdict)
{
    m_views.exercise->setVerdict(verdict);
    if (!verdict.solved || !m_task)
        return;
    QSettings settings;
    QStringList solved = settings.value(kSolved).toStringList();
    const QString name = QString::fromStdString(m_task->exercise.name);
    if (!solved.contains(name))
        settings.setValue(kSolved, solved << name);
    showSolution();
}

void ExerciseDesk::enableActions()
{
    for (const Command command : {Command::CheckAnswer, Command::Solution, Command::StartOver})
        m_actions[command]->setEnabled(m_task.has_value());
    m_actions[Command::Hint]->setEnabled(m_task && m_hints < m_task->exercise.hints.size());
}

}  // namespace lanescope::gui
