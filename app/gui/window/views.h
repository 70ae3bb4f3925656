// SPDX-License-Identifier: GPL-3.0-or-later
// All views of the window and the docks that hold them. Builds and arranges; connects nothing.
#pragma once

#include <QMainWindow>

#include <vector>

#include "app/gui/window/actions.h"

class QComboBox;
class QDockWidget;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QTabBar;
class QStackedWidget;
class QTableView;

namespace lanescope::gui {

class Banner;
class FindingsModel;
class GalleryPanel;
class InspectorWidget;
class LinesModel;
class SourceView;
class StageWidget;
class TimelineWidget;

struct Views {
    Banner* banner = nullptr;
    StageWidget* stage = nullptr;
    QLabel* hoverText = nullptr;
    GalleryPanel* gallery = nullptr;
    SourceView* source = nullptr;
    InspectorWidget* inspector = nullptr;
    TimelineWidget* timeline = nullptr;
    QPlainTextEdit* output = nullptr;
    QTableView* lines = nullptr;
    QTableView* findings = nullptr;
    LinesModel* linesModel = nullptr;
    FindingsModel* findingsModel = nullptr;
    QTabBar* tabs = nullptr;
    QComboBox* stepUnit = nullptr;
    QComboBox* speed = nullptr;
    QLineEdit* focusField = nullptr;
    QDockWidget* sourceDock = nullptr;
    std::vector<QDockWidget*> docks;
};

enum BottomTab : int { kTimelineTab, kFindingsTab, kLinesTab, kOutputTab };

Views buildViews(QMainWindow& window, const Actions& actions);
/// Menus and toolbar; fills in the views that live in the toolbar.
void buildBars(QMainWindow& window, const Actions& actions, Views& views);
/// Sizes of the docks at first start.
void arrangeDocks(QMainWindow& window, const Views& views);

}  // namespace lanescope::gui
