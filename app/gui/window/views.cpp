// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/views.h"

#include <algorithm>

#include <QDockWidget>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QStackedWidget>
#include <QTabBar>
#include <QTextCursor>
#include <QTextDocument>
#include <QVBoxLayout>

#include "app/gui/inspector/inspector_widget.h"
#include "app/gui/inspector/lanes_panel.h"
#include "app/gui/source/source_view.h"
#include "app/gui/stage/stage_widget.h"
#include "app/gui/timeline/timeline_painter.h"
#include "app/gui/timeline/timeline_widget.h"
#include "app/gui/tour/tour_bar.h"
#include "app/gui/views/view_widget.h"
#include "app/gui/window/banner.h"
#include "app/gui/window/exercise_panel.h"
#include "app/gui/window/find_bar.h"
#include "app/gui/window/gallery_panel.h"
#include "app/gui/window/start_page.h"
#include "app/gui/window/stops_panel.h"
#include "app/gui/window/wrapping_row.h"

namespace lanescope::gui {

namespace {

QDockWidget* newDock(QMainWindow& window, const QString& name, const QString& title, QWidget* content)
{
    auto* dock = new QDockWidget(title, &window);
    dock->setObjectName(name);
    dock->setWidget(content);
    return dock;
}

QDockWidget* addDock(QMainWindow& window, Qt::DockWidgetArea area, const QString& name, const QString& title,
                     QWidget* content)
{
    QDockWidget* dock = newDock(window, name, title, content);
    window.addDockWidget(area, dock);
    return dock;
}

QPushButton* pill(QAction* action, QWidget* parent)
{
    auto* button = new QPushButton(action->text(), parent);
    button->setObjectName(QStringLiteral("pill"));
    button->setCheckable(true);
    button->setChecked(action->isChecked());
    button->setToolTip(action->toolTip());
    button->setFocusPolicy(Qt::TabFocus);
    QObject::connect(button, &QPushButton::toggled, action, &QAction::setChecked);
    QObject::connect(action, &QAction::toggled, button, &QPushButton::setChecked);
    return button;
}

QWidget* buildCentre(QMainWindow& window, const Actions& actions, Views& views)
{
    auto* centre = new QWidget(&window);
    auto* column = new QVBoxLayout(centre);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    views.banner = new Banner(centre);
    column->addWidget(views.banner);
    auto* bar = new QWidget(centre);
    views.stageBar = bar;
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(14, 6, 14, 6);
    row->setSpacing(6);
    auto* pills = new WrappingRow(nullptr);
    pills->setContentsMargins(0, 0, 0, 0);
    pills->setSpacing(6);
    for (const auto& [command, overlay] : Actions::overlays())
        pills->addWidget(pill(actions[command], bar));
    row->addLayout(pills, 1);
    views.hoverText = new QLabel(bar);
    views.hoverText->setObjectName(QStringLiteral("caption"));
    row->addWidget(views.hoverText);
    column->addWidget(bar);
    views.stage = new StageWidget(centre);
    column->addWidget(views.stage, 1);
    views.tourBar = new TourBar(centre);
    column->addWidget(views.tourBar);
    views.start = new StartPage(centre);
    views.start->hide();
    column->addWidget(views.start, 1);
    return centre;
}

/// Around the end, as in the source.
bool findIn(QPlainTextEdit& output, const QString& text, Direction direction)
{
    QTextCursor cursor = output.textCursor();
    // Who still types stays at the place found so far, where that goes on as it should.
    if (text.size() > cursor.selectedText().size() && text.startsWith(cursor.selectedText(), Qt::CaseInsensitive)) {
        cursor.setPosition(cursor.selectionStart());
        output.setTextCursor(cursor);
    }
    const auto flags = direction == Direction::Backward ? QTextDocument::FindBackward : QTextDocument::FindFlags();
    if (output.find(text, flags))
        return true;
    const QTextCursor before = output.textCursor();
    output.moveCursor(direction == Direction::Backward ? QTextCursor::End : QTextCursor::Start);
    if (output.find(text, flags))
        return true;
    output.setTextCursor(before);
    return false;
}

/// Timeline, output and the analyses under one row of tabs, which is also the dock's handle.
void buildBottom(QMainWindow& window, Views& views, ViewWorker& worker)
{
    auto* stack = new QStackedWidget(&window);
    views.timeline = new TimelineWidget(stack);
    views.output = new QPlainTextEdit(stack);
    views.output->setReadOnly(true);
    views.output->setAccessibleName(QObject::tr("Output of the program and of the recorder"));
    for (QWidget* page : std::initializer_list<QWidget*>{views.timeline, views.output})
        stack->addWidget(page);
    views.findInOutput = new FindBar(views.output, [output = views.output](const QString& text, Direction direction) {
        return findIn(*output, text, direction);
    });
    for (const auto& view : allViews()) {
        views.analyses.push_back(new ViewWidget(*view, worker, stack));
        stack->addWidget(views.analyses.back());
    }
    auto* handle = new QWidget(&window);
    auto* row = new QHBoxLayout(handle);
    row->setContentsMargins(6, 0, 6, 0);
    views.tabs = new QTabBar(handle);
    views.tabs->setDrawBase(false);
    views.tabs->setExpanding(false);
    views.tabs->setUsesScrollButtons(false);
    constexpr int kRoomForAllTabs = 760;  // tabs come and go with their content
    views.tabs->setMinimumWidth(kRoomForAllTabs);
    views.tabs->addTab(QObject::tr(timelineDescription().title.c_str()));
    views.tabs->addTab(QObject::tr("Output"));
    for (const auto& view : allViews())
        views.tabs->addTab(view->title());
    row->addWidget(views.tabs);
    row->addStretch(1);
    QObject::connect(views.tabs, &QTabBar::currentChanged, stack, &QStackedWidget::setCurrentIndex);
    QDockWidget* dock =
        addDock(window, Qt::BottomDockWidgetArea, QStringLiteral("bottom"), QObject::tr("Timeline"), stack);
    dock->setTitleBarWidget(handle);
    views.docks.push_back(dock);
}

/// A tab beside \p neighbour once it is asked for: among the docks, even hidden, it would cost them room.
QDockWidget* addLater(QMainWindow& window, Qt::DockWidgetArea area, QDockWidget* neighbour, const QString& name,
                      const QString& title, QWidget* content)
{
    QDockWidget* dock = newDock(window, name, title, content);
    dock->hide();
    QObject::connect(dock->toggleViewAction(), &QAction::toggled, &window, [&window, area, neighbour, dock](bool on) {
        if (!on || window.dockWidgetArea(dock) != Qt::NoDockWidgetArea)
            return;
        window.addDockWidget(area, dock);
        window.tabifyDockWidget(neighbour, dock);
        dock->raise();
    });
    return dock;
}

bool isAddedLater(const Views& views, const QDockWidget* dock)
{
    return dock == views.stopsDock || dock == views.lanesDock || dock == views.exerciseDock;
}

}  // namespace

Views buildViews(QMainWindow& window, const Actions& actions, ViewWorker& worker)
{
    Views views;
    window.setDockOptions(QMainWindow::AnimatedDocks | QMainWindow::AllowNestedDocks | QMainWindow::AllowTabbedDocks);
    window.setCentralWidget(buildCentre(window, actions, views));
    views.gallery = new GalleryPanel(&window);
    views.source = new SourceView(&window);
    views.inspector = new InspectorWidget(&window);
    buildBottom(window, views, worker);
    views.findInSource = new FindBar(views.source, [source = views.source](const QString& text, Direction direction) {
        return source->find(text, direction);
    });
    views.stops = new StopsPanel(&window);
    QDockWidget* gallery =
        addDock(window, Qt::LeftDockWidgetArea, QStringLiteral("gallery"), QObject::tr("Programs"), views.gallery);
    views.sourceDock =
        addDock(window, Qt::LeftDockWidgetArea, QStringLiteral("source"), QObject::tr("Source"), views.source);
    QDockWidget* inspector = views.inspectorDock = addDock(window, Qt::RightDockWidgetArea, QStringLiteral("inspector"),
                                                           QObject::tr("Inspector"), views.inspector);
    views.stopsDock = addLater(window, Qt::LeftDockWidgetArea, gallery, QStringLiteral("stops"),
                               QObject::tr("Breakpoints"), views.stops);
    views.exercise = new ExercisePanel({{QObject::tr("Check"), actions[Command::CheckAnswer]},
                                        {QObject::tr("Hint"), actions[Command::Hint]},
                                        {QObject::tr("Solution"), actions[Command::Solution]},
                                        {QObject::tr("Start over"), actions[Command::StartOver]}},
                                       &window);
    views.exerciseDock = addLater(window, Qt::RightDockWidgetArea, inspector, QStringLiteral("exercise"),
                                  QObject::tr("Exercise"), views.exercise);
    views.lanes = new LanesPanel(&window);
    views.lanesDock = addLater(window, Qt::RightDockWidgetArea, inspector, QStringLiteral("lanes"),
                               QObject::tr("Lanes"), views.lanes);
    for (QDockWidget* dock :
         {gallery, views.sourceDock, inspector, views.stopsDock, views.lanesDock, views.exerciseDock})
        views.docks.push_back(dock);
    return views;
}

void makeRoomFor(QMainWindow& window, const Views& views, int tab)
{
    constexpr const char* kBefore = "heightBefore";  // of the bottom dock, while an analysis has more
    QDockWidget* bottom = views.docks[0];
    constexpr int kLeastStage = 260;  // pixels that an analysis leaves it in a small window
    const int wanted =
        std::min(window.height() * 45 / 100, bottom->height() + std::max(0, views.stage->height() - kLeastStage));
    const QVariant before = bottom->property(kBefore);
    // What stands above each other at the left shrinks with the room, and would grow otherwise than it shrank.
    QList<QDockWidget*> left;
    for (QDockWidget* dock : {views.docks[1], views.sourceDock})
        if (dock->isVisible() && !dock->isFloating() && window.dockWidgetArea(dock) == Qt::LeftDockWidgetArea)
            left << dock;
    if (tab >= kFirstAnalysisTab && !before.isValid() && bottom->height() < wanted) {
        bottom->setProperty(kBefore, bottom->height());
        int rest = bottom->height() - wanted;
        for (QDockWidget* dock : left) {
            dock->setProperty(kBefore, dock->height());
            rest += dock->height();
        }
        window.resizeDocks({bottom}, {wanted}, Qt::Vertical);
        if (left.size() > 1 && left[0]->height() > rest / 3)  // the code around the next line shows, too
            window.resizeDocks(left, {rest / 3, rest - rest / 3}, Qt::Vertical);
    } else if (tab < kFirstAnalysisTab && before.isValid()) {
        bottom->setProperty(kBefore, {});
        window.resizeDocks({bottom}, {before.toInt()}, Qt::Vertical);
        QList<int> heights;
        for (QDockWidget* dock : left)
            heights << dock->property(kBefore).toInt();
        if (left.size() > 1 && !heights.contains(0))
            window.resizeDocks(left, heights, Qt::Vertical);
    }
}

void arrangeDocks(QMainWindow& window, const Views& views)
{
    QDockWidget* bottom = views.docks[0];
    QDockWidget* gallery = views.docks[1];
    QDockWidget* source = views.sourceDock;
    QDockWidget* inspector = views.inspectorDock;
    const bool hadExercise = views.exerciseDock->isVisible();
    window.removeDockWidget(views.stopsDock);
    window.removeDockWidget(views.lanesDock);
    window.removeDockWidget(views.exerciseDock);
    for (QDockWidget* dock : views.docks) {
        if (isAddedLater(views, dock))
            continue;
        dock->setFloating(false);
        dock->show();
    }
    window.addDockWidget(Qt::BottomDockWidgetArea, bottom);
    window.addDockWidget(Qt::LeftDockWidgetArea, gallery);
    window.addDockWidget(Qt::RightDockWidgetArea, inspector);
    window.splitDockWidget(gallery, source, Qt::Vertical);
    window.setCorner(Qt::BottomLeftCorner, Qt::BottomDockWidgetArea);
    window.setCorner(Qt::BottomRightCorner, Qt::BottomDockWidgetArea);
    const int width = std::max(window.width(), 800);
    const int height = std::max(window.height(), 600);
    window.resizeDocks({source, inspector},
                       {std::max(width * 27 / 100, std::min(400, width * 30 / 100)), width * 20 / 100}, Qt::Horizontal);
    const int programs = std::max(height * 23 / 100, std::min(200, height * 30 / 100));
    window.resizeDocks({gallery, source}, {programs, height * 70 / 100 - programs}, Qt::Vertical);
    window.resizeDocks({bottom}, {height * 22 / 100}, Qt::Vertical);
    views.exerciseDock->setVisible(hadExercise);
}

}  // namespace lanescope::gui
