// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/actions.h"

#include <QKeySequence>

#include <array>

namespace lanescope::gui {

namespace {

struct Row {
    Command command;
    const char* text;
    const char* icon;
    std::array<const char*, 3> keys;
    const char* tip;
};

// clang-format off
constexpr std::array kRows{
    Row{Command::Open, "Open…", "open", {"Ctrl+O", "", ""}, "Open a CUDA program or a trace"},
    Row{Command::Record, "Record", "record", {"Ctrl+R", "", ""}, "Compile, run and record the program again"},
    Row{Command::RecordWith, "Record with…", "", {"Ctrl+Shift+R", "", ""}, "Arguments, definitions, folders, blocks and limits of this program's recordings"},
    Row{Command::SaveTrace, "Save trace as…", "", {"Ctrl+Shift+S", "", ""}, "Keep the recording in a file of its own"},
    Row{Command::Edit, "Edit source", "", {"F2", "", ""}, "Change the program here; Record saves and records it"},
    Row{Command::Cancel, "Cancel recording", "stop", {"Esc", "", ""}, "Stop the recording; what there is stays readable"},
    Row{Command::ExportStage, "Export stage…", "export", {"Ctrl+E", "", ""}, "Save the stage as PNG, SVG or PDF"},
    Row{Command::ExportWindow, "Export window…", "", {"Ctrl+Shift+E", "", ""}, "Save a picture of the window"},
    Row{Command::ExportTab, "Export the open tab…", "", {"Ctrl+Alt+E", "", ""}, "Save the timeline or the analysis below the stage as PNG, SVG or PDF"},
    Row{Command::ExportSteps, "Export steps…", "", {"Ctrl+Alt+S", "", ""}, "A PDF with a step a page, or a film: GIF, MP4"},
    Row{Command::CopyPicture, "Copy picture of the stage", "", {"Ctrl+Alt+C", "", ""}, "Put the stage on the clipboard as a picture"},
    Row{Command::Compare, "Compare with…", "", {"Ctrl+D", "", ""}, "Another recording beside this one, in step, with the numbers that differ"},
    Row{Command::Quit, "Quit", "", {"Ctrl+Q", "", ""}, ""},
    Row{Command::First, "To the start", "first", {"Home", "", ""}, "Before the first step of this block"},
    Row{Command::EpochBack, "Previous epoch", "epoch_back", {"Ctrl+Shift+F10", "", ""}, "Back to the barrier before"},
    Row{Command::LineBack, "Previous line", "back", {"Shift+F10", "Left", "PgUp"}, "Take back one source line"},
    Row{Command::AccessBack, "Previous access", "", {"Shift+F11", "", ""}, "Back to the previous memory access of the warp"},
    Row{Command::Play, "Play", "play", {"Space", "", ""}, "Step by itself at the chosen speed"},
    Row{Command::Access, "Next access", "", {"F11", "", ""}, "On to the next memory access of the warp"},
    Row{Command::Line, "Next line", "forward", {"F10", "Right", "PgDown"}, "Run to the next source line"},
    Row{Command::Epoch, "Next epoch", "epoch_forward", {"Ctrl+F10", "", ""}, "On to the next barrier"},
    Row{Command::Last, "To the end", "last", {"End", "", ""}, "After the last step of this block"},
    Row{Command::EventBack, "Previous event", "", {"Alt+Shift+F11", "", ""}, "Take back one recorded event of any warp"},
    Row{Command::Event, "Next event", "", {"Alt+F11", "", ""}, "Run one recorded event of any warp"},
    Row{Command::RunBack, "Run back to breakpoint", "", {"Shift+F5", "", ""}, ""},
    Row{Command::Run, "Run to breakpoint", "", {"F5", "", ""}, ""},
    Row{Command::FindingBack, "Previous finding", "", {"Shift+F8", "", ""}, "Back to the finding before, wherever in the recording it is"},
    Row{Command::Finding, "Next finding", "", {"F8", "", ""}, "On to the next finding, wherever in the recording it is"},
    Row{Command::CellWriteBack, "Back to the cell's write", "", {"Shift+F6", "", ""}, "Back to the write of the selected cell before this step"},
    Row{Command::CellWrite, "Run to the cell's write", "", {"F6", "", ""}, "On to the next write of the selected cell"},
    Row{Command::CellReadBack, "Back to the cell's read", "", {"Shift+F7", "", ""}, "Back to the read of the selected cell before this step"},
    Row{Command::CellRead, "Run to the cell's read", "", {"F7", "", ""}, "On to the next read of the selected cell"},
    Row{Command::RunToLine, "Run to the chosen line", "", {"F4", "", ""}, "On to where the warp next comes to the line chosen in the source"},
    Row{Command::RunBackToLine, "Run back to the chosen line", "", {"Shift+F4", "", ""}, "Back to where the warp last was at the line chosen in the source"},
    Row{Command::BreakOnWrite, "Break on write to the cell", "", {"Ctrl+F9", "", ""}, "Run stops at each write of the selected cell"},
    Row{Command::LaneBack, "Previous lane", "", {"Ctrl+Left", "", ""}, "The thread before this one"},
    Row{Command::Lane, "Next lane", "", {"Ctrl+Right", "", ""}, "The thread after this one"},
    Row{Command::WarpBack, "Previous warp", "", {"Ctrl+Up", "", ""}, "The same lane of the warp before"},
    Row{Command::Warp, "Next warp", "", {"Ctrl+Down", "", ""}, "The same lane of the warp after"},
    Row{Command::BlockBack, "Previous block", "", {"Ctrl+Shift+Left", "", ""}, "The recorded block before, at the same step"},
    Row{Command::Block, "Next block", "", {"Ctrl+Shift+Right", "", ""}, "The recorded block after, at the same step"},
    Row{Command::LaunchBack, "Previous launch", "", {"Ctrl+Shift+Up", "", ""}, "The launch before this one"},
    Row{Command::Launch, "Next launch", "", {"Ctrl+Shift+Down", "", ""}, "The launch after this one"},
    Row{Command::RankBack, "Previous rank", "", {"Alt+PgUp", "", ""}, "The job's process before this one, at the same place"},
    Row{Command::Rank, "Next rank", "", {"Alt+PgDown", "", ""}, "The job's process after this one, at the same place"},
    Row{Command::Breakpoint, "Toggle breakpoint", "", {"F9", "", ""}, ""},
    Row{Command::HistoryBack, "Back", "history_back", {"Alt+Left", "", ""}, "The focus before this one"},
    Row{Command::HistoryForward, "Forward", "history_forward", {"Alt+Right", "", ""}, "The focus after this one"},
    Row{Command::CopyFocus, "Copy focus", "copy", {"Ctrl+Shift+C", "", ""}, "Copy where you are as text"},
    Row{Command::Watch, "Watch an expression…", "", {"Ctrl+Shift+W", "", ""}, "Its value in the thread and in every lane: acc / (k + 1), a[row * n + k]"},
    Row{Command::Find, "Find…", "", {"Ctrl+F", "", ""}, "Text in the source, or in the output while that is open"},
    Row{Command::FindNext, "Find next", "", {"F3", "", ""}, ""},
    Row{Command::FindPrevious, "Find previous", "", {"Shift+F3", "", ""}, ""},
    Row{Command::Palette, "All commands…", "", {"Ctrl+Shift+P", "", ""}, "Type a part of a command's name; Enter gives it"},
    Row{Command::Stops, "Breakpoints", "", {"Ctrl+Shift+B", "", ""}, "The list of breakpoints and of watched cells and variables"},
    Row{Command::Lanes, "All lanes", "", {"Ctrl+Shift+L", "", ""}, "The table of the warp's lanes in a tab of its own, full height"},
    Row{Command::TabBack, "Previous tab", "", {"Ctrl+PgUp", "", ""}, "The tab to the left, below the stage"},
    Row{Command::Tab, "Next tab", "", {"Ctrl+PgDown", "", ""}, "The tab to the right, below the stage"},
    Row{Command::Reshape, "Shape of the buffer…", "", {"Ctrl+B", "", ""}, "Rows, columns and order in which the chosen cell's buffer is drawn"},
    Row{Command::EditFocus, "Go to…", "", {"Ctrl+G", "", ""}, "Type a focus: block=(1,0) step=137 thread=(2,1)"},
    Row{Command::FitStage, "Fit stage", "fit", {"Ctrl+0", "", ""}, "Undo zoom and pan"},
    Row{Command::NextTheme, "Next theme", "theme", {"Ctrl+T", "", ""}, "Dark, light, projector"},
    Row{Command::Tiles, "Tiles", "", {"T", "", ""}, "The block's footprint in each buffer: this epoch (solid), before (dotted), next (dashed)"},
    Row{Command::Mapping, "Mapping", "", {"M", "", ""}, "Which block or thread owns each cell; hover a thread for its cells, a cell for its thread"},
    Row{Command::Halo, "Halo", "", {"H", "", ""}, "The block's cells, and those among them that other blocks touch too"},
    Row{Command::Banks, "Banks", "", {"B", "", ""}, "Shared cells by their bank"},
    Row{Command::Heat, "Heat", "", {"Shift+H", "", ""}, "How often the block touches each cell"},
    Row{Command::Age, "Age", "", {"Shift+A", "", ""}, "The epoch of each cell's last write"},
    Row{Command::Race, "Race", "", {"Shift+R", "", ""}, "Cells with a hazard that the checks found"},
    Row{Command::Bounds, "Bounds", "", {"Shift+B", "", ""}, "Accesses out of bounds, where they would land"},
    Row{Command::Tour, "Tour", "", {"G", "", ""}, "Guided tour through this program"},
    Row{Command::TourNext, "Next stop", "", {"N", "", ""}, "On to the tour's next stop"},
    Row{Command::TourPrevious, "Previous stop", "", {"Shift+N", "", ""}, "Back to the tour's previous stop"},
    Row{Command::Start, "Start page", "", {"Alt+Home", "", ""}, "Guided tours, exercises and files opened lately, as pictures"},
    Row{Command::CheckAnswer, "Check the answer", "", {"Ctrl+Return", "Ctrl+Enter", ""}, "Save the exercise's program, run its tests and look at its gates"},
    Row{Command::Hint, "Next hint", "", {"Ctrl+Shift+I", "", ""}, "One more hint for the exercise"},
    Row{Command::Solution, "Show a solution", "", {"", "", ""}, "What belongs in the exercise's hole"},
    Row{Command::StartOver, "Start over", "", {"", "", ""}, "The exercise's program as it was at first"},
    Row{Command::Lecture, "Lecture mode", "", {"Ctrl+L", "", ""}, "The stage alone, full screen; arrow keys or a presenter step"},
    Row{Command::Motion, "Show motion", "", {"", "", ""}, "Steps as a motion of 150 ms; off: only where they lead"},
    Row{Command::ResetLayout, "Reset layout", "", {"", "", ""}, "All docks back where they were at first"},
    Row{Command::Shortcuts, "Keys…", "", {"F1", "", ""}, "All keys"},
    Row{Command::About, "About Lanescope", "", {"", "", ""}, ""},
};
// clang-format on

}  // namespace

Actions::Actions(QObject* parent) : QObject(parent)
{
    for (const Row& row : kRows) {
        auto* action = new QAction(tr(row.text), this);
        QList<QKeySequence> keys;
        for (const char* key : row.keys)
            if (*key != '\0')
                keys << QKeySequence(QString::fromLatin1(key));
        action->setShortcuts(keys);
        const QString hint = keys.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(keys.front().toString());
        action->setToolTip((*row.tip == '\0' ? tr(row.text) : tr(row.tip)) + hint);
        m_actions[row.command] = action;
    }
    m_actions[Command::Play]->setCheckable(true);
    for (const auto& [command, overlay] : overlays())
        m_actions[command]->setCheckable(true);
    m_actions[Command::Edit]->setCheckable(true);
    m_actions[Command::Tour]->setCheckable(true);
    setTouring(false);
    m_actions[Command::Lecture]->setCheckable(true);
    m_actions[Command::Motion]->setCheckable(true);
    m_actions[Command::Compare]->setCheckable(true);
    m_actions[Command::Start]->setCheckable(true);
    m_actions[Command::Race]->setChecked(true);
    m_actions[Command::Bounds]->setChecked(true);
    m_actions[Command::Tiles]->setChecked(true);
    m_actions[Command::BreakOnWrite]->setCheckable(true);
    m_actions[Command::Cancel]->setEnabled(false);
    setStepping(false);
}

void Actions::setTheme(const Theme& theme)
{
    for (const Row& row : kRows)
        if (*row.icon != '\0')
            m_actions[row.command]->setIcon(theme.icon(QString::fromLatin1(row.icon)));
}

void Actions::setStepping(bool possible)
{
    for (int i = static_cast<int>(Command::First); i <= static_cast<int>(Command::Breakpoint); ++i)
        m_actions[static_cast<Command>(i)]->setEnabled(possible);
    for (Command command : {Command::CopyFocus, Command::EditFocus, Command::Watch, Command::Reshape,
                            Command::SaveTrace, Command::ExportStage, Command::ExportTab, Command::ExportSteps,
                            Command::CopyPicture, Command::Compare, Command::FitStage})
        m_actions[command]->setEnabled(possible);
}

QString Actions::whyNot(const QAction& action) const
{
    const auto is = [&](Command command) { return m_actions.at(command) == &action; };
    if (is(Command::Cancel))
        return tr("Nothing is being recorded.");
    if (is(Command::HistoryBack))
        return tr("There is no focus before this one.");
    if (is(Command::HistoryForward))
        return tr("There is no focus after this one.");
    if (is(Command::TourNext) || is(Command::TourPrevious))
        return m_actions.at(Command::Tour)->isEnabled() ? tr("No tour plays: G starts one.")
                                                        : tr("There is no tour through this program.");
    if (is(Command::CheckAnswer) || is(Command::Solution) || is(Command::StartOver))
        return tr("No exercise is open: Alt+Home lists them.");
    if (is(Command::Hint))
        return m_actions.at(Command::CheckAnswer)->isEnabled() ? tr("There are no more hints.")
                                                               : tr("No exercise is open: Alt+Home lists them.");
    if (is(Command::Tour))
        return tr("There is no tour through this program.");
    return tr("Nothing is open: Ctrl+O opens a program or a trace.");
}

void Actions::setTouring(bool on) const
{
    const auto keys = [](std::initializer_list<const char*> names) {
        QList<QKeySequence> all;
        for (const char* name : names)
            all << QKeySequence(QString::fromLatin1(name));
        return all;
    };
    m_actions.at(Command::Line)->setShortcuts(on ? keys({"F10"}) : keys({"F10", "Right", "PgDown"}));
    m_actions.at(Command::LineBack)->setShortcuts(on ? keys({"Shift+F10"}) : keys({"Shift+F10", "Left", "PgUp"}));
    m_actions.at(Command::TourNext)->setShortcuts(on ? keys({"N", "Right", "PgDown"}) : keys({"N"}));
    m_actions.at(Command::TourPrevious)->setShortcuts(on ? keys({"Shift+N", "Left", "PgUp"}) : keys({"Shift+N"}));
    m_actions.at(Command::TourNext)->setEnabled(on);
    m_actions.at(Command::TourPrevious)->setEnabled(on);
}

const std::vector<std::pair<Command, Overlay>>& Actions::overlays()
{
    static const std::vector<std::pair<Command, Overlay>> all{
        {Command::Tiles, Overlay::Tiles}, {Command::Mapping, Overlay::Mapping}, {Command::Halo, Overlay::Halo},
        {Command::Banks, Overlay::Banks}, {Command::Heat, Overlay::Heat},       {Command::Age, Overlay::Age},
        {Command::Race, Overlay::Race},   {Command::Bounds, Overlay::Bounds}};
    return all;
}

std::vector<std::pair<QString, std::vector<Command>>> Actions::menus()
{
    using enum Command;
    return {{tr("&File"),
             {Start, Open, Compare, Record, RecordWith, Edit, Cancel, SaveTrace, ExportStage, ExportTab, ExportWindow,
              ExportSteps, CopyPicture, Quit}},
            {tr("&Step"),
             {Line,      LineBack,      Access,     AccessBack,   Event,     EventBack,     Epoch,    EpochBack,
              Run,       RunBack,       Finding,    FindingBack,  CellWrite, CellWriteBack, CellRead, CellReadBack,
              RunToLine, RunBackToLine, Breakpoint, BreakOnWrite, First,     Last,          Play}},
            {tr("&Go"),
             {HistoryBack, HistoryForward, Lane, LaneBack, Warp, WarpBack, Block, BlockBack, Launch, LaunchBack, Rank,
              RankBack, EditFocus, CopyFocus, Find, FindNext, FindPrevious}},
            {tr("&Learn"), {Tour, TourNext, TourPrevious, CheckAnswer, Hint, Solution, StartOver}},
            {tr("&View"),
             {Tiles, Mapping, Halo, Banks, Heat, Age, Race, Bounds, FitStage, Reshape, Watch, Stops, Lanes, Tab,
              TabBack, NextTheme, Motion, Lecture, ResetLayout}},
            {tr("&Help"), {Palette, Shortcuts, About}}};
}

}  // namespace lanescope::gui
