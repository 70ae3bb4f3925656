// SPDX-License-Identifier: GPL-3.0-or-later
// MainWindow: opening, recording, following a growing trace, exporting.
#include <QClipboard>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QImage>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QSaveFile>
#include <QStandardPaths>
#include <QTabBar>

#include "app/gui/source/source_view.h"
#include "app/gui/stage/stage_picture.h"
#include "app/gui/stage/stage_widget.h"
#include "app/gui/timeline/timeline_widget.h"
#include "app/gui/views/view_widget.h"
#include "app/gui/window/banner.h"
#include "app/gui/window/export_dialog.h"
#include "app/gui/window/main_window.h"
#include "app/gui/window/rank_choice.h"
#include "app/gui/window/record_settings.h"
#include "app/gui/window/session_store.h"
#include "app/gui/window/shortcuts_dialog.h"
#include "app/gui/window/stops_panel.h"

namespace lanescope::gui {

namespace {

constexpr int kFollowMs = 120;
constexpr qint64 kLargestKept = qint64{64} << 20;  // bytes of a recording that the next start opens again

/// By its name while it may still be written, else by how it begins: people rename files.
bool isTrace(const QString& path)
{
    if (path.endsWith(QLatin1String(".lanes")))
        return true;
    QFile file(path);
    const QByteArray mark("SQLite format 3");
    return file.open(QIODevice::ReadOnly) && file.read(mark.size()) == mark;
}

/// Empty where nobody chose one. A name without a suffix gets \p suffix.
QString askForFile(QWidget* parent, const QString& title, const QString& name, const QString& filter,
                   const QString& suffix)
{
    QFileDialog dialog(parent, title, {}, filter);
    dialog.setAcceptMode(QFileDialog::AcceptSave);
    dialog.setDefaultSuffix(suffix);
    dialog.selectFile(name);
    return dialog.exec() == QDialog::Accepted ? dialog.selectedFiles().constFirst() : QString();
}

}  // namespace

void MainWindow::connectFileCommands()
{
    connect(m_actions[Command::Open], &QAction::triggered, this, &MainWindow::chooseFile);
    connect(m_actions[Command::Record], &QAction::triggered, this, &MainWindow::recordAgain);
    connect(m_actions[Command::RecordWith], &QAction::triggered, this, &MainWindow::askHowToRecord);
    connect(m_actions[Command::SaveTrace], &QAction::triggered, this, &MainWindow::askWhereToSave);
    connect(m_actions[Command::Cancel], &QAction::triggered, &m_recorder, &Recorder::cancel);
    connect(m_actions[Command::Edit], &QAction::toggled, m_views.source, &SourceView::setEditing);
    const auto markEdited = [this] { setWindowModified(m_views.source->isEdited()); };
    connect(m_actions[Command::Edit], &QAction::toggled, this, markEdited);
    connect(m_views.source, &QsciScintilla::modificationChanged, this, markEdited);
    connect(m_actions[Command::ExportStage], &QAction::triggered, this, &MainWindow::exportStage);
    connect(m_actions[Command::ExportWindow], &QAction::triggered, this, &MainWindow::exportWindow);
    connect(m_actions[Command::ExportTab], &QAction::triggered, this, &MainWindow::exportTab);
    connect(m_actions[Command::ExportSteps], &QAction::triggered, this, &MainWindow::askForSteps);
    connect(&m_renderJob, &RenderJob::finished, this, &MainWindow::exportFinished);
    connect(m_actions[Command::CopyPicture], &QAction::triggered, this, &MainWindow::copyPicture);
    connect(m_actions[Command::Quit], &QAction::triggered, this, &QWidget::close);
    connect(m_actions[Command::ResetLayout], &QAction::triggered, this, [this] { arrangeDocks(*this, m_views); });
    connect(m_actions[Command::NextTheme], &QAction::triggered, this, [this] {
        const QStringList names = themeNames();
        setThemeName(names[(names.indexOf(m_themeName) + 1) % names.size()]);
    });
    connect(m_actions[Command::Shortcuts], &QAction::triggered, this,
            [this] { ShortcutsDialog(m_actions, this).exec(); });
    connect(m_actions[Command::About], &QAction::triggered, this, [this] {
        QMessageBox::about(this, tr("About Lanescope"),
                           tr("<b>Lanescope %1</b><p>A visual debugger for GPU kernels, with a simulator of its own."
                              "<p>The window is GPL-3.0-or-later, the recorder and the simulator are Apache-2.0 with "
                              "the LLVM exception. Built with Qt %2, QScintilla, LLVM, SQLite and zstd.")
                               .arg(QStringLiteral(LANESCOPE_VERSION), QString::fromLatin1(qVersion())));
    });
    connect(m_views.recentMenu, &QMenu::aboutToShow, this, &MainWindow::fillRecentMenu);
    connect(m_views.banner, &Banner::actionTriggered, this, [this] {
        if (m_recorder.isRunning())
            m_recorder.cancel();
        else if (m_exercise.runner().isRunning())
            m_exercise.runner().cancel();
        else if (m_renderJob.isRunning())
            m_renderJob.cancel();
        else
            showOutput();
    });
    connect(m_views.ranks, &RankChoice::traceChosen, this,
            [this](const QString& trace) { openTrace(trace, m_focus.text()); });
    for (const auto& [command, by] : {std::pair(Command::RankBack, -1), std::pair(Command::Rank, 1)})
        connect(m_actions[command], &QAction::triggered, this, [this, step = by] {
            if (m_views.ranks->traces().size() < 2)
                say(tr("One process is open; lanescope view run.*.lanes opens a job's ranks."));
            m_views.ranks->turn(step);
        });
    m_views.tabs->setTabEnabled(kOutputTab, false);
}

void MainWindow::connectEngine()
{
    connect(&m_engine, &Engine::opened, this, [this] {
        m_traceOpen = true;
        m_worker.open(m_tracePath);
        m_views.stops->model()->clearWatched();
        m_options.shownVariable.reset();
        m_options.shapes.clear();
        m_tour.setProgram({});
    });
    connect(&m_engine, &Engine::catalogChanged, this, [this](const CatalogPointer& catalog, const QString& output) {
        m_worker.refresh();
        restoreShapes(*catalog);
        restoreWatches(*catalog);
        restoreRoles(*catalog);
        showCatalog(catalog, output);
        offerOutput();
    });
    connect(&m_engine, &Engine::openFailed, this, &MainWindow::openFailed);
    connect(&m_engine, &Engine::failed, this,
            [this](const QString& message) { m_views.banner->show(Banner::Kind::Error, message); });
}

void MainWindow::connectRecorder()
{
    connect(&m_recorder, &Recorder::started, this, &MainWindow::recordingStarted);
    connect(&m_recorder, &Recorder::output, this, &MainWindow::appendOutput);
    connect(&m_recorder, &Recorder::progressed, this, &MainWindow::recordingProgressed);
    connect(&m_recorder, &Recorder::finished, this, &MainWindow::recordingFinished);
    connect(&m_follow, &QTimer::timeout, this, &MainWindow::followRecording);
}

void MainWindow::open(const QString& path, const QString& focus)
{
    if (!QFileInfo::exists(path)) {
        m_views.banner->show(Banner::Kind::Error, tr("%1 does not exist. Open another file with Ctrl+O.").arg(path));
        return;
    }
    m_views.ranks->setTraces({});
    m_tourWanted.clear();
    m_actions[Command::Start]->setChecked(false);
    if (m_use == Use::Interactive)
        SessionStore::noteOpened(path);
    const bool opensTrace = isTrace(path);
    takeExercise(opensTrace ? QString() : path);  // a trace may have gigabytes
    if (opensTrace) {
        m_program.clear();
        return openTrace(path, focus);
    }
    const QString kept = keptRecordingOf(path);
    if (kept.isEmpty())
        return record(path, focus);
    m_program = path;
    m_wantedFocus = focus;
    openTrace(kept, focus);
}

void MainWindow::openRanks(const QStringList& traces, const QString& focus)
{
    open(traces.front(), focus);
    m_views.ranks->setTraces(traces);
}

void MainWindow::openTrace(const QString& trace, const QString& focus)
{
    m_tracePath = trace;
    m_traceOpen = false;
    m_failed.clear();
    m_views.output->clear();
    m_views.banner->hide();
    m_engine.open(trace, focus);
}

void MainWindow::fillRecentMenu()
{
    m_views.recentMenu->clear();
    for (const QString& path : SessionStore::recentFiles())
        m_views.recentMenu->addAction(QDir::toNativeSeparators(path), this, [this, path] { open(path, {}); });
    if (m_views.recentMenu->isEmpty())
        m_views.recentMenu->addAction(tr("Nothing yet"))->setEnabled(false);
}

/// A recording in the temporary folder goes with the window: a small one is put where the next start finds it.
void MainWindow::keepSession()
{
    LastSession session{{}, m_focus.text()};
    const bool temporary = m_tracePath == m_recorder.tracePath();
    if (!m_traceOpen || m_recorder.isRunning()) {
        session = {};
    } else if (!m_exercise.file().isEmpty()) {
        session = {m_exercise.file(), {}};
    } else if (!m_program.isEmpty() && !keptRecordingOf(m_program).isEmpty()) {
        session.input = m_program;
    } else if (!temporary) {
        session.input = m_tracePath;
    } else if (QFileInfo(m_tracePath).size() <= kLargestKept) {
        const QString folder = QStandardPaths::writableLocation(QStandardPaths::AppDataLocation);
        const QString place = folder + QStringLiteral("/last.lanes");
        QFile::remove(place);
        if (QDir().mkpath(folder) && QFile::copy(m_tracePath, place))
            session.input = place;
    }
    SessionStore::keep(session);
}

void MainWindow::greet()
{
    m_greet = true;
    connect(&m_focus, &FocusController::snapshotChanged, this, [this](const SnapshotPointer& snapshot) {
        if (!m_greet || m_recorder.isRunning())
            return;
        const QString greeting =
            tr("F10 runs the next source line, Shift+F10 takes it back; F11 the next memory access. "
               "Click a thread or a cell to look at it. F1 lists all keys.");
        // Whatever else the banner says, such as how the program ended, is worth more.
        if (!m_greetedAt && !m_views.banner->isVisible())
            m_views.banner->show(Banner::Kind::Info, greeting);
        m_greet = m_views.banner->text() == greeting && (!m_greetedAt || snapshot->focus.step == m_greetedAt->step);
        if (!m_greet && m_views.banner->text() == greeting)
            m_views.banner->hide();
        m_greetedAt = m_greetedAt.value_or(snapshot->focus);
    });
}

void MainWindow::record(const QString& program, const QString& focus)
{
    m_program = program;
    m_wantedFocus = focus;
    m_recorder.start(program, m_device->device(), RecordSettings::of(program).commandLine());
}

/// Of a program of the gallery, recorded as it comes: with settings of the user's it is another recording.
QString MainWindow::keptRecordingOf(const QString& program) const
{
    return RecordSettings::of(program).isEmpty() ? m_cache.find(program) : QString();
}

QString MainWindow::programToRecord() const
{
    const QString program = m_program.isEmpty() && m_focus.snapshot()
                                ? QString::fromStdString(m_focus.snapshot()->catalog->session.program)
                                : m_program;
    return QFileInfo::exists(program) ? program : QString();
}

void MainWindow::askHowToRecord()
{
    const QString program = programToRecord();
    if (program.isEmpty())
        return recordAgain();  // which says that there is none
    RecordDialog dialog(program, RecordSettings::of(program), this);
    if (dialog.exec() != QDialog::Accepted)
        return;
    dialog.settings().keepFor(program);
    recordAgain();
}

void MainWindow::askWhereToSave()
{
    const QString name = QFileInfo(m_tracePath).completeBaseName() + QStringLiteral(".lanes");
    const QString path = askForFile(this, tr("Save the trace"), name, tr("Traces (*.lanes)"), QStringLiteral("lanes"));
    if (path.isEmpty())
        return;
    if (const auto saved = saveTrace(path); !saved)
        m_views.banner->show(Banner::Kind::Error, QString::fromStdString(saved.error().text()));
    else
        m_views.banner->show(Banner::Kind::Info, tr("Saved %1").arg(path));
}

Result<void> MainWindow::saveTrace(const QString& path)
{
    if (m_recorder.isRunning())
        return Error{Error::Code::BadInput, "the recording still grows; wait for its end or cancel it with Esc", {}};
    if (QFileInfo(path).absoluteFilePath() == QFileInfo(m_tracePath).absoluteFilePath())
        return {};
    QFile::remove(path);
    QFile trace(m_tracePath);
    if (!trace.copy(path))
        return Error{Error::Code::Io, trace.errorString().toStdString(), path.toStdString()};
    m_tracePath = path;  // what the next start opens again
    return {};
}

/// Asks what becomes of an edited source.
bool MainWindow::mayClose()
{
    if (m_use != Use::Interactive || !m_views.source->isEdited())
        return true;
    const auto answer = QMessageBox::question(
        this, tr("The source was changed"), tr("Save the changes to %1?").arg(QFileInfo(programToRecord()).fileName()),
        QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel);
    return answer == QMessageBox::Discard || (answer == QMessageBox::Save && saveEdited(programToRecord()));
}

void MainWindow::recordAgain()
{
    const QString program = programToRecord();
    if (program.isEmpty()) {
        m_views.banner->show(Banner::Kind::Error, tr("There is no program to record. Open a .cu file with Ctrl+O."));
        return;
    }
    if (!saveEdited(program))
        return;
    record(program, m_focus.text());
}

/// What was typed in the source view goes to the program's file before it is compiled.
bool MainWindow::saveEdited(const QString& program)
{
    if (!m_views.source->isEdited())
        return true;
    QSaveFile file(program);
    const QByteArray text = m_views.source->text().toUtf8();
    if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size() || !file.commit()) {
        m_views.banner->show(Banner::Kind::Error, tr("Cannot save %1: %2").arg(program, file.errorString()));
        return false;
    }
    m_views.source->setModified(false);
    return true;
}

void MainWindow::recordingStarted(const QString& program, const QString& trace)
{
    m_tracePath = trace;
    m_traceOpen = false;
    m_failed.clear();
    m_views.output->clear();
    m_views.source->showDiagnostics({});
    m_actions[Command::Cancel]->setEnabled(true);
    const QString with = RecordSettings::of(program).commandLine().join(u' ');
    m_views.banner->show(
        Banner::Kind::Busy,
        tr("Recording %1 …").arg(QFileInfo(program).fileName() + (with.isEmpty() ? with : u' ' + with)), tr("Cancel"));
    if (!m_focus.snapshot()) {
        QFile file(program);
        if (file.open(QIODevice::ReadOnly))
            m_views.source->showText(QString::fromUtf8(file.readAll()));
    }
    m_follow.start(kFollowMs);
}

/// While the child records: open the trace as soon as it can be, then look for more.
void MainWindow::followRecording()
{
    if (m_traceOpen)
        m_engine.refresh();
    else if (QFileInfo(m_tracePath).size() > 0)
        m_engine.open(m_tracePath, m_wantedFocus);
}

void MainWindow::recordingProgressed(const QString& text)
{
    if (m_recorder.isRunning())
        m_views.banner->show(Banner::Kind::Busy, tr("Recording %1 … %2").arg(QFileInfo(m_program).fileName(), text),
                             tr("Cancel"));
}

void MainWindow::recordingFinished(const RecordingEnd& end, const QString& message)
{
    m_follow.stop();
    m_actions[Command::Cancel]->setEnabled(false);
    m_failed = message;
    m_views.source->showDiagnostics(message.isEmpty() ? QString() : m_views.output->toPlainText());
    if (!message.isEmpty())
        m_views.banner->show(Banner::Kind::Error, message, tr("Show output"));
    else if (const int status = end.program.status.value_or(0); status != 0 && m_exercise.file().isEmpty())
        m_views.banner->show(Banner::Kind::Info, tr("The program ended with exit status %1.").arg(status),
                             tr("Show output"));
    else
        m_views.banner->hide();
    if (!message.isEmpty() && !m_traceOpen)
        showOutput();
    followRecording();
    const bool onGpu = m_focus.snapshot() && m_focus.snapshot()->catalog->session.isOfGpu();
    if (message.isEmpty() && end.isGood() && !onGpu && RecordSettings::of(m_program).isEmpty())
        m_cache.keep(m_program, m_tracePath);
}

void MainWindow::openFailed(const QString& message)
{
    if (m_recorder.isRunning() || !m_failed.isEmpty())
        return;  // not readable yet, or the banner already says why
    if (!m_program.isEmpty() && m_tracePath == m_cache.find(m_program)) {
        RecordingCache::drop(m_tracePath);
        return record(m_program, m_wantedFocus);
    }
    m_views.banner->show(Banner::Kind::Error, tr("Cannot open the trace: %1").arg(message));
}

void MainWindow::appendOutput(const QString& text)
{
    m_views.output->moveCursor(QTextCursor::End);
    m_views.output->insertPlainText(text);
    offerOutput();
}

void MainWindow::showOutput()
{
    m_views.tabs->setTabEnabled(kOutputTab, true);
    m_views.tabs->setCurrentIndex(kOutputTab);
}

/// The tab is always there, so that no other moves from under the pointer, and stays chosen while a program is recorded
/// again.
void MainWindow::offerOutput()
{
    m_views.tabs->setTabEnabled(kOutputTab,
                                m_views.tabs->currentIndex() == kOutputTab || !m_views.output->toPlainText().isEmpty());
}

void MainWindow::chooseFile()
{
    const QString path = QFileDialog::getOpenFileName(this, tr("Open a program or a trace"), {},
                                                      tr("Programs and traces (*.cu *.lanes);;All files (*)"));
    if (!path.isEmpty())
        open(path, {});
}

void MainWindow::save(const Drawing& drawing, QSize size, const QString& title)
{
    const QString path = askForFile(this, title, {}, tr("Pictures (*.png *.svg *.pdf)"), QStringLiteral("png"));
    if (path.isEmpty())
        return;
    if (auto written = writePicture(path, size, {drawing}); !written)
        m_views.banner->show(Banner::Kind::Error, QString::fromStdString(written.error().text()));
    else
        m_views.banner->show(Banner::Kind::Info, tr("Saved %1").arg(path));
}

void MainWindow::exportStage()
{
    const QSize size = m_views.stage->size();
    save([this, size](QPainter& painter) { m_views.stage->paintTo(painter, QSizeF(size)); }, size,
         tr("Export the stage"));
}

/// What the tab below the stage shows.
void MainWindow::exportTab()
{
    const int tab = m_views.tabs->currentIndex();
    QWidget* page = m_views.timeline;
    if (tab == kOutputTab)
        page = m_views.output;
    else if (tab >= kFirstAnalysisTab)
        page = m_views.analyses[static_cast<size_t>(tab - kFirstAnalysisTab)];
    save([page](QPainter& painter) { page->render(&painter); }, page->size(),
         tr("Export %1").arg(m_views.tabs->tabText(tab)));
}

void MainWindow::askForSteps()
{
    const int tab = m_views.tabs->currentIndex();
    const bool analysis = tab >= kFirstAnalysisTab && m_views.tabs->hasFocus();
    const QString view = analysis ? m_views.analyses[static_cast<size_t>(tab - kFirstAnalysisTab)]->view().name()
                                  : QString::fromStdString(stageDescription().name);
    ExportDialog dialog(*m_focus.snapshot(), m_views.timeline->selection(), view, this);
    if (dialog.exec() != QDialog::Accepted)
        return;
    const QString path =
        askForFile(this, tr("Export steps"), {}, tr("Sequences (*.html *.pdf *.gif *.mp4)"), QStringLiteral("html"));
    if (!path.isEmpty())
        exportSteps(dialog.arguments(), path);
}

void MainWindow::exportSteps(const QStringList& arguments, const QString& path)
{
    m_renderJob.start(QStringList{m_tracePath, QStringLiteral("--theme"), m_themeName} + arguments, path);
    m_views.banner->show(Banner::Kind::Busy, tr("Writing %1 …").arg(path), tr("Cancel"));
}

void MainWindow::exportFinished(const QString& output, const QString& message)
{
    if (message.isEmpty())
        m_views.banner->show(Banner::Kind::Info, tr("Saved %1").arg(output));
    else
        m_views.banner->show(Banner::Kind::Error, message);
}

/// Twice as fine as on screen, for slides.
void MainWindow::copyPicture()
{
    constexpr double kFineness = 2;
    const QSizeF size = m_views.stage->size();
    QImage image((size * kFineness).toSize(), QImage::Format_RGB32);
    image.setDevicePixelRatio(kFineness);
    QPainter painter(&image);
    m_views.stage->paintTo(painter, size);
    painter.end();
    QGuiApplication::clipboard()->setImage(image);
    m_views.banner->show(Banner::Kind::Info, tr("Copied a picture of the stage"));
}

void MainWindow::exportWindow()
{
    save([this](QPainter& painter) { render(&painter); }, size(), tr("Export the window"));
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    if (event->mimeData()->hasUrls())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event)
{
    const auto urls = event->mimeData()->urls();
    if (!urls.isEmpty() && urls.front().isLocalFile())
        open(urls.front().toLocalFile(), {});
}

}  // namespace lanescope::gui
