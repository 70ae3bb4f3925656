// SPDX-License-Identifier: GPL-3.0-or-later
// The window against its goals, offscreen, from the key press to the painted frame: steps, scrubbing, panning and
// zooming over 10^8 recorded lane accesses and 1024x1024 buffers at -O0 with variables; a fresh process with the
// opening program's cached recording; a trace of 1 GB; memory.
//   bench_window                  everything (records with the command that was built beside it; needs 2 GB of disk)
//   bench_window --page FILE      the same; what was found becomes a section of that page
//   bench_window TRACE [WORD]     steps, scrubs, pans and zooms through TRACE; those whose name begins with WORD
//   bench_window --again PROGRAM  from Ctrl+R to the picture of the new recording
//   bench_window --first INPUT    the time until the first picture of a program or trace, in this fresh process
#include <QApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QSettings>
#include <QStandardPaths>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>
#include <QWheelEvent>

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <functional>
#include <random>

#include "app/gui/stage/stage_widget.h"
#include "app/gui/timeline/timeline_widget.h"
#include "app/gui/views/view_widget.h"
#include "app/gui/window/application.h"
#include "app/gui/window/gallery_panel.h"
#include "app/gui/window/main_window.h"
#include "tests/app/sample_kernels.h"
#include "tests/bench/benchmark_page.h"

using namespace lanescope;
using namespace lanescope::gui;

namespace {

constexpr double kWantedStep = 16;  // ms, 95th percentile
constexpr double kWantedSeek = 30;
constexpr double kWantedTab = 200;
constexpr double kWantedOpening = 1000;  // ms
constexpr double kWantedRecording = 2000;
constexpr double kWantedMemory = 400;  // MB, after all tabs
constexpr double kWantedPeak = 500;
constexpr int kRepeats = 200;
constexpr int kReading = 3000;     // ms that a person looks at the first picture
constexpr int kPatience = 60'000;  // ms

double sinceStart(const QElapsedTimer& timer)
{
    return static_cast<double>(timer.nsecsElapsed()) / 1e6;
}

/// A line of /proc/self/status in MB.
double memory(const char* line)
{
    QFile status(QStringLiteral("/proc/self/status"));
    if (!status.open(QIODevice::ReadOnly))
        return 0;
    for (const QByteArray& text : status.readAll().split('\n'))
        if (text.startsWith(line))
            return text.mid(static_cast<qsizetype>(std::strlen(line))).simplified().split(' ')[0].toDouble() / 1024;
    return 0;
}

/// What this process has computed so far, in ms: on a machine that others use too, it tells more than the clock.
double processorTime()
{
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

struct Cost {
    double clock = 0;  ///< ms
    double processor = 0;
};

/// Waits for the frame that shows what an input asked for.
class FrameWatch : public QObject {
public:
    explicit FrameWatch(MainWindow& window)
    {
        window.views().stage->installEventFilter(this);
        window.views().timeline->installEventFilter(this);
        for (ViewWidget* analysis : window.views().analyses)
            analysis->installEventFilter(this);
        connect(&window.focus(), &FocusController::snapshotChanged, this, [this] { ++m_snapshots; });
    }

    /// Milliseconds from \p input until \p painted was drawn after it; with \p snapshots, after a new snapshot.
    Cost timeOf(const std::function<void()>& input, const QWidget* painted, bool snapshots)
    {
        QElapsedTimer timer;
        m_snapshots = snapshots ? 0 : 1;
        m_painted = nullptr;
        m_wanted = painted;
        const double before = processorTime();
        timer.start();
        input();
        while (m_painted == nullptr && timer.elapsed() < kPatience)
            QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents | QEventLoop::AllEvents);
        return {sinceStart(timer), processorTime() - before};
    }

    /// As timeOf, until \p isReady and \p painted was drawn after that.
    Cost timeUntil(const std::function<void()>& input, const QWidget* painted, const std::function<bool()>& isReady)
    {
        QElapsedTimer timer;
        m_wanted = painted;
        m_snapshots = 1;
        m_painted = nullptr;
        const double before = processorTime();
        timer.start();
        input();
        while (m_painted == nullptr && timer.elapsed() < kPatience) {
            QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents | QEventLoop::AllEvents);
            if (!isReady())
                m_painted = nullptr;
        }
        return {sinceStart(timer), processorTime() - before};
    }

    /// Lets go what the last input still causes.
    static void settle()
    {
        for (int i = 0; i < 3; ++i)
            QCoreApplication::processEvents();
    }

protected:
    bool eventFilter(QObject* object, QEvent* event) override
    {
        if (event->type() == QEvent::Paint && m_snapshots > 0 && object == m_wanted)
            m_painted = m_wanted;  // the rest of the frame is drawn before processEvents returns
        return false;
    }

private:
    const QWidget* m_wanted = nullptr;
    const QWidget* m_painted = nullptr;
    int m_snapshots = 0;
};

/// Rows of the page's table, as they are printed.
std::string& pageRows()
{
    static std::string rows;
    return rows;
}

struct Series {
    QString name;
    std::vector<Cost> costs;

    /// \p share of the sorted values lies below.
    [[nodiscard]] double quantile(double share, double Cost::* which) const
    {
        std::vector<double> sorted;
        for (const Cost& cost : costs)
            sorted.push_back(cost.*which);
        std::sort(sorted.begin(), sorted.end());
        return sorted[std::min(sorted.size() - 1, static_cast<size_t>(share * static_cast<double>(sorted.size())))];
    }

    void print(double wanted = kWantedStep) const
    {
        if (costs.empty())
            return;
        const double p95 = quantile(0.95, &Cost::clock);
        std::printf("%-30s median %6.2f ms, p95 %6.2f ms, longest %6.1f ms (processor: median %6.2f, p95 %6.2f)%s\n",
                    qPrintable(name), quantile(0.5, &Cost::clock), p95, quantile(1, &Cost::clock),
                    quantile(0.5, &Cost::processor), quantile(0.95, &Cost::processor),
                    p95 <= wanted ? "" : "  <-- MISSED");
        std::fflush(stdout);
        pageRows() += fmt::format("| {} | {:.1f} ms | {:.1f} ms | {:.1f} ms | {:.0f} ms |\n", name.toStdString(),
                                  quantile(0.5, &Cost::clock), p95, quantile(0.95, &Cost::processor), wanted);
    }
};

void printGoal(const char* what, double found, double wanted, const char* unit)
{
    std::printf("%-30s %7.0f %s (wanted: at most %.0f %s)%s\n", what, found, unit, wanted, unit,
                found <= wanted ? "" : "  <-- MISSED");
    std::fflush(stdout);
    pageRows() += fmt::format("| {} | {:.0f} {} | | | {:.0f} {} |\n", what, found, unit, wanted, unit);
}

class WindowBenchmark {
public:
    WindowBenchmark(const QString& trace, const QString& wanted)
        : m_window(QStringLiteral(LANESCOPE_EXE), MainWindow::Use::Interactive), m_frames(m_window), m_trace(trace),
          m_wanted(wanted)
    {
        m_window.resize(1600, 1000);
        m_window.show();
        QTest::qWait(50);
        const double opened = m_frames.timeOf([&] { m_window.open(trace, {}); }, m_window.views().stage, true).clock;
        if (!m_window.focus().snapshot())
            qFatal("bench_window: %s does not open", qPrintable(trace));
        const auto& snapshot = *m_window.focus().snapshot();
        std::printf("%s: %llu steps in the block, %zu warps; opened in the running window in %.0f ms\n",
                    snapshot.catalog->launches[0].kernel.c_str(),
                    static_cast<unsigned long long>(snapshot.overview->stepCount), snapshot.warps.size(), opened);
        m_window.views().stage->setFocus();
        QApplication::setActiveWindow(&m_window);
    }

    void run()
    {
        QTest::qWait(kReading);
        std::printf("wanted: p95 at most %.0f ms from the input to the painted frame\n", kWantedStep);
        keys("step: next line", Qt::Key_F10, {});
        keys("step: previous line", Qt::Key_F10, Qt::ShiftModifier);
        keys("step: next access", Qt::Key_F11, {});
        keys("step: previous access", Qt::Key_F11, Qt::ShiftModifier);
        keys("step: next epoch", Qt::Key_F10, Qt::ControlModifier);
        keys("step: previous epoch", Qt::Key_F10, Qt::ControlModifier | Qt::ShiftModifier);
        selectCell();
        keys("step with a cell chosen", Qt::Key_F10, {});
        watch({"threadIdx.x + blockDim.x * threadIdx.y", "row * size + col", "acc / (k + 1)", "a[row * size + k]"});
        keys("step with four watches", Qt::Key_F10, {});
        watch({});
        stepWithAges();
        ends();
        seek();
        scrub();
        zoomTimeline();
        panTimeline();
        zoomStage();
        panStage();
        showTabs();
        showOverlays();
        panSweep();
        printGoal("memory, after all of it", memory("VmRSS:"), kWantedMemory, "MB");
    }

private:
    [[nodiscard]] bool wants(const QString& name) const
    {
        return name.startsWith(m_wanted) || m_wanted.startsWith(name);
    }

    void keys(const char* name, Qt::Key key, Qt::KeyboardModifiers modifiers)
    {
        if (!wants(QString::fromLatin1(name)))
            return;
        Series series{QString::fromLatin1(name), {}};
        auto& focus = m_window.focus();
        const bool back = (modifiers & Qt::ShiftModifier) != 0, isEpoch = (modifiers & Qt::ControlModifier) != 0;
        if (isEpoch && focus.snapshot()->overview->epochs.size() < 2)
            return;
        const StepIndex count = focus.snapshot()->overview->stepCount;
        for (int i = 0; i < kRepeats; ++i) {
            const StepIndex here = focus.snapshot()->focus.step;
            constexpr StepIndex kShort = 200;
            if (count < kShort && (key != Qt::Key_F10 || isEpoch)) {
                // There may be one access and one epoch to go to.
                const StepIndex start = back ? count - 1 : 0;
                if (here != start)
                    m_frames.timeOf([&] { focus.goToStep(start); }, m_window.views().stage, true);
                m_frames.settle();
            } else if (back ? here < std::min(kShort, count / 4) : here + std::min(10 * kShort, count / 4) > count) {
                m_frames.timeOf([&] { focus.goToStep(count / 2); }, m_window.views().stage, true);
                m_frames.settle();
            }
            series.costs.push_back(
                m_frames.timeOf([&] { QTest::keyClick(&m_window, key, modifiers); }, m_window.views().stage, true));
            m_frames.settle();
        }
        series.print();
    }

    /// Home and End in turns.
    void ends()
    {
        Series series{QStringLiteral("seek: first and last step"), {}};
        if (!wants(series.name))
            return;
        for (int i = 0; i < kRepeats / 4; ++i) {
            const Qt::Key key = i % 2 ? Qt::Key_Home : Qt::Key_End;
            series.costs.push_back(
                m_frames.timeOf([&] { QTest::keyClick(&m_window, key); }, m_window.views().stage, true));
            m_frames.settle();
        }
        series.print(kWantedSeek);
    }

    [[nodiscard]] std::vector<BlockIndex> recordedBlocks()
    {
        const auto session = replay::Session::open(m_trace.toStdString());
        if (!session)
            qFatal("bench_window: %s", session.error().text().c_str());
        return session.value()->reader().blocks(m_window.focus().snapshot()->focus.launch).value();
    }

    /// Any step of any block.
    void seek()
    {
        Series series{QStringLiteral("seek: any step of any block"), {}};
        if (!wants(series.name))
            return;
        auto& focus = m_window.focus();
        const replay::Focus before = focus.snapshot()->focus;
        const std::vector<BlockIndex> blocks = recordedBlocks();
        std::mt19937 random(2);
        for (int i = 0; i < kRepeats; ++i) {
            replay::Focus to = before;
            to.block = positionOf(blocks[random() % blocks.size()].value, focus.snapshot()->launch().grid);
            to.step = static_cast<StepIndex>(random() % focus.snapshot()->overview->stepCount);
            series.costs.push_back(m_frames.timeOf([&] { focus.go(to); }, m_window.views().stage, true));
            m_frames.settle();
        }
        m_frames.timeOf([&] { focus.go(before); }, m_window.views().stage, true);
        series.print(kWantedSeek);
    }

    /// Each analysis, some time after the trace was opened, from its tab being chosen to its picture.
    void showTabs()
    {
        QTabBar* const tabs = m_window.views().tabs;
        const auto& analyses = m_window.views().analyses;
        for (size_t i = 0; i < analyses.size(); ++i) {
            Series series{QStringLiteral("tab: %1, first time").arg(analyses[i]->view().name()), {}};
            if (!wants(series.name) || !tabs->isTabVisible(kFirstAnalysisTab + static_cast<int>(i)))
                continue;
            tabs->setCurrentIndex(kTimelineTab);
            m_frames.settle();
            series.costs.push_back(
                m_frames.timeUntil([&] { tabs->setCurrentIndex(kFirstAnalysisTab + static_cast<int>(i)); }, analyses[i],
                                   [&] { return analyses[i]->hasData(); }));
            series.print(kWantedTab);
        }
        tabs->setCurrentIndex(kTimelineTab);
    }

    /// Each overlay of the stage, from its key to the frame that shows it.
    void showOverlays()
    {
        const auto& actions = m_window.actionTable();
        for (const auto& [command, name] : {std::pair{Command::Mapping, "mapping"},
                                            {Command::Tiles, "tiles"},
                                            {Command::Halo, "halo"},
                                            {Command::Banks, "banks"},
                                            {Command::Heat, "heat"},
                                            {Command::Age, "age"},
                                            {Command::Race, "race"},
                                            {Command::Bounds, "bounds"}}) {
            Series series{QStringLiteral("overlay: %1, first time").arg(QLatin1String(name)), {}};
            QAction* const action = actions[command];
            if (!wants(series.name) || action->isChecked())
                continue;
            const bool asks = command == Command::Mapping || command == Command::Halo;
            series.costs.push_back(
                m_frames.timeUntil([&] { action->setChecked(true); }, m_window.views().stage,
                                   [&] { return !asks || m_window.focus().snapshot()->gridUse != nullptr; }));
            series.print(kWantedTab);
            action->setChecked(false);
            m_frames.settle();
        }
    }

    void selectCell()
    {
        if (!wants(QStringLiteral("step with ")))
            return;
        const auto& snapshot = *m_window.focus().snapshot();
        if (!snapshot.buffers.empty())
            m_frames.timeOf([&] { m_window.focus().selectCell(snapshot.buffers.back().buffer.id, 7); },
                            m_window.views().stage, true);
    }

    void watch(const QStringList& expressions)
    {
        m_frames.timeOf([&] { m_window.watch(expressions); }, m_window.views().stage, true);
        m_frames.settle();
    }

    /// The overlay that needs the epoch of every cell's last write.
    void stepWithAges()
    {
        if (!wants(QStringLiteral("step with ages shown")))
            return;
        m_window.actionTable()[Command::Age]->setChecked(true);
        FrameWatch::settle();
        keys("step with ages shown", Qt::Key_F10, {});
        m_window.actionTable()[Command::Age]->setChecked(false);
        FrameWatch::settle();
    }

    void scrub()
    {
        if (!wants(QStringLiteral("scrub")))
            return;
        TimelineWidget* timeline = m_window.views().timeline;
        Series series{QStringLiteral("scrub, anywhere"), {}};
        Series drag{QStringLiteral("scrub, dragging along"), {}};
        std::mt19937 random(1);
        const QRectF plot = timeline->layoutOfSteps().plot;
        const double y = timeline->layoutOfSteps().rowRect(focusedRowOf(*m_window.focus().snapshot())).center().y();
        const auto pressAt = [&](double share, Series& costs) {
            const int x = qRound(plot.left() + plot.width() * share);
            // Where a block has few steps that is one after the other; going where one is gives no new picture.
            if (static_cast<StepIndex>(std::lround(timeline->layoutOfSteps().stepAt(x))) ==
                m_window.focus().snapshot()->focus.step)
                return;
            costs.costs.push_back(
                m_frames.timeOf([&] { QTest::mousePress(timeline, Qt::LeftButton, {}, QPoint(x, qRound(y))); },
                                m_window.views().stage, true));
            m_frames.settle();
        };
        for (int i = 0; i < kRepeats; ++i)
            pressAt((random() % 1000) / 1000.0, series);
        for (int i = 0; i < kRepeats; ++i)
            pressAt((i + 1) / (kRepeats + 2.0), drag);
        series.print();
        drag.print();
    }

    static void wheel(QWidget* widget, QPointF place, int amount)
    {
        QWheelEvent event(place, widget->mapToGlobal(place), {}, {0, amount}, Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(widget, &event);
    }

    void zoomTimeline()
    {
        if (!wants(QStringLiteral("timeline: zoom")))
            return;
        TimelineWidget* timeline = m_window.views().timeline;
        Series series{QStringLiteral("timeline: zoom"), {}};
        for (int i = 0; i < kRepeats; ++i) {
            const int amount = i % 60 < 30 ? 120 : -120;
            series.costs.push_back(m_frames.timeOf(
                [&] { wheel(timeline, timeline->layoutOfSteps().plot.center(), amount); }, timeline, false));
        }
        series.print();
    }

    void panTimeline()
    {
        if (!wants(QStringLiteral("timeline: pan")))
            return;
        TimelineWidget* timeline = m_window.views().timeline;
        Series series{QStringLiteral("timeline: pan"), {}};
        for (int i = 0; i < 6; ++i)
            wheel(timeline, timeline->layoutOfSteps().plot.center(), 120);
        m_frames.settle();
        timeline->setFocus();
        for (int i = 0; i < kRepeats; ++i) {
            const Qt::Key key = i % 8 < 4 ? Qt::Key_D : Qt::Key_A;
            series.costs.push_back(m_frames.timeOf([&] { QTest::keyClick(timeline, key); }, timeline, false));
        }
        series.print();
    }

    /// Around a cell of the largest buffer.
    [[nodiscard]] QPointF stageTarget() const
    {
        const StageLayout& layout = m_window.views().stage->layoutOfPanels();
        return layout.panels.front().body.center();
    }

    void zoomStage()
    {
        if (!wants(QStringLiteral("stage: zoom")))
            return;
        StageWidget* stage = m_window.views().stage;
        Series series{QStringLiteral("stage: zoom"), {}};
        for (int i = 0; i < kRepeats; ++i) {
            const int amount = i % 60 < 30 ? 120 : -120;
            series.costs.push_back(m_frames.timeOf([&] { wheel(stage, stageTarget(), amount); }, stage, false));
        }
        series.print();
    }

    void panStage()
    {
        StageWidget* stage = m_window.views().stage;
        for (int amount : {2, 12, 30}) {
            Series series{QStringLiteral("stage: pan, zoomed %1 notches").arg(amount), {}};
            if (!wants(series.name))
                continue;
            stage->fit();
            for (int i = 0; i < amount; ++i)
                wheel(stage, stageTarget(), 120);
            m_frames.settle();
            const QPoint start = stage->rect().center();
            QTest::mousePress(stage, Qt::LeftButton, {}, start);
            for (int i = 0; i < kRepeats; ++i) {
                const QPointF place = start + QPoint(3 * (i % 50) + 5, 2 * (i % 37) + 5);
                series.costs.push_back(m_frames.timeOf(
                    [&] {
                        QMouseEvent move(QEvent::MouseMove, place, stage->mapToGlobal(place), Qt::NoButton,
                                         Qt::LeftButton, {});
                        QCoreApplication::sendEvent(stage, &move);
                    },
                    stage, false));
            }
            QTest::mouseRelease(stage, Qt::LeftButton, {}, start);
            series.print();
        }
        stage->fit();
    }

    /// All columns of the sweep in the window at once, then a few of them.
    void panSweep()
    {
        const auto& analyses = m_window.views().analyses;
        const auto found = std::find_if(analyses.begin(), analyses.end(), [](const ViewWidget* view) {
            return view->view().name() == QLatin1String("sweep");
        });
        ViewWidget* sweep = *found;
        for (int amount : {2, 12}) {
            Series series{QStringLiteral("sweep: pan, zoomed %1 notches").arg(amount), {}};
            if (!wants(series.name))
                continue;
            m_window.views().tabs->setCurrentIndex(kFirstAnalysisTab + int(found - analyses.begin()));
            (void)QTest::qWaitFor([&] { return sweep->hasData(); }, kPatience);
            FrameWatch::settle();
            sweep->setFocus();
            for (int i = 0; i < amount; ++i)
                QTest::keyClick(sweep, Qt::Key_W);
            FrameWatch::settle();
            for (int i = 0; i < kRepeats; ++i) {
                const Qt::Key key = i % 8 < 4 ? Qt::Key_D : Qt::Key_A;
                series.costs.push_back(m_frames.timeOf([&] { QTest::keyClick(sweep, key); }, sweep, false));
            }
            series.print();
        }
        m_window.views().tabs->setCurrentIndex(kTimelineTab);
    }

    MainWindow m_window;
    FrameWatch m_frames;
    QString m_trace;
    QString m_wanted;  ///< how the names of the series to run begin
};

/// Until the first picture in this process; prints "picture", which the parent waits for.
int firstPicture(const QString& input)
{
    MainWindow window(QStringLiteral(LANESCOPE_EXE), MainWindow::Use::Interactive);
    FrameWatch frames(window);
    window.resize(1600, 1000);
    window.show();
    frames.timeOf([&] { window.open(input, {}); }, window.views().stage, true);
    std::printf("picture %.0f %.0f\n", memory("VmHWM:"), processorTime());
    std::fflush(stdout);
    return window.focus().snapshot() ? 0 : 1;
}

struct Opening {
    double milliseconds = 0;
    double megabytes = 0;
    double processor = 0;  ///< ms, of all threads of that process
};

/// A fresh process, from its start to its first picture.
Opening timeFirstPicture(const QString& input)
{
    QElapsedTimer timer;
    timer.start();
    QProcess process;
    process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    process.start(QCoreApplication::applicationFilePath(), {QStringLiteral("--first"), input});
    while (!process.canReadLine() && process.waitForReadyRead(kPatience)) {
    }
    Opening opening{sinceStart(timer)};
    const QList<QByteArray> words = process.readLine().simplified().split(' ');
    if (words.size() == 3) {
        opening.megabytes = words[1].toDouble();
        opening.processor = words[2].toDouble();
    }
    process.waitForFinished(kPatience);
    if (process.exitCode() != 0 || words.size() != 3)
        qFatal("bench_window: no picture of %s", qPrintable(input));
    return opening;
}

void record(const QString& program, const QString& trace, const QStringList& options, const QStringList& arguments)
{
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(QStringLiteral(LANESCOPE_EXE),
                  QStringList{QStringLiteral("record"), program, QStringLiteral("-q"), QStringLiteral("-o"), trace} +
                      options + QStringList{QStringLiteral("--")} + arguments);
    process.waitForFinished(-1);
    if (process.exitCode() != 0)
        qFatal("bench_window: recording failed: %s", process.readAll().constData());
}

/// From Ctrl+R to the picture of the finished new recording, after an edit: nothing of the old build can be used.
double timeRecordAgain(const QString& original)
{
    const QTemporaryDir folder;
    const QString program = folder.filePath(QStringLiteral("edited.cu"));
    QFile::copy(original, program);
    MainWindow window(QStringLiteral(LANESCOPE_EXE), MainWindow::Use::Interactive);
    FrameWatch frames(window);
    window.show();
    frames.timeOf([&] { window.open(program, {}); }, window.views().stage, true);
    FrameWatch::settle();
    const CatalogPointer before = window.focus().snapshot()->catalog;
    const auto isNew = [&] {
        const SnapshotPointer& snapshot = window.focus().snapshot();
        return snapshot && snapshot->catalog != before && snapshot->catalog->session.finished;
    };
    QFile source(program);
    source.setPermissions(QFile::ReadOwner | QFile::WriteOwner);
    if (!source.open(QIODevice::Append) || source.write("\nstatic int edited = 1;\n") < 0)
        qFatal("bench_window: cannot edit %s", qPrintable(program));
    source.close();
    QElapsedTimer timer;
    timer.start();
    QTest::keyClick(&window, Qt::Key_R, Qt::ControlModifier);
    while (!isNew() && timer.elapsed() < kPatience)
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents | QEventLoop::AllEvents);
    FrameWatch::settle();
    return sinceStart(timer);
}

int everything()
{
    QTemporaryDir folder;
    const QString source = QStringLiteral(SOURCE_DIR);
    const QString trace = folder.filePath(QStringLiteral("large.lanes"));
    record(source + QStringLiteral("/kernels/14_matmul_tiled_32.cu"), trace,
           {QStringLiteral("--blocks"), QStringLiteral("12:20,12:20")}, {QStringLiteral("1024")});
    const double accesses = 64.0 * 1024 * (32 * (4 + 2 * 32) + 1);
    std::printf("64 blocks of a 1024^3 matmul, 32x32 tiles: %.0f million lane accesses, with variables, %.0f MB\n",
                accesses / 1e6, static_cast<double>(QFileInfo(trace).size()) / 1e6);
    {
        WindowBenchmark window(trace, {});
        window.run();
    }
    printGoal("memory, peak", memory("VmHWM:"), kWantedPeak, "MB");

    const QString opening = openingProgram(source + QStringLiteral("/kernels"));
    timeFirstPicture(opening);  // records it
    const Opening cached = timeFirstPicture(opening);
    printGoal("opening program, to first picture", cached.milliseconds, kWantedOpening, "ms");

    printGoal("record again, to the new picture", timeRecordAgain(opening), kWantedRecording, "ms");

    const QString huge = folder.filePath(QStringLiteral("huge.lanes"));
    test::writeTrace(huge.toStdString(), [](trace::TraceWriter& writer) { test::writeGather(writer, 4096, 128); });
    const Opening large = timeFirstPicture(huge);
    std::printf("a trace of %.2f GB, first picture after %.0f ms of processor time\n",
                static_cast<double>(QFileInfo(huge).size()) / 1e9, large.processor);
    printGoal("a trace of 1 GB, to first picture", large.milliseconds, kWantedOpening, "ms");
    printGoal("a trace of 1 GB, memory", large.megabytes, kWantedMemory, "MB");
    return 0;
}

void writeSection(const QString& page)
{
    bench::addSection(page.toStdString(),
                      "## The window\n\n"
                      "From the input to the painted frame, offscreen, over 64 blocks of a 1024³ matmul of 32×32 tiles "
                      "with variables (10⁸ lane accesses); processor time is of all threads.\n\n"
                      "| what | median | 95 of 100 | of it processor | wanted |\n|---|---|---|---|---|\n" +
                          pageRows());
}

}  // namespace

int main(int argc, char** argv)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    const ApplicationGuard application(argc, argv);
    QStandardPaths::setTestModeEnabled(true);
    const QTemporaryDir settings;
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, settings.path());
    const QStringList arguments = QCoreApplication::arguments();
    if (argc > 2 && arguments[1] == QLatin1String("--first"))
        return firstPicture(arguments[2]);
    if (argc > 2 && arguments[1] == QLatin1String("--again"))
        return printGoal("record again, to the new picture", timeRecordAgain(arguments[2]), kWantedRecording, "ms"), 0;
    if (argc < 2)
        return everything();
    if (argc > 2 && arguments[1] == QLatin1String("--page")) {
        const int code = everything();
        writeSection(arguments[2]);
        return code;
    }
    if (!QFileInfo(arguments[1]).isReadable()) {
        std::fprintf(stderr, "bench_window: %s cannot be read\n", qPrintable(arguments[1]));
        return 2;
    }
    {
        WindowBenchmark window(arguments[1], arguments.value(2));
        window.run();
    }
    printGoal("memory, peak", memory("VmHWM:"), kWantedPeak, "MB");
    return 0;
}
