// SPDX-License-Identifier: GPL-3.0-or-later
// All views of the window and the docks that hold them. Builds and arranges; connects nothing.
#pragma once

#include <QMainWindow>

#include <vector>

#include "app/gui/window/actions.h"

class QComboBox;
class QDockWidget;
class QLabel;
class QAction;
class QLineEdit;
class QPlainTextEdit;
class QMenu;
class QTabBar;
class QStackedWidget;

namespace lanescope::gui {

class Banner;
class ExercisePanel;
class FindBar;

class GalleryPanel;
class InspectorWidget;
class LanesPanel;
class RankChoice;
class SourceView;
class StageWidget;
class StartPage;
class StopsPanel;
class TimelineWidget;
class TourBar;
class ViewWidget;
class ViewWorker;

struct Views {
    Banner* banner = nullptr;
    StageWidget* stage = nullptr;
    QLabel* hoverText = nullptr;
    TourBar* tourBar = nullptr;
    GalleryPanel* gallery = nullptr;
    SourceView* source = nullptr;
    InspectorWidget* inspector = nullptr;
    LanesPanel* lanes = nullptr;
    TimelineWidget* timeline = nullptr;
    QPlainTextEdit* output = nullptr;
    FindBar* findInSource = nullptr;
    FindBar* findInOutput = nullptr;
    StopsPanel* stops = nullptr;
    ExercisePanel* exercise = nullptr;
    StartPage* start = nullptr;   ///< in the stage's place while it is shown
    QWidget* stageBar = nullptr;  ///< above the stage: the overlays' buttons

    std::vector<ViewWidget*> analyses;  ///< one per gui::allViews(), each a tab

    QTabBar* tabs = nullptr;
    QMenu* recentMenu = nullptr;
    QComboBox* stepUnit = nullptr;
    QComboBox* speed = nullptr;
    RankChoice* ranks = nullptr;
    QMenu* deviceMenu = nullptr;  ///< what to record on
    QAction* brand = nullptr;     ///< the name in the toolbar, where there is room
    QLineEdit* focusField = nullptr;
    QDockWidget* sourceDock = nullptr;
    QDockWidget* inspectorDock = nullptr;
    QDockWidget* stopsDock = nullptr;     ///< hidden until it is asked for
    QDockWidget* lanesDock = nullptr;     ///< hidden until it is asked for
    QDockWidget* exerciseDock = nullptr;  ///< hidden while there is no exercise
    std::vector<QDockWidget*> docks;
};

/// The analyses' tabs follow.
enum BottomTab : int { kTimelineTab, kOutputTab, kFirstAnalysisTab };

/// \p worker must outlive the window's children.
Views buildViews(QMainWindow& window, const Actions& actions, ViewWorker& worker);
/// Menus and toolbar; fills in the views that live in the toolbar.
void buildBars(QMainWindow& window, const Actions& actions, Views& views);
/// Makes the bottom dock at least as high as its tab needs.
void makeRoomFor(QMainWindow& window, const Views& views, int tab);
/// Sizes of the docks at first start.
void arrangeDocks(QMainWindow& window, const Views& views);

}  // namespace lanescope::gui
