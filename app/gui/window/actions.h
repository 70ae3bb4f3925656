// SPDX-License-Identifier: GPL-3.0-or-later
// Every command of the window in one table: text, icon, keys. Menus, toolbar and shortcuts read it.
#pragma once

#include <QAction>
#include <QObject>

#include <map>
#include <vector>

#include "app/gui/stage/stage_scene.h"
#include "app/gui/theme/theme.h"

namespace lanescope::gui {

enum class Command : uint8_t {
    Open,
    Record,
    RecordWith,
    SaveTrace,
    Edit,
    Cancel,
    ExportStage,
    ExportWindow,
    ExportTab,
    ExportSteps,
    CopyPicture,
    Compare,
    Quit,
    First,
    EpochBack,
    LineBack,
    AccessBack,
    Play,
    Access,
    Line,
    Epoch,
    Last,
    EventBack,
    Event,
    RunBack,
    Run,
    FindingBack,
    Finding,
    CellWriteBack,
    CellWrite,
    CellReadBack,
    CellRead,
    RunToLine,
    RunBackToLine,
    BreakOnWrite,
    LaneBack,
    Lane,
    WarpBack,
    Warp,
    BlockBack,
    Block,
    RankBack,
    Rank,
    LaunchBack,
    Launch,
    Breakpoint,
    HistoryBack,
    HistoryForward,
    CopyFocus,
    Watch,
    Find,
    FindNext,
    FindPrevious,
    Palette,
    Stops,
    Lanes,
    TabBack,
    Tab,
    Reshape,
    EditFocus,
    FitStage,
    NextTheme,
    Tiles,
    Mapping,
    Halo,
    Banks,
    Heat,
    Age,
    Race,
    Bounds,
    Tour,
    TourNext,
    TourPrevious,
    Start,
    CheckAnswer,
    Hint,
    Solution,
    StartOver,
    Lecture,
    Motion,
    ResetLayout,
    Shortcuts,
    About,
};

class Actions : public QObject {
    Q_OBJECT

public:
    explicit Actions(QObject* parent);

    [[nodiscard]] QAction* operator[](Command command) const { return m_actions.at(command); }
    void setTheme(const Theme& theme);
    /// Why a command that cannot be given now cannot: for the status bar.
    [[nodiscard]] QString whyNot(const QAction& action) const;
    /// Greyed while nothing is open.
    void setStepping(bool possible);
    /// While a tour plays the arrow keys and a presenter's go from stop to stop, else from line to line.
    void setTouring(bool on) const;
    /// The stage's overlays, each a command that can be on or off, in the order of their buttons.
    [[nodiscard]] static const std::vector<std::pair<Command, Overlay>>& overlays();
    /// Menu title and its commands, in order.
    [[nodiscard]] static std::vector<std::pair<QString, std::vector<Command>>> menus();

private:
    std::map<Command, QAction*> m_actions;
};

}  // namespace lanescope::gui
