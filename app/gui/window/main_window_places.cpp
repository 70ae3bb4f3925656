// SPDX-License-Identifier: GPL-3.0-or-later
// MainWindow: what can be done with a cell, a variable, a thread or a block, by menu or by key, and the list of stops.
#include <QClipboard>
#include <QFileInfo>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QLabel>
#include <QLayout>
#include <QMenu>
#include <QMenuBar>
#include <QRegularExpression>
#include <QStatusBar>
#include <QTabBar>
#include <QTableView>

#include <algorithm>

#include "app/gui/engine/value_format.h"
#include "app/gui/inspector/inspector_widget.h"
#include "app/gui/source/source_view.h"
#include "app/gui/stage/stage_widget.h"
#include "app/gui/views/view_widget.h"
#include "app/gui/views/why/why_view.h"
#include "app/gui/window/command_palette.h"
#include "app/gui/window/find_bar.h"
#include "app/gui/window/main_window.h"
#include "app/gui/window/stops_panel.h"

namespace lanescope::gui {

namespace {

void addTitle(QMenu& menu, const QString& text)
{
    QAction* title = menu.addAction(QString(text).replace(u'&', QStringLiteral("&&")));
    title->setEnabled(false);
    QFont font = menu.font();
    font.setBold(true);
    title->setFont(font);
}

/// The folder whose code was optimised, so that steps pass lines of \p source; empty: there is none.
QString optimisedFolderOf(const trace::Catalog& catalog, SourceId source)
{
    static const QRegularExpression folder(QStringLiteral("code of (.+?) is optimised \\(--step-into"));
    const QString path = QString::fromStdString(trace::pathOf(catalog, source));
    auto matches = folder.globalMatch(QString::fromStdString(catalog.session.libraries));
    while (matches.hasNext()) {
        const QString found = matches.next().captured(1);
        // Of what lies below the folder that it was recorded in, the trace has relative paths.
        QString parent = QFileInfo(path).path();
        for (; parent.contains(u'/') && !parent.startsWith(u'/'); parent = QFileInfo(parent).path())
            if (found.endsWith(u'/' + parent))
                return found;
        if (path.startsWith(found + u'/') || (!path.startsWith(u'/') && found.endsWith(u'/' + parent)))
            return found;
    }
    return {};
}

/// "a_shared[1][2]"; none where the launch has no such cell.
QString nameOf(const Snapshot& snapshot, const WatchedCell& cell)
{
    const auto index = snapshot.indexOf(cell.buffer);
    return index ? cellName(snapshot.buffers[*index].buffer, cell.element) : QString();
}

QString valueOf(const Snapshot& snapshot, const WatchedCell& cell)
{
    const BufferView& view = snapshot.buffers[*snapshot.indexOf(cell.buffer)];
    return view.hasValue(cell.element) ? valueText(view.buffer.element, view.at(cell.element))
                                       : QObject::tr("never written");
}

QString nameOf(const Snapshot& snapshot, VariableId variable)
{
    return QString::fromStdString(snapshot.catalog->variables[variable.value].name);
}

/// In a lane of the focused warp; empty where it is not set.
QString valueOf(const Snapshot& snapshot, VariableId variable, Dim3 thread)
{
    const uint64_t linear = linearIndex(thread, snapshot.launch().block);
    const auto lane = static_cast<size_t>(linear % kWarpSize);
    for (const VariableView& view : snapshot.variables)
        if (view.id == variable && linear / kWarpSize == snapshot.warp && ((view.image.written >> lane) & 1) != 0)
            return variableText(snapshot, snapshot.catalog->variables[variable.value], view.image.value[lane].data());
    return {};
}

void copy(const QString& text)
{
    QGuiApplication::clipboard()->setText(text);
}

/// Of a step that leads both ways, beside the keys that do the same for what is selected.
QString withKey(const QString& text, const QAction& action)
{
    return text + QLatin1Char('\t') + action.shortcut().toString(QKeySequence::NativeText);
}

}  // namespace

void MainWindow::connectPlaces()
{
    for (const auto& [command, level, direction] : std::initializer_list<std::tuple<Command, Level, Direction>>{
             {Command::Lane, Level::Lane, Direction::Forward},
             {Command::LaneBack, Level::Lane, Direction::Backward},
             {Command::Warp, Level::Warp, Direction::Forward},
             {Command::WarpBack, Level::Warp, Direction::Backward},
             {Command::Block, Level::Block, Direction::Forward},
             {Command::BlockBack, Level::Block, Direction::Backward},
             {Command::Launch, Level::Launch, Direction::Forward},
             {Command::LaunchBack, Level::Launch, Direction::Backward}})
        connect(m_actions[command], &QAction::triggered, this,
                [this, l = level, d = direction] { m_focus.goToNext(l, d); });
    for (const auto& [command, direction] :
         {std::pair{Command::RunToLine, Direction::Forward}, std::pair{Command::RunBackToLine, Direction::Backward}})
        connect(m_actions[command], &QAction::triggered, this, [this, d = direction] {
            m_focus.runToLine(m_views.source->source(), m_views.source->chosenLine(), d);
        });
    connect(m_views.source, &SourceView::runToLineWanted, &m_focus, &FocusController::runToLine);
    connect(m_views.source, &SourceView::menuWanted, this, &MainWindow::fillMenu);
    connect(m_views.stage, &StageWidget::menuWanted, this, &MainWindow::fillMenu);
    connect(m_views.inspector, &InspectorWidget::menuWanted, this, &MainWindow::fillMenu);
    connect(&m_focus, &FocusController::refused, this, &MainWindow::say);
    connectStops();
    connectFinding();
    connect(m_actions[Command::Palette], &QAction::triggered, this, [this] {
        CommandPalette palette(menuBar()->actions(), this);
        if (palette.exec() == QDialog::Accepted && palette.chosen() != nullptr)
            palette.chosen()->trigger();
    });
    for (const auto& [command, by] : {std::pair{Command::Tab, 1}, std::pair{Command::TabBack, -1}})
        connect(m_actions[command], &QAction::triggered, this, [this, b = by] { turnTab(b); });
}

/// To the next tab that can be chosen, around the end.
void MainWindow::turnTab(int by)
{
    const int count = m_views.tabs->count();
    int tab = m_views.tabs->currentIndex();
    do
        tab = (tab + by + count) % count;
    while (!m_views.tabs->isTabEnabled(tab));
    m_views.tabs->setCurrentIndex(tab);
}

void MainWindow::connectStops()
{
    StopsModel* stops = m_views.stops->model();
    connect(m_views.source, &SourceView::breakpointsChanged, this, [this, stops](const Breakpoints& lines) {
        if (const SnapshotPointer& snapshot = m_focus.snapshot(); snapshot && lines.size() > stops->lineCount())
            if (const QString folder = optimisedFolderOf(*snapshot->catalog, m_views.source->source());
                !folder.isEmpty())
                say(tr("Code of %1 is optimised: steps may pass this line. Record again with --step-into %1 "
                       "(Ctrl+Shift+R) to stop there.")
                        .arg(folder));
        m_engine.setBreakpoints(m_views.source->enabledBreakpoints());
        stops->setLines(lines, m_views.source->conditions(), m_views.source->disabledLines());
    });
    connect(stops, &StopsModel::lineRemoved, m_views.source, &SourceView::removeBreakpoint);
    connect(stops, &StopsModel::lineEnabled, m_views.source, &SourceView::enableBreakpoint);
    connect(stops, &StopsModel::watchedChanged, &m_engine, &Engine::setWatched);
    connect(stops, &StopsModel::watchedChanged, this, [this] { showBreakOnWrite(); });
    connect(m_views.stops, &StopsPanel::lineChosen, this, [this](const StopsModel::Line& line) {
        if (line.first == m_views.source->source().value)
            m_views.source->reveal(line.second);
        else
            say(tr("The breakpoint is in another source; run to it with F5."));
    });
    connect(m_views.stops, &StopsPanel::cellChosen, this,
            [this](const WatchedCell& cell) { m_focus.selectCell(cell.buffer, cell.element); });
    connect(m_actions[Command::BreakOnWrite], &QAction::triggered, this, [this] {
        const SnapshotPointer& snapshot = m_focus.snapshot();
        if (snapshot && snapshot->focus.buffer)
            return breakOnWrite({*snapshot->focus.buffer, snapshot->focus.cell});
        say(tr("No cell is selected: click one on the stage."));
        showBreakOnWrite();
    });
    connect(m_actions[Command::Stops], &QAction::triggered, this, [this] {
        m_views.stopsDock->show();
        m_views.stopsDock->raise();
        m_views.stops->table()->setFocus();
    });
}

void MainWindow::showBreakOnWrite()
{
    const SnapshotPointer& snapshot = m_focus.snapshot();
    m_actions[Command::BreakOnWrite]->setChecked(
        snapshot && snapshot->focus.buffer &&
        m_views.stops->model()->watches(WatchedCell{*snapshot->focus.buffer, snapshot->focus.cell}));
}

void MainWindow::breakOnWrite(const WatchedCell& cell)
{
    const QString name = nameOf(*m_focus.snapshot(), cell);
    m_views.stops->model()->toggle(cell, name);
    say(m_views.stops->model()->watches(cell) ? tr("F5 and Shift+F5 now stop after each write of %1.").arg(name)
                                              : tr("Writes of %1 stop no run any more.").arg(name));
}

void MainWindow::connectFinding()
{
    const auto bar = [this] {
        const bool isOutput = m_views.tabs->currentIndex() == kOutputTab;
        return isOutput ? m_views.findInOutput : m_views.findInSource;
    };
    connect(m_actions[Command::Find], &QAction::triggered, this, [bar] { bar()->open(); });
    for (const auto& [command, direction] :
         {std::pair{Command::FindNext, Direction::Forward}, std::pair{Command::FindPrevious, Direction::Backward}})
        connect(m_actions[command], &QAction::triggered, this, [bar, d = direction] {
            if (bar()->hasText())
                bar()->find(d);
            else
                bar()->open();
        });
}

void MainWindow::fillMenu(QMenu* menu, const MenuPlace& place)
{
    const SnapshotPointer& snapshot = m_focus.snapshot();
    if (!snapshot)
        return;
    const Dim3 thread = place.thread.value_or(snapshot->focus.thread);
    if (place.variable)
        return fillVariableMenu(*menu, *place.variable, thread);
    if (place.cell)
        return fillCellMenu(*menu, *place.cell);
    if (place.thread) {
        addTitle(*menu, tr("thread %1").arg(positionText(thread, snapshot->launch().block)));
        menu->addAction(tr("Look at this thread"), this, [this, thread] { m_focus.goToThread(thread); });
        menu->addAction(tr("Copy its place"), this, [this, thread] {
            replay::Focus focus = m_focus.snapshot()->focus;
            focus.thread = thread;
            copy(QString::fromStdString(replay::focusText(focus)));
        });
        menu->addSeparator();
        if (snapshot->shown)
            fillVariableMenu(*menu, *snapshot->shown, thread);
    } else if (place.block) {
        addTitle(*menu, blockText(*place.block, snapshot->launch()));
        menu->addAction(tr("Look at it"), this, [this, block = *place.block] { m_focus.goToBlock(block); });
        addViews(*menu, {"blocks", "cluster", "tiles"});
    }
}

void MainWindow::fillCellMenu(QMenu& menu, const WatchedCell& cell)
{
    const Snapshot& snapshot = *m_focus.snapshot();
    const QString name = nameOf(snapshot, cell);
    if (name.isEmpty())
        return;
    const QString value = valueOf(snapshot, cell);
    addTitle(menu, QStringLiteral("%1 = %2").arg(name, value));
    const auto step = [&](const QString& text, Command command, StepUnit unit, Direction direction) {
        menu.addAction(withKey(text, *m_actions[command]), this, [this, cell, unit, direction] {
            m_focus.selectCell(cell.buffer, cell.element);
            m_focus.step(unit, direction);
        });
    };
    step(tr("Who wrote this: back to the write"), Command::CellWriteBack, StepUnit::CellWrite, Direction::Backward);
    step(tr("On to its next write"), Command::CellWrite, StepUnit::CellWrite, Direction::Forward);
    step(tr("Back to its previous read"), Command::CellReadBack, StepUnit::CellRead, Direction::Backward);
    step(tr("On to its next read"), Command::CellRead, StepUnit::CellRead, Direction::Forward);
    menu.addAction(tr("Why this value"), this, [this, cell] {
        m_focus.selectCell(cell.buffer, cell.element);
        showWhy(false);
    });
    addViews(menu, {"tensor", "cluster", "tiles"});
    menu.addSeparator();
    QAction* stops = menu.addAction(tr("Break on write"), this, [this, cell] { breakOnWrite(cell); });
    stops->setCheckable(true);
    stops->setChecked(m_views.stops->model()->watches(cell));
    menu.addAction(tr("Watch %1").arg(name), this, [this, name] { watchAlso(name); });
    menu.addAction(tr("Copy the value"), this, [value] { copy(value); });
    menu.addAction(tr("Copy the name"), this, [name] { copy(name); });
}

void MainWindow::fillVariableMenu(QMenu& menu, VariableId variable, Dim3 thread)
{
    const Snapshot& snapshot = *m_focus.snapshot();
    const QString name = nameOf(snapshot, variable);
    const QString value = valueOf(snapshot, variable, thread);
    const QString where = positionText(thread, snapshot.launch().block);
    addTitle(menu, value.isEmpty() ? tr("%1 in thread %2").arg(name, where)
                                   : tr("%1 = %2 in thread %3").arg(name, value, where));
    const auto step = [&](const QString& text, Direction direction) {
        menu.addAction(text, this, [this, variable, thread, direction] {
            showVariable(variable);
            m_focus.goToThread(thread);
            m_focus.stepVariable(variable, direction);
        });
    };
    step(tr("Who set this: back to the write"), Direction::Backward);
    step(tr("On to its next write"), Direction::Forward);
    menu.addAction(tr("Why this value"), this, [this, variable, thread] {
        showVariable(variable);
        m_focus.goToThread(thread);
        showWhy(true);
    });
    menu.addAction(tr("Show it under each thread"), this, [this, variable] { showVariable(variable); });
    menu.addSeparator();
    QAction* stops = menu.addAction(tr("Break on write by the focused thread"), this, [this, variable, name] {
        m_views.stops->model()->toggle(variable, name);
        say(m_views.stops->model()->watches(variable)
                ? tr("F5 and Shift+F5 now stop after each write of %1 by the focused thread.").arg(name)
                : tr("Writes of %1 stop no run any more.").arg(name));
    });
    stops->setCheckable(true);
    stops->setChecked(m_views.stops->model()->watches(variable));
    menu.addAction(tr("Watch %1").arg(name), this, [this, name] { watchAlso(name); });
    if (!value.isEmpty())
        menu.addAction(tr("Copy the value"), this, [value] { copy(value); });
    menu.addAction(tr("Copy the name"), this, [name] { copy(name); });
}

void MainWindow::showVariable(VariableId variable)
{
    m_options.shownVariable = variable;
    m_engine.setOptions(m_options);
}

void MainWindow::addViews(QMenu& menu, std::initializer_list<const char*> names)
{
    const trace::Catalog& catalog = *m_focus.snapshot()->catalog;
    for (size_t i = 0; i < m_views.analyses.size(); ++i) {
        const View& view = m_views.analyses[i]->view();
        const bool isWanted = std::any_of(names.begin(), names.end(),
                                          [&](const char* name) { return view.name() == QLatin1String(name); });
        if (isWanted && view.hasSubject(catalog))
            menu.addAction(tr("Show in %1").arg(view.title()), this,
                           [this, i] { m_views.tabs->setCurrentIndex(kFirstAnalysisTab + static_cast<int>(i)); });
    }
}

void MainWindow::showWhy(bool ofVariable)
{
    for (size_t i = 0; i < m_views.analyses.size(); ++i) {
        ViewWidget* analysis = m_views.analyses[i];
        if (analysis->view().name() != WhyView().name())
            continue;
        analysis->change(analysis->settings().with(WhySettings{ofVariable}));
        m_views.tabs->setCurrentIndex(kFirstAnalysisTab + static_cast<int>(i));
    }
}

void MainWindow::watchAlso(const QString& expression)
{
    QStringList watches;
    for (const std::string& text : m_options.watches)
        watches << QString::fromStdString(text);
    if (watches.contains(expression))
        return say(tr("%1 is watched already.").arg(expression));
    watch(watches << expression);
}

void MainWindow::say(const QString& text)
{
    constexpr int kShown = 8000;  // ms
    statusBar()->showMessage(text, kShown);
}

/// Beside the overlays' buttons; where these would have to go on in a line below, so that the stage jumps under the
/// pointer, in the window's last line.
void MainWindow::showHovered(const QString& text)
{
    constexpr int kSpacing = 12;  // pixels between the buttons and the words
    QLayout* row = m_views.stageBar->layout();
    const int buttons = row->itemAt(0)->sizeHint().width();
    const QMargins margins = row->contentsMargins();
    const int room = m_views.stageBar->width() - margins.left() - margins.right() - buttons - kSpacing;
    const bool fits = m_views.hoverText->fontMetrics().horizontalAdvance(text) <= room;
    m_views.hoverText->setText(fits ? text : QString());
    if (!fits)
        statusBar()->showMessage(text);
    else if (!m_hoveredBelow.isEmpty() && statusBar()->currentMessage() == m_hoveredBelow)
        statusBar()->clearMessage();
    m_hoveredBelow = fits ? QString() : text;
}

/// What no view and no command took: a key that does nothing says why.
void MainWindow::keyPressEvent(QKeyEvent* event)
{
    const QKeySequence pressed(event->keyCombination());
    for (const QAction* action : m_actions.findChildren<QAction*>())
        if (!action->isEnabled() && action->shortcuts().contains(pressed))
            return say(QStringLiteral("%1 (%2): %3")
                           .arg(pressed.toString(QKeySequence::NativeText), action->text().remove(u'&'),
                                m_actions.whyNot(*action)));
    const bool isNamed = event->key() < Qt::Key_Shift || event->key() > Qt::Key_Direction_R ||
                         (event->key() >= Qt::Key_F1 && event->key() <= Qt::Key_F35);
    const bool isModifier = event->key() == Qt::Key_AltGr || event->key() == Qt::Key_unknown;
    if (isNamed && !isModifier && event->key() != Qt::Key_Escape && event->key() != Qt::Key_Tab &&
        event->key() != Qt::Key_Backtab)
        say(tr("%1 does nothing here. F1 lists all keys, Ctrl+Shift+P all commands.")
                .arg(pressed.toString(QKeySequence::NativeText)));
    QMainWindow::keyPressEvent(event);
}

}  // namespace lanescope::gui
