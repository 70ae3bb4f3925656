// SPDX-License-Identifier: GPL-3.0-or-later
// The right-hand dock: the focused thread's variables and watches, the warp's lanes, the selected cell.
#pragma once

#include <QWidget>

#include <functional>

#include "app/gui/engine/menu_place.h"
#include "app/gui/engine/snapshot.h"
#include "app/gui/engine/thread_frames.h"
#include "app/gui/theme/theme.h"

class QLabel;
class QMenu;
class QAbstractItemModel;
class QModelIndex;
class QTableView;

namespace lanescope::gui {

class FramesModel;
class VariablesModel;
class LanesModel;
class WatchesModel;
class VariableStoryModel;
class CellStoryModel;

class InspectorWidget : public QWidget {
    Q_OBJECT

public:
    explicit InspectorWidget(QWidget* parent = nullptr);
    void setSnapshot(const SnapshotPointer& snapshot);
    void setTheme(const Theme& theme);
    void setWatches(const QStringList& watches);
    /// Opens the field for a new one.
    void addWatch();
    QSize sizeHint() const override { return {330, 700}; }

protected:
    void resizeEvent(QResizeEvent* event) override;

signals:
    void threadChosen(lanescope::Dim3 thread);
    void variableChosen(lanescope::VariableId variable);
    /// A line of one of the functions that the thread is in.
    void placeChosen(lanescope::trace::SourceLocation place);
    void stepChosen(lanescope::StepIndex step);
    void watchesChanged(const QStringList& watches);
    /// A menu opens on \p place; who knows more that can be done there adds it.
    void menuWanted(QMenu* menu, const lanescope::gui::MenuPlace& place);

private:
    QTableView* addTable(QAbstractItemModel* model, const QString& name);
    QLabel* addTitle(const QString& text);
    QLabel* addNote();
    void buildFrames();
    void buildWatches();
    void offerMenu(QTableView* table, const std::function<MenuPlace(const QModelIndex&)>& placeOf);
    void foldLanes();
    void fitWatches();
    void fitVariables();
    void noteVariables();
    void buildStories();
    void fitStories();
    void showStories();

    const Theme* m_theme;
    SnapshotPointer m_snapshot;
    VariablesModel* m_variables;
    LanesModel* m_lanes;
    QLabel* m_threadTitle;
    ThreadFrames m_threadFrames;
    FramesModel* m_frames;
    QTableView* m_framesTable;  ///< hidden in the kernel itself
    QTableView* m_variablesTable;
    QLabel* m_variablesNote;  ///< why there are none
    WatchesModel* m_watches;
    QTableView* m_watchesTable;
    QLabel* m_warpTitle;
    QLabel* m_warpNote;  ///< what is equal in all lanes
    QTableView* m_lanesTable;
    VariableStoryModel* m_variableStory;
    QLabel* m_variableStoryTitle;
    QTableView* m_variableStoryTable;
    CellStoryModel* m_cellStory;
    QLabel* m_cellStoryTitle;
    QLabel* m_cellStorySummary;
    QTableView* m_cellStoryTable;
    int m_lanesColumns = 0;  ///< for which widths were chosen; steady while stepping
};

}  // namespace lanescope::gui
