// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/main_window.h"

#include <QClipboard>
#include <QCloseEvent>
#include <QComboBox>
#include <QDockWidget>
#include <QFileInfo>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QMenuBar>
#include <QPlainTextEdit>
#include <QScreen>
#include <QSettings>
#include <QStatusBar>
#include <QStyle>
#include <QTabBar>
#include <QTableView>
#include <QToolBar>
#include <QToolButton>

#include "app/gui/engine/value_format.h"
#include "app/gui/inspector/inspector_widget.h"
#include "app/gui/inspector/lanes_panel.h"
#include "app/gui/source/source_view.h"
#include "app/gui/stage/overlay_tint.h"
#include "app/gui/stage/stage_widget.h"
#include "app/gui/timeline/timeline_widget.h"
#include "app/gui/views/view_widget.h"
#include "app/gui/window/application.h"
#include "app/gui/window/banner.h"
#include "app/gui/window/gallery_panel.h"
#include "app/gui/window/start_page.h"
#include "app/gui/window/stops_panel.h"

namespace lanescope::gui {

namespace {
constexpr int kLayoutVersion = 1;
}

MainWindow::MainWindow(const QString& executable, Use use, QWidget* parent)
    : QMainWindow(parent), m_use(use), m_gallery(kernelsFolder(executable)), m_actions(this), m_focus(m_engine),
      m_recorder(executable), m_renderJob(executable), m_cache(m_gallery, executable),
      m_views(buildViews(*this, m_actions, m_worker)), m_place(m_focus, m_worker, m_views),
      m_tour(m_engine, m_focus, m_place, m_actions, m_views), m_comparison(m_place, m_actions, m_views),
      m_thumbnails(executable, m_cache, m_recorder.folder()),
      m_exercise(executable, m_gallery, m_recorder.folder(), m_actions, m_views)
{
    setWindowTitle(QStringLiteral("Lanescope[*]"));
    setWindowIcon(QIcon(QStringLiteral(":/lanescope/icons/lanescope.svg")));
    setAcceptDrops(true);
    buildBars(*this, m_actions, m_views);
    m_device = new DeviceChoice(*m_views.deviceMenu, this);
    menuBar()->setVisible(use == Use::Interactive);
    statusBar()->setSizeGripEnabled(false);
    statusBar()->addWidget(new QLabel(
        tr("F10 line  ·  F11 access  ·  Ctrl+F10 epoch  ·  Shift goes back  ·  Space play  ·  right click: what can be "
           "done  ·  Ctrl+Shift+P all commands"),
        this));
    m_busyText = new QLabel(this);
    statusBar()->addPermanentWidget(m_busyText);
    constexpr int kLookEvery = 250;  // ms
    connect(&m_lookIfBusy, &QTimer::timeout, this, &MainWindow::showBusy);
    m_lookIfBusy.start(kLookEvery);
    m_views.gallery->setFolder(m_gallery);
    connectFileCommands();
    connectSteps();
    connectFocus();
    connectViews();
    connectPlaces();
    connectEngine();
    connectRecorder();
    connectLearning();
    constexpr QSize kFrame(16, 48);  // what a window manager adds around it
    resize(QSize(1600, 1000).boundedTo(screen()->availableSize() - kFrame));
    if (use == Use::Interactive)
        restore();
    else
        setThemeName(m_themeName);
}

MainWindow::~MainWindow() = default;

void MainWindow::connectSteps()
{
    const std::vector<std::tuple<Command, StepUnit, Direction>> steps{
        {Command::First, StepUnit::End, Direction::Backward},
        {Command::Last, StepUnit::End, Direction::Forward},
        {Command::LineBack, StepUnit::Line, Direction::Backward},
        {Command::Line, StepUnit::Line, Direction::Forward},
        {Command::AccessBack, StepUnit::Access, Direction::Backward},
        {Command::Access, StepUnit::Access, Direction::Forward},
        {Command::EventBack, StepUnit::Event, Direction::Backward},
        {Command::Event, StepUnit::Event, Direction::Forward},
        {Command::EpochBack, StepUnit::Epoch, Direction::Backward},
        {Command::Epoch, StepUnit::Epoch, Direction::Forward},
        {Command::CellWriteBack, StepUnit::CellWrite, Direction::Backward},
        {Command::CellWrite, StepUnit::CellWrite, Direction::Forward},
        {Command::CellReadBack, StepUnit::CellRead, Direction::Backward},
        {Command::CellRead, StepUnit::CellRead, Direction::Forward},
        {Command::RunBack, StepUnit::Breakpoint, Direction::Backward},
        {Command::Run, StepUnit::Breakpoint, Direction::Forward}};
    for (const auto& [command, unit, direction] : steps)
        connect(m_actions[command], &QAction::triggered, this, [this, u = unit, d = direction] { m_focus.step(u, d); });
    for (const auto& [command, direction] :
         {std::pair{Command::Finding, Direction::Forward}, std::pair{Command::FindingBack, Direction::Backward}})
        connect(m_actions[command], &QAction::triggered, this, [this, d = direction] { m_focus.goToFinding(d); });
    connect(m_actions[Command::Play], &QAction::toggled, this, &MainWindow::setPlaying);
    connect(&m_play, &QTimer::timeout, this, [this] {
        m_focus.step(static_cast<StepUnit>(m_views.stepUnit->currentData().toInt()), Direction::Forward);
    });
    connect(&m_engine, &Engine::stepRefused, this, [this] { m_actions[Command::Play]->setChecked(false); });
    connect(m_views.speed, &QComboBox::currentIndexChanged, this,
            [this] { m_play.setInterval(m_views.speed->currentData().toInt()); });
}

void MainWindow::setPlaying(bool on)
{
    m_actions[Command::Play]->setIcon(
        themeNamed(m_themeName).icon(on ? QStringLiteral("pause") : QStringLiteral("play")));
    if (on)
        m_play.start(m_views.speed->currentData().toInt());
    else
        m_play.stop();
}

void MainWindow::connectFocus()
{
    connect(&m_focus, &FocusController::snapshotChanged, this, &MainWindow::showSnapshot);
    connect(&m_focus, &FocusController::historyChanged, this, [this] {
        m_actions[Command::HistoryBack]->setEnabled(m_focus.canGoBack());
        m_actions[Command::HistoryForward]->setEnabled(m_focus.canGoForward());
    });
    connect(m_actions[Command::HistoryBack], &QAction::triggered, &m_focus, &FocusController::back);
    connect(m_actions[Command::HistoryForward], &QAction::triggered, &m_focus, &FocusController::forward);
    connect(m_actions[Command::CopyFocus], &QAction::triggered, this,
            [this] { QGuiApplication::clipboard()->setText(m_focus.text()); });
    connect(m_actions[Command::EditFocus], &QAction::triggered, this, [this] {
        m_views.focusField->setFocus();
        m_views.focusField->selectAll();
    });
    connect(m_views.focusField, &QLineEdit::returnPressed, this, [this] {
        m_focus.goToText(m_views.focusField->text());
        m_views.stage->setFocus();
    });
    m_actions[Command::HistoryBack]->setEnabled(false);
    m_actions[Command::HistoryForward]->setEnabled(false);
}

void MainWindow::connectViews()
{
    connect(&m_worker, &ViewWorker::usesKnown, &m_engine, &Engine::adopt);
    connect(m_views.stage, &StageWidget::cellClicked, &m_focus, &FocusController::selectCell);
    connect(m_views.stage, &StageWidget::threadClicked, &m_focus, &FocusController::goToThread);
    connect(m_views.stage, &StageWidget::blockClicked, &m_focus, &FocusController::goToBlock);
    connect(m_views.stage, &StageWidget::hovered, this, &MainWindow::showHovered);
    connect(m_views.timeline, &TimelineWidget::hovered, this, &MainWindow::showHovered);
    connect(m_views.timeline, &TimelineWidget::scrubbed, &m_focus, &FocusController::scrubTo);
    connect(m_views.timeline, &TimelineWidget::rowClicked, this,
            [this](BlockIndex block, uint16_t warp, StepIndex step) {
                replay::Focus focus = m_focus.snapshot()->focus;
                const trace::Launch& launch = m_focus.snapshot()->launch();
                if (linearIndex(focus.block, launch.grid) == block.value)
                    focus.thread = positionOf(uint64_t{warp} * kWarpSize, launch.block);
                focus.block = positionOf(block.value, launch.grid);
                focus.step = step;
                m_focus.go(focus);
            });
    connect(m_views.timeline, &TimelineWidget::selected, this, [this](const auto& steps) {
        for (ViewWidget* analysis : m_views.analyses)
            analysis->setSelection(steps);
        m_views.stage->setWarps(steps ? steps->warps : std::vector<uint16_t>());
    });
    connect(m_views.inspector, &InspectorWidget::threadChosen, &m_focus, &FocusController::goToThread);
    connect(m_views.lanes, &LanesPanel::threadChosen, &m_focus, &FocusController::goToThread);
    connect(m_actions[Command::Lanes], &QAction::triggered, this, [this] {
        m_views.lanesDock->show();
        m_views.lanesDock->raise();
        m_views.lanes->table()->setFocus();
    });
    connect(m_views.inspector, &InspectorWidget::stepChosen, &m_focus, &FocusController::goToStep);
    connect(m_views.inspector, &InspectorWidget::placeChosen, this, [this](const trace::SourceLocation& place) {
        if (place.source == m_views.source->source())
            m_views.source->reveal(place.line);
        else
            say(tr("That line is in another source, which is shown when a step is in it."));
    });
    connect(m_views.inspector, &InspectorWidget::variableChosen, this,
            [this](VariableId variable) { showVariable(variable); });
    connect(m_views.inspector, &InspectorWidget::watchesChanged, this, &MainWindow::watch);
    connect(m_actions[Command::Watch], &QAction::triggered, this, [this] {
        m_views.inspectorDock->show();
        m_views.inspectorDock->raise();  // it may lie behind the lanes
        m_views.inspector->addWatch();
    });
    connect(m_views.gallery, &GalleryPanel::programChosen, this, [this](const QString& path) { open(path, {}); });
    connect(m_views.gallery, &GalleryPanel::launchChosen, this,
            [this](LaunchId launch) { m_focus.goToText(QStringLiteral("launch=%1 step=0").arg(launch.value)); });
    connect(m_actions[Command::Breakpoint], &QAction::triggered, this, [this] {
        if (m_views.stops->table()->hasFocus())
            m_views.stops->toggleChosen();
        else
            m_views.source->toggleBreakpointAtCursor();
    });
    for (const auto& [command, overlay] : Actions::overlays())
        connect(m_actions[command], &QAction::toggled, this, [this, which = overlay](bool on) {
            m_views.stage->setOverlay(which, on);
            askFor(m_views.stage->overlays(), m_options);
            m_engine.setOptions(m_options);
        });
    connect(m_actions[Command::Lecture], &QAction::toggled, this,
            [this](bool on) { m_lecture.set(*this, m_views, on); });
    connect(m_actions[Command::Motion], &QAction::toggled, m_views.stage, &StageWidget::setMotion);
    connect(m_actions[Command::FitStage], &QAction::triggered, m_views.stage, &StageWidget::fit);
    connect(m_views.stage, &StageWidget::reshapeWanted, this, &MainWindow::askForShape);
    connect(m_actions[Command::Reshape], &QAction::triggered, this, &MainWindow::askForChosenShape);
    for (ViewWidget* analysis : m_views.analyses) {
        connect(analysis, &ViewWidget::focusChosen, &m_focus, &FocusController::go);
        connect(analysis, &ViewWidget::stepsChosen, m_views.timeline, &TimelineWidget::select);
        connect(analysis, &ViewWidget::hovered, this, &MainWindow::showHovered);
        connect(analysis, &ViewWidget::renameWanted, this, &MainWindow::renameRole);
        connect(analysis, &ViewWidget::menuWanted, this, &MainWindow::fillMenu);
    }
    connect(m_views.tabs, &QTabBar::currentChanged, this, [this](int tab) { makeRoomFor(*this, m_views, tab); });
}

namespace {

/// As short as it still leads there.
QString placeText(const Snapshot& snapshot)
{
    const replay::Focus& focus = snapshot.focus;
    const trace::Launch& launch = snapshot.launch();
    const auto position = [](Dim3 at, Dim3 extent) { return positionText(at, extent).mid(1).chopped(1); };
    QString text = QStringLiteral("block=%1 step=%2 thread=%3")
                       .arg(position(focus.block, launch.grid))
                       .arg(focus.step)
                       .arg(position(focus.thread, launch.block));
    if (snapshot.catalog->launches.size() > 1)
        text.prepend(QStringLiteral("launch=%1 ").arg(focus.launch.value));
    if (focus.buffer)
        text += QStringLiteral(" buffer=%1 cell=%2").arg(focus.buffer->value).arg(focus.cell);
    return text;
}

}  // namespace

void MainWindow::showSnapshot(const SnapshotPointer& snapshot)
{
    m_actions.setStepping(snapshot != nullptr);
    m_views.stage->setSnapshot(snapshot);
    m_views.source->setSnapshot(snapshot);
    m_views.timeline->setSnapshot(snapshot);
    m_views.inspector->setSnapshot(snapshot);
    m_views.lanes->setSnapshot(snapshot);
    for (ViewWidget* analysis : m_views.analyses)
        analysis->setSnapshot(snapshot);
    m_views.gallery->setSnapshot(snapshot);
    m_worker.anticipate(snapshot->focus.launch,
                        BlockIndex(linearIndex(snapshot->focus.block, snapshot->launch().grid)));
    showBreakOnWrite();
    if (!m_views.focusField->hasFocus() || !m_views.focusField->isModified())
        m_views.focusField->setText(placeText(*snapshot));
    m_views.focusField->setCursorPosition(0);
    const SourceId source = SourceMarks::of(*snapshot).source;
    if (source.value < snapshot->catalog->sources.size())
        m_views.sourceDock->setWindowTitle(
            tr("Source  %1")
                .arg(QFileInfo(QString::fromStdString(snapshot->catalog->sources[source.value].path)).fileName()));
}

void MainWindow::showCatalog(const CatalogPointer& catalog, const QString& output)
{
    m_views.gallery->setCatalog(catalog);
    m_views.stops->model()->setCatalog(catalog);
    for (size_t i = 0; i < m_views.analyses.size(); ++i) {
        const int tab = kFirstAnalysisTab + static_cast<int>(i);
        m_views.tabs->setTabText(tab, m_views.analyses[i]->view().tabTitle(*catalog));
        m_views.tabs->setTabVisible(tab, m_views.analyses[i]->view().hasSubject(*catalog));
    }
    if (catalog->session.hasEnded())
        m_tour.setProgram(QString::fromStdString(catalog->session.program));
    playWantedTour();
    if (!m_recorder.isRunning() && m_views.output->toPlainText().isEmpty())
        m_views.output->setPlainText(output);
    setWindowTitle(QStringLiteral("%1[*] – Lanescope")
                       .arg(QFileInfo(QString::fromStdString(catalog->session.program)).fileName()));
}

/// In a narrow window, where you are matters more than what this is and what the buttons are called.
static void fitToolbar(QMainWindow& window, const Views& views, const Actions& actions, double typeScale)
{
    constexpr int kNarrow = 1400;
    constexpr int kVeryNarrow = 1000;
    views.brand->setVisible(window.width() >= kNarrow * typeScale);
    const auto* bar = window.findChild<QToolBar*>(QStringLiteral("toolbar"));
    for (const Command command : {Command::Open, Command::Record})
        if (auto* button = qobject_cast<QToolButton*>(bar->widgetForAction(actions[command])))
            button->setToolButtonStyle(window.width() < kVeryNarrow * typeScale ? Qt::ToolButtonIconOnly
                                                                                : Qt::ToolButtonTextBesideIcon);
}

void MainWindow::setThemeName(const QString& name)
{
    m_themeName = name;
    wear(themeNamed(name));
}

void MainWindow::setLectureHeight(int height)
{
    const Theme& theme = lectureTheme(height);
    m_themeName = theme.name;
    wear(theme);
}

void MainWindow::wear(const Theme& theme)
{
    applyTheme(theme);
    m_actions.setTheme(theme);
    fitToolbar(*this, m_views, m_actions, theme.typeScale);
    setPlaying(m_play.isActive());
    m_views.stage->setTheme(theme);
    m_views.source->setTheme(theme);
    m_views.timeline->setTheme(theme);
    m_views.inspector->setTheme(theme);
    m_views.lanes->setTheme(theme);
    for (ViewWidget* analysis : m_views.analyses)
        analysis->setTheme(theme);
    m_thumbnails.setTheme(theme.name);
    m_views.start->setTheme(theme);
    m_tour.setTheme(theme);
    m_place.setTheme(theme);
}

void MainWindow::restore()
{
    QSettings settings;
    setThemeName(settings.value(QStringLiteral("theme"), QStringLiteral("dark")).toString());
    // The desktop's wish for less motion counts until somebody chooses otherwise.
    const bool usual = style()->styleHint(QStyle::SH_Widget_Animation_Duration) > 0;
    m_actions[Command::Motion]->setChecked(settings.value(QStringLiteral("motion"), usual).toBool());
    arrangeDocks(*this, m_views);
    if (settings.contains(QStringLiteral("geometry")))
        restoreGeometry(settings.value(QStringLiteral("geometry")).toByteArray());
    restoreState(settings.value(QStringLiteral("layout")).toByteArray(), kLayoutVersion);
}

void MainWindow::resizeEvent(QResizeEvent* event)
{
    QMainWindow::resizeEvent(event);
    m_lecture.fit(*this);
    fitToolbar(*this, m_views, m_actions, themeNamed(m_themeName).typeScale);
}

/// What has taken more than half a second, and for how long.
void MainWindow::showBusy()
{
    constexpr std::chrono::milliseconds kWorthSaying(500);
    const auto seconds = [](std::chrono::milliseconds time) {
        return QString::number(static_cast<double>(time.count()) / 1000, 'f', 1);
    };
    QStringList parts;
    if (const auto time = m_engine.busyFor(); time >= kWorthSaying)
        parts << tr("reading the trace … %1 s").arg(seconds(time));
    if (const auto [view, time] = m_worker.busyWith(); view != nullptr && time >= kWorthSaying)
        parts << tr("computing %1 … %2 s").arg(view->title(), seconds(time));
    if (const auto time = m_worker.anticipatesFor(); time && *time >= kWorthSaying)
        parts << tr("computing ahead what views will show … %1 s").arg(seconds(*time));
    m_busyText->setText(parts.join(QStringLiteral("  ·  ")));
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    if (!mayClose())
        return event->ignore();
    m_actions[Command::Start]->setChecked(false);
    m_actions[Command::Tour]->setChecked(false);  // the layout to keep is the one before
    m_actions[Command::Lecture]->setChecked(false);
    makeRoomFor(*this, m_views, kTimelineTab);  // with which the next session begins
    if (m_use == Use::Interactive) {
        keepSession();
        QSettings settings;
        settings.setValue(QStringLiteral("geometry"), saveGeometry());
        settings.setValue(QStringLiteral("layout"), saveState(kLayoutVersion));
        settings.setValue(QStringLiteral("theme"), m_themeName);
        settings.setValue(QStringLiteral("motion"), m_actions[Command::Motion]->isChecked());
    }
    event->accept();
}

}  // namespace lanescope::gui
