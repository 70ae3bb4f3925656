// SPDX-License-Identifier: GPL-3.0-or-later
// The main window: connects engine, focus, recorder and views. What they do lives in them.
#pragma once

#include <QMainWindow>
#include <QTimer>

#include "app/gui/engine/focus_controller.h"
#include "app/gui/engine/menu_place.h"
#include "app/gui/export/picture.h"
#include "app/gui/export/render_job.h"
#include "app/gui/views/view_worker.h"
#include "app/gui/window/actions.h"
#include "app/gui/window/comparison.h"
#include "app/gui/window/device_choice.h"
#include "app/gui/window/exercise_desk.h"
#include "app/gui/window/lecture.h"
#include "app/gui/window/recorder.h"
#include "app/gui/window/recording_cache.h"
#include "app/gui/window/thumbnails.h"
#include "app/gui/window/tour_player.h"
#include "app/gui/window/views.h"

class QLabel;
class QMenu;

namespace lanescope::gui {

class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    /// Picture: neither restores nor saves settings, follows no engine.
    enum class Use : uint8_t { Interactive, Picture };

    MainWindow(const QString& executable, Use use, QWidget* parent = nullptr);
    ~MainWindow() override;

    /// A program (recorded first) or a trace. \p focus: FOCUS text or empty.
    void open(const QString& path, const QString& focus);
    /// Traces of a job's ranks: the first is shown, the others are offered.
    void openRanks(const QStringList& traces, const QString& focus);
    void record(const QString& program, const QString& focus);
    /// The user's own copy of an exercise, made where there is none yet.
    void startExercise(const QString& name);
    /// A program of the gallery, and the tour through it.
    void startTour(const QString& program);
    /// Saves the answer and runs the exercise's tests on it.
    void checkAnswer();
    /// The exercise's program as it was at first.
    void throwAnswerAway();
    /// Draws buffer \p index of the snapshot in the shape that \p text names (ShapeChoice::parse), as recorded when it
    /// is empty, and remembers it for this program.
    Result<void> reshape(size_t index, const QString& text);
    /// Expressions to show beside the variables, remembered for this program.
    void watch(const QStringList& watches);
    /// Offers in \p menu what can be done with \p place.
    void fillMenu(QMenu* menu, const MenuPlace& place);
    /// Copies the recording to a file of the user's.
    Result<void> saveTrace(const QString& path);
    /// For a while, in the status bar.
    void say(const QString& text);
    /// Writes a sequence of steps in a child process; \p arguments: ExportDialog::arguments.
    void exportSteps(const QStringList& arguments, const QString& path);
    /// Tells somebody new how to step, until they do.
    void greet();
    void setThemeName(const QString& name);
    /// Type that a room can read, of this height of the screen; the projector's theme.
    void setLectureHeight(int height);
    [[nodiscard]] QString themeName() const { return m_themeName; }
    /// Another trace beside the open one; empty: none.
    void compareWith(const QString& trace) { m_comparison.with(trace); }
    [[nodiscard]] const Comparison& comparison() const { return m_comparison; }
    /// Shows \p snapshot in every view.
    void showSnapshot(const SnapshotPointer& snapshot);
    [[nodiscard]] const Views& views() const { return m_views; }
    [[nodiscard]] const Actions& actionTable() const { return m_actions; }
    [[nodiscard]] FocusController& focus() { return m_focus; }
    /// Of the recording that is shown or being made.
    [[nodiscard]] QString tracePath() const { return m_tracePath; }
    [[nodiscard]] const TourPlayer& tour() const { return m_tour; }
    [[nodiscard]] Recorder& recorder() { return m_recorder; }
    [[nodiscard]] ExerciseDesk& exercise() { return m_exercise; }
    [[nodiscard]] Thumbnails& thumbnails() { return m_thumbnails; }
    [[nodiscard]] const DeviceChoice& device() const { return *m_device; }

protected:
    void closeEvent(QCloseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void showHovered(const QString& text);
    void wear(const Theme& theme);
    void connectFileCommands();
    void connectSteps();
    void connectFocus();
    void connectViews();
    void connectPlaces();
    void connectStops();
    void connectFinding();
    void connectLearning();
    void showStart(bool on);
    void playWantedTour();
    void takeExercise(const QString& program);
    void revealHole();
    void showVerdict(const ExerciseVerdict& verdict);
    void showTest(const QString& trace, const QString& focus);
    void showNoVerdict(const QString& output);
    void startOver();
    void turnTab(int by);
    void fillCellMenu(QMenu& menu, const WatchedCell& cell);
    void fillVariableMenu(QMenu& menu, VariableId variable, Dim3 thread);
    void showVariable(VariableId variable);
    /// Entries that lead to the tabs of those views that the recording has a subject for.
    void addViews(QMenu& menu, std::initializer_list<const char*> names);
    void showWhy(bool ofVariable);
    void watchAlso(const QString& expression);
    void breakOnWrite(const WatchedCell& cell);
    void showBreakOnWrite();
    void showBusy();
    void askHowToRecord();
    void askWhereToSave();
    [[nodiscard]] bool mayClose();
    [[nodiscard]] QString programToRecord() const;
    [[nodiscard]] QString keptRecordingOf(const QString& program) const;
    void connectEngine();
    void connectRecorder();
    void restore();
    void fillRecentMenu();
    void askForShape(size_t index);
    void askForChosenShape();
    void restoreShapes(const trace::Catalog& catalog);
    void restoreWatches(const trace::Catalog& catalog);
    void restoreRoles(const trace::Catalog& catalog);
    void renameRole(const std::string& role);
    void openTrace(const QString& trace, const QString& focus);
    void keepSession();
    void chooseFile();
    void recordAgain();
    bool saveEdited(const QString& program);
    void exportStage();
    void exportWindow();
    void exportTab();
    void askForSteps();
    void exportFinished(const QString& output, const QString& message);
    void copyPicture();
    void save(const Drawing& drawing, QSize size, const QString& title);
    void showCatalog(const CatalogPointer& catalog, const QString& output);
    void recordingStarted(const QString& program, const QString& trace);
    void recordingProgressed(const QString& text);
    void recordingFinished(const RecordingEnd& end, const QString& message);
    void followRecording();
    void openFailed(const QString& message);
    void setPlaying(bool on);
    void appendOutput(const QString& text);
    void offerOutput();
    void showOutput();

    Use m_use;
    QString m_gallery;  ///< folder of its programs; empty: there is none
    QString m_themeName = QStringLiteral("dark");
    Actions m_actions;
    Engine m_engine;
    FocusController m_focus;
    Recorder m_recorder;
    DeviceChoice* m_device = nullptr;
    RenderJob m_renderJob;
    RecordingCache m_cache;
    ViewWorker m_worker;
    Views m_views;
    StagePlace m_place;
    TourPlayer m_tour;
    Comparison m_comparison;
    Lecture m_lecture{*this};
    Thumbnails m_thumbnails;
    ExerciseDesk m_exercise;
    QByteArray m_layoutBeforeStart;  ///< while the start page is shown
    QString m_tourWanted;            ///< program whose tour plays once its recording is there
    bool m_holeWanted = false;       ///< the source is to show the exercise's hole once it is there
    QTimer m_play;
    QTimer m_follow;
    QTimer m_lookIfBusy;
    QLabel* m_busyText;
    SnapshotOptions m_options;
    QString m_program;      ///< what Ctrl+R records
    QString m_wantedFocus;  ///< of the trace that is being opened
    QString m_tracePath;
    QString m_failed;        ///< message of a recording that ended badly
    QString m_hoveredBelow;  ///< what is under the pointer, where the status bar says it
    bool m_traceOpen = false;
    std::optional<replay::Focus> m_greetedAt;  ///< where the user was told how to step
    bool m_greet = false;
};

}  // namespace lanescope::gui
