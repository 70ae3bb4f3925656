// SPDX-License-Identifier: GPL-3.0-or-later
// Menus and toolbar.
#include <QComboBox>
#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QMenuBar>
#include <QRegularExpression>
#include <QStatusBar>
#include <QTabBar>
#include <QToolBar>
#include <QToolButton>

#include "app/gui/engine/step_target.h"
#include "app/gui/timeline/timeline_painter.h"
#include "app/gui/views/view.h"
#include "app/gui/window/rank_choice.h"
#include "app/gui/window/views.h"

namespace lanescope::gui {

namespace {

QComboBox* addChoice(QToolBar& bar, const QString& name, const std::vector<std::pair<QString, int>>& choices)
{
    auto* box = new QComboBox(&bar);
    box->setAccessibleName(name);
    box->setToolTip(name);
    box->setFocusPolicy(Qt::TabFocus);
    for (const auto& [text, value] : choices)
        box->addItem(text, value);
    bar.addWidget(box);
    return box;
}

/// Each tab below the stage by its number: Alt+1, Alt+2, ….
void buildTabMenu(QMainWindow& window, QMenu& menu, const Views& views)
{
    constexpr int kDigits = 10;
    QStringList titles{QObject::tr(timelineDescription().title.c_str()), QObject::tr("Output")};
    for (const auto& view : allViews())
        titles << view->title();
    for (int tab = 0; tab < titles.size(); ++tab) {
        QAction* action = menu.addAction(titles[tab], [tabs = views.tabs, bar = window.statusBar(), tab] {
            constexpr int kShown = 8000;  // ms
            if (tabs->isTabEnabled(tab))
                tabs->setCurrentIndex(tab);
            else
                bar->showMessage(QObject::tr("%1 is empty: this recording has nothing that the program printed.")
                                     .arg(tabs->tabText(tab)),
                                 kShown);
        });
        if (tab < kDigits)
            action->setShortcut(QKeySequence(QStringLiteral("Alt+%1").arg((tab + 1) % kDigits)));
        window.addAction(action);
    }
}

void buildMenus(QMainWindow& window, const Actions& actions, Views& views)
{
    for (const auto& [title, commands] : Actions::menus()) {
        QMenu* menu = window.menuBar()->addMenu(title);
        for (Command command : commands) {
            menu->addAction(actions[command]);
            if (command == Command::Open)
                views.recentMenu = menu->addMenu(QObject::tr("Open recent"));
            if (command == Command::Record)
                views.deviceMenu = menu->addMenu(QObject::tr("Record on"));
        }
        if (commands.back() != Command::ResetLayout)
            continue;
        buildTabMenu(window, *menu->addMenu(QObject::tr("Tabs")), views);
        QMenu* panels = menu->addMenu(QObject::tr("Panels"));
        for (QDockWidget* dock : views.docks)
            panels->addAction(dock->toggleViewAction());
    }
    // shortcuts hold while the menu bar is hidden, too
    for (const auto& [title, commands] : Actions::menus())
        for (Command command : commands)
            window.addAction(actions[command]);
}

}  // namespace

void buildBars(QMainWindow& window, const Actions& actions, Views& views)
{
    buildMenus(window, actions, views);
    auto* bar = new QToolBar(QObject::tr("Main"), &window);
    bar->setObjectName(QStringLiteral("toolbar"));
    bar->setMovable(false);
    bar->setIconSize({20, 20});
    auto* brand = new QLabel(QStringLiteral("Lanescope"), bar);
    brand->setObjectName(QStringLiteral("brand"));
    views.brand = bar->addWidget(brand);
    const auto add = [&](Command command, bool withText) {
        bar->addAction(actions[command]);
        if (auto* button = qobject_cast<QToolButton*>(bar->widgetForAction(actions[command])); button && withText)
            button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    };
    add(Command::Open, true);
    add(Command::Record, true);
    if (auto* record = qobject_cast<QToolButton*>(bar->widgetForAction(actions[Command::Record]))) {
        record->setMenu(views.deviceMenu);
        record->setPopupMode(QToolButton::MenuButtonPopup);
    }
    bar->addSeparator();
    for (Command command : {Command::First, Command::EpochBack, Command::LineBack, Command::Play, Command::Line,
                            Command::Epoch, Command::Last})
        add(command, false);
    bar->addSeparator();
    views.stepUnit = addChoice(*bar, QObject::tr("Play by"),
                               {{QObject::tr("by line"), static_cast<int>(StepUnit::Line)},
                                {QObject::tr("by access"), static_cast<int>(StepUnit::Access)},
                                {QObject::tr("by event"), static_cast<int>(StepUnit::Event)},
                                {QObject::tr("by epoch"), static_cast<int>(StepUnit::Epoch)},
                                {QObject::tr("by block"), static_cast<int>(StepUnit::Block)}});
    views.speed = addChoice(*bar, QObject::tr("Steps a second"),
                            {{QStringLiteral("1/s"), 1000},
                             {QStringLiteral("2/s"), 500},
                             {QStringLiteral("5/s"), 200},
                             {QStringLiteral("20/s"), 50}});
    bar->addSeparator();
    views.ranks = new RankChoice(bar);
    QAction* const ranks = bar->addWidget(views.ranks);
    ranks->setVisible(false);
    views.ranks->setPlace(ranks);
    add(Command::HistoryBack, false);
    add(Command::HistoryForward, false);
    views.focusField = new QLineEdit(bar);
    views.focusField->setObjectName(QStringLiteral("focusField"));
    views.focusField->setAccessibleName(QObject::tr("Focus"));
    views.focusField->setToolTip(
        QObject::tr("Where you are. Type another place and press Enter: step=137, 50%, thread=(2,1)"));
    views.focusField->setMinimumWidth(100);
    views.focusField->setMaximumWidth(560);
    views.focusField->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    bar->addWidget(views.focusField);
    bar->addSeparator();
    add(Command::Tour, false);
    add(Command::NextTheme, false);
    add(Command::ExportStage, false);
    window.addToolBar(bar);
    // Qt shows these where a bar has no room, and leaves them nameless.
    for (QToolButton* more : window.findChildren<QToolButton*>(QRegularExpression(QStringLiteral("ext_button$"))))
        more->setAccessibleName(QObject::tr("More commands"));
}

}  // namespace lanescope::gui
