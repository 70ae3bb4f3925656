// SPDX-License-Identifier: GPL-3.0-or-later
// What menus, keys and lists do with cells, variables, threads and lines in the real window, offscreen.
#include <QClipboard>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QPlainTextEdit>
#include <QStatusBar>
#include <QTabBar>
#include <QTableView>
#include <QTreeView>

#include "app/gui/inspector/inspector_widget.h"
#include "app/gui/inspector/lanes_model.h"
#include "app/gui/source/source_view.h"
#include "app/gui/timeline/timeline_widget.h"
#include "app/gui/views/view_widget.h"
#include "app/gui/window/command_palette.h"
#include "app/gui/window/find_bar.h"
#include "app/gui/window/record_settings.h"
#include "app/gui/window/stops_panel.h"
#include "tests/app/window_fixture.h"

using namespace lanescope;
using namespace lanescope::gui;

class PlacesTest : public test::WindowFixture {
    Q_OBJECT

private:
    static WatchedCell cellOf(const Snapshot& snapshot, const char* buffer, uint64_t element)
    {
        for (const BufferView& view : snapshot.buffers)
            if (view.buffer.name == buffer)
                return {view.buffer.id, element};
        qFatal("no such buffer");
    }
    static VariableId variableOf(const Snapshot& snapshot, const char* name)
    {
        for (const VariableView& view : snapshot.variables)
            if (snapshot.catalog->variables[view.id.value].name == name)
                return view.id;
        qFatal("no such variable");
    }
    static MenuPlace placeOf(const WatchedCell& cell)
    {
        MenuPlace place;
        place.cell = cell;
        return place;
    }

    /// Chooses what begins with \p text in the menu of \p place.
    static bool choose(MainWindow& window, const MenuPlace& place, const QString& text)
    {
        QMenu menu;
        window.fillMenu(&menu, place);
        for (QAction* action : menu.actions())
            if (action->text().startsWith(text) && action->isEnabled()) {
                action->trigger();
                return true;
            }
        return false;
    }
    static QString said(const MainWindow& window) { return window.findChild<QStatusBar*>()->currentMessage(); }

private slots:
    void initTestCase() { record(); }

    void aCellsMenuLeadsToWhoWroteAndReadsIt()
    {
        const auto window = opened("block=1,1 step=60 thread=0,0");
        const WatchedCell cell = cellOf(*window->focus().snapshot(), "a_shared", 5);
        const StepIndex start = stepOf(*window);
        QVERIFY(choose(*window, placeOf(cell), "Who wrote this"));
        QTRY_VERIFY(stepOf(*window) < start);
        const replay::Focus write = window->focus().snapshot()->focus;
        QCOMPARE(write.thread, (Dim3{2, 1, 0}));
        QCOMPARE(write.cell, uint64_t{5});
        QVERIFY(choose(*window, placeOf(cell), "On to its next read"));
        QTRY_VERIFY(stepOf(*window) > write.step);
        QVERIFY(choose(*window, placeOf(cell), "Copy the name"));
        QCOMPARE(QGuiApplication::clipboard()->text(), QString("a_shared[1][2]"));
        QVERIFY(choose(*window, placeOf(cell), "Watch a_shared[1][2]"));
        QTRY_COMPARE(window->focus().snapshot()->watches.size(), size_t{1});
        QVERIFY(!window->focus().snapshot()->watches[0].at(0).value.isEmpty());
        window->watch({});
        QVERIFY(choose(*window, placeOf(cell), "Why this value"));
        const int tab = window->views().tabs->currentIndex() - kFirstAnalysisTab;
        QCOMPARE(window->views().analyses[static_cast<size_t>(tab)]->view().name(), QString("why"));
    }

    void aVariablesMenuLeadsToWhereItWasSet()
    {
        const auto window = opened("block=1,1 step=60 thread=1,1");
        MenuPlace place;
        place.variable = variableOf(*window->focus().snapshot(), "acc");
        place.thread = Dim3{2, 1, 0};
        QVERIFY(choose(*window, place, "Who set this"));
        QTRY_VERIFY(stepOf(*window) < 60);
        QCOMPARE(window->focus().snapshot()->focus.thread, (Dim3{2, 1, 0}));
        QCOMPARE(window->focus().snapshot()->shown, place.variable);
        const StepIndex set = stepOf(*window);
        QVERIFY(choose(*window, place, "On to its next write"));
        QTRY_VERIFY(stepOf(*window) > set);
    }

    void watchedCellsStopRunsAndAreListed()
    {
        const auto window = opened("block=1,1 step=0 thread=0,0");
        const StopsModel& stops = *window->views().stops->model();
        const WatchedCell cell = cellOf(*window->focus().snapshot(), "a_shared", 5);
        QVERIFY(choose(*window, placeOf(cell), "Break on write"));
        QVERIFY(stops.watches(cell));
        QCOMPARE(stops.index(0, StopsModel::Where).data().toString(), QString("a_shared[1][2]"));
        QVERIFY(window->views().source->setBreakpoint(22, "acc > 0").ok());
        QCOMPARE(stops.rowCount(), 2);
        QCOMPARE(stops.index(0, StopsModel::When).data().toString(), QString("when acc > 0"));
        QTest::keyClick(window.get(), Qt::Key_F5);
        QTRY_VERIFY(stepOf(*window) > 0);
        QCOMPARE(window->focus().snapshot()->focus.thread, (Dim3{2, 1, 0}));
        QTableView* table = window->views().stops->table();
        window->actionTable()[Command::Stops]->trigger();
        QVERIFY(table->isVisible());
        // One that is disabled stays, and stops no run.
        table->setCurrentIndex(stops.index(0, 0));
        table->setFocus();
        QTRY_VERIFY(table->hasFocus());
        QTest::keyClick(table, Qt::Key_F9);
        QCOMPARE(stops.index(0, 0).data(Qt::CheckStateRole).toInt(), int(Qt::Unchecked));
        QVERIFY(window->views().source->enabledBreakpoints().empty());
        QCOMPARE(window->views().source->breakpoints().size(), size_t{1});
        QTest::keyClick(table, Qt::Key_F9);
        QCOMPARE(stops.index(0, 0).data(Qt::CheckStateRole).toInt(), int(Qt::Checked));
        QCOMPARE(window->views().source->enabledBreakpoints().size(), size_t{1});
        table->setCurrentIndex(stops.index(0, 0));
        QTest::keyClick(table, Qt::Key_Delete);
        QVERIFY(window->views().source->breakpoints().empty());
        QCOMPARE(stops.rowCount(), 1);
        table->setCurrentIndex(stops.index(0, 0));
        QTest::keyClick(table, Qt::Key_Delete);
        QVERIFY(!stops.watches(cell));
        QVERIFY(!choose(*window, placeOf({BufferId{1000}, 0}), "Break on write"));
    }

    void keysThatDoNothingSayWhy_data()
    {
        QTest::addColumn<int>("key");
        QTest::addColumn<int>("modifiers");
        QTest::addColumn<QString>("why");
        QTest::newRow("no line before") << int(Qt::Key_F10) << int(Qt::ShiftModifier) << "has run no line before";
        QTest::newRow("no cell") << int(Qt::Key_F6) << 0 << "No cell is selected";
        QTest::newRow("no cell to read") << int(Qt::Key_F7) << 0 << "No cell is selected";
        QTest::newRow("no cell to watch") << int(Qt::Key_F9) << int(Qt::ControlModifier) << "No cell is selected";
        QTest::newRow("no tour") << int(Qt::Key_N) << 0 << "There is no tour";
        QTest::newRow("no history") << int(Qt::Key_Left) << int(Qt::AltModifier) << "no focus before";
        QTest::newRow("no breakpoint") << int(Qt::Key_F5) << int(Qt::ShiftModifier) << "F9 sets one";
        QTest::newRow("no meaning") << int(Qt::Key_Q) << 0 << "Q does nothing here";
        QTest::newRow("last warp") << int(Qt::Key_Down) << int(Qt::ControlModifier) << "last warp";
    }
    void keysThatDoNothingSayWhy()
    {
        QFETCH(int, key);
        QFETCH(int, modifiers);
        QFETCH(QString, why);
        const auto window = opened("block=1,1 step=0 thread=0,0");
        QTest::keyClick(window->views().stage, Qt::Key(key), Qt::KeyboardModifiers(modifiers));
        QTRY_VERIFY2(said(*window).contains(why), qPrintable(said(*window)));
        QCOMPARE(stepOf(*window), StepIndex{0});
    }

    void keysGoToLanesBlocksAndTabs()
    {
        const auto window = opened("block=1,1 step=12 thread=0,1");
        QTest::keyClick(window->views().stage, Qt::Key_Right, Qt::ControlModifier);
        QTRY_COMPARE(window->focus().snapshot()->focus.thread, (Dim3{1, 1, 0}));
        QTest::keyClick(window->views().stage, Qt::Key_Left, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_COMPARE(window->focus().snapshot()->focus.block, (Dim3{0, 1, 0}));
        QTest::keyClick(window->views().stage, Qt::Key_PageDown, Qt::ControlModifier);
        QCOMPARE(window->views().tabs->currentIndex(), int(kFirstAnalysisTab));  // the output has nothing to show
        QTest::keyClick(window->views().stage, Qt::Key_PageUp, Qt::ControlModifier);
        QCOMPARE(window->views().tabs->currentIndex(), int(kTimelineTab));
        QTest::keyClick(window->views().stage, Qt::Key_4, Qt::AltModifier);
        QCOMPARE(window->views().tabs->currentIndex(), 3);
        QTest::keyClick(window->views().stage, Qt::Key_2, Qt::AltModifier);
        QCOMPARE(window->views().tabs->currentIndex(), 3);
        QTest::keyClick(window->views().stage, Qt::Key_H, Qt::ShiftModifier);
        QVERIFY(window->views().stage->overlays().contains(Overlay::Heat));
    }

    void everyCommandHasAKeyOfItsOwn()
    {
        const auto window = opened("block=1,1 step=12");
        std::map<QKeySequence, QString> taken;
        for (const QAction* action : window->actions())
            for (const QKeySequence& key : action->shortcuts())
                QVERIFY2(taken.emplace(key, action->text()).second,
                         qPrintable(key.toString() + ": " + action->text() + ", " + taken[key]));
    }

    void thePaletteFindsCommands()
    {
        const auto window = opened("block=1,1 step=12");
        CommandPalette palette(window->menuBar()->actions());
        auto* field = palette.findChild<QLineEdit*>();
        auto* list = palette.findChild<QTreeView*>();
        QVERIFY(list->model()->rowCount() > 60);
        QTest::keyClicks(field, "halo");
        QCOMPARE(list->model()->rowCount(), 1);
        QCOMPARE(list->model()->index(0, 2).data().toString(), QString("H"));
        field->clear();
        QTest::keyClicks(field, "rtcl");  // letters of "Run to the chosen line", in their order
        QVERIFY(list->model()->rowCount() >= 1);
        field->setText("Next lane");
        QTest::keyClick(field, Qt::Key_Return);
        QVERIFY(palette.chosen() == window->actionTable()[Command::Lane]);
    }

    void textIsFoundInSourceAndOutput()
    {
        const auto window = opened("block=1,1 step=12");
        const Views& views = window->views();
        QTest::keyClick(views.stage, Qt::Key_F, Qt::ControlModifier);
        QVERIFY(views.findInSource->isVisible());
        QTest::keyClicks(views.findInSource->field(), "acc");
        const auto lineOf = [&] {
            int line = 0;
            int column = 0;
            views.source->getCursorPosition(&line, &column);
            return line;
        };
        QCOMPARE(views.source->selectedText(), QString("acc"));
        const int first = lineOf();
        QTest::keyClick(views.findInSource->field(), Qt::Key_Return);
        QVERIFY(lineOf() != first);
        QTest::keyClick(views.findInSource->field(), Qt::Key_Return, Qt::ShiftModifier);
        QCOMPARE(lineOf(), first);
        views.findInSource->field()->setText("nothing of the kind");
        QTest::keyClick(views.findInSource->field(), Qt::Key_Return);
        QCOMPARE(views.findInSource->findChild<QLabel*>()->text(), QString("not found"));
        QTest::keyClick(views.findInSource->field(), Qt::Key_Escape);
        QVERIFY(!views.findInSource->isVisible());
        views.output->setPlainText("one two\nthree two\n");
        views.tabs->setTabEnabled(kOutputTab, true);
        views.tabs->setCurrentIndex(kOutputTab);
        QTest::keyClick(views.stage, Qt::Key_F, Qt::ControlModifier);
        QTest::keyClicks(views.findInOutput->field(), "two");
        QCOMPARE(views.output->textCursor().selectedText(), QString("two"));
        const int here = views.output->textCursor().position();
        QTest::keyClick(views.stage, Qt::Key_F3);
        QVERIFY(views.output->textCursor().position() > here);
        QTest::keyClick(views.stage, Qt::Key_F3);
        QCOMPARE(views.output->textCursor().position(), here);
    }

    void sourceSaysTheValueOfAName()
    {
        const auto window = opened("block=1,1 step=60 thread=1,1");
        const SourceView& source = *window->views().source;
        QCOMPARE(source.valueOf("local_col"), QString("local_col = 1 in thread (1,1); 0 to 2 in the warp"));
        QVERIFY(source.valueOf("size").startsWith("size = 9 in thread (1,1)"));
        QCOMPARE(source.valueOf("nothing"), QString());
    }

    void whatIsEqualInAllLanesIsFolded()
    {
        const auto window = opened("block=1,1 step=60 thread=1,1");
        window->watch({"size * 2"});
        QTRY_COMPARE(window->focus().snapshot()->watches.size(), size_t{1});
        const auto* note = window->views().inspector->findChild<QLabel*>("warpNote");
        QVERIFY(note->isVisible());
        QVERIFY2(note->text().contains("size * 2 = 18"), qPrintable(note->text()));
        QVERIFY(!note->text().contains("local_col"));
        window->watch({});
    }

    void hoveringTheTimelineSaysWhatRuns()
    {
        const auto window = opened("block=1,1 step=12 thread=1,1");
        TimelineWidget& timeline = *window->views().timeline;
        const TimelineLayout layout = timeline.layoutOfSteps();
        const size_t row = focusedRowOf(*window->focus().snapshot());
        QTest::mouseMove(&timeline, QPointF(layout.xOf(40.5), layout.rowRect(row).center().y()).toPoint());
        QTRY_VERIFY(timeline.toolTip().startsWith("block (1,1)  ·  step 40  ·  line "));
    }

    void clickedRowsOfTheTimelineStayWhereTheyAre()
    {
        const auto window = opened("block=1,1 step=12 thread=1,1");
        TimelineWidget& timeline = *window->views().timeline;
        const TimelineLayout layout = timeline.layoutOfSteps();
        const size_t row = focusedRowOf(*window->focus().snapshot());
        const QPoint place(qRound(layout.xOf(40)), qRound(layout.rowRect(row + 1).center().y()));
        QTest::mouseClick(&timeline, Qt::LeftButton, {}, place);
        QTRY_COMPARE(window->focus().snapshot()->focus.block, (Dim3{2, 1, 0}));
        QCOMPARE(timeline.layoutOfSteps().rowAt(place.y()), std::optional(focusedRowOf(*window->focus().snapshot())));
    }

    void settingsOfARecordingAreRememberedForItsProgram()
    {
        RecordSettings settings;
        settings.arguments = "64 \"a b\"";
        settings.definitions = "N=4 FAST";
        settings.includes = "../include";
        settings.stepInto = "../include/mine.h";
        settings.blocks = "0:2,0:1";
        settings.asCompiled = true;
        settings.keepFor(program());
        QVERIFY(RecordSettings::of(program()) == settings);
        QVERIFY(RecordSettings::of(m_folder.filePath("other.cu")).isEmpty());
        QCOMPARE(settings.commandLine(),
                 QStringList({"-D", "N=4", "-D", "FAST", "-I", "../include", "--step-into", "../include/mine.h",
                              "--blocks", "0:2,0:1", "--as-compiled", "--", "64", "a b"}));
        const QString fake = script("settings", "echo \"$*\"; cp '" + m_trace.toUtf8() + "' \"$4\"; exit 0\n");
        MainWindow window(fake, MainWindow::Use::Interactive);
        window.show();
        window.open(program(), {});
        QTRY_VERIFY(window.views().output->toPlainText().contains("-D N=4 -D FAST"));
        QVERIFY(window.views().output->toPlainText().trimmed().endsWith("--as-compiled -- 64 a b"));
        QTRY_VERIFY(!window.recorder().isRunning());
        RecordSettings().keepFor(program());
        QVERIFY(RecordSettings::of(program()).isEmpty());
        settings.host = "me@gpu-node";
        settings.hostCommand = "/opt/lanescope";
        QVERIFY(settings.commandLine().join(' ').contains("--host me@gpu-node --host-command /opt/lanescope"));
        settings.keepFor(m_folder.filePath("far.cu"));
        QCOMPARE(knownHosts().front(), QString("me@gpu-node"));
        RecordDialog dialog(program(), settings);
        QVERIFY(dialog.settings() == settings);
    }

    void linesAreGroupedByAClickOrAKey()
    {
        const auto window = opened("block=1,1 step=12");
        const auto& analyses = window->views().analyses;
        const auto lines = std::find_if(analyses.begin(), analyses.end(),
                                        [](const ViewWidget* view) { return view->view().name() == "lines"; });
        window->views().tabs->setCurrentIndex(kFirstAnalysisTab + static_cast<int>(lines - analyses.begin()));
        QTRY_VERIFY((*lines)->hasData());
        const auto rows = [&] {
            (*lines)->grab();
            return std::count_if((*lines)->hits().begin(), (*lines)->hits().end(),
                                 [](const Hit& hit) { return hit.text.startsWith("line "); });
        };
        const auto accesses = rows();
        QTest::keyClick(*lines, Qt::Key_L);
        const auto grouped = rows();
        QVERIFY(grouped > 0);
        const auto& hits = (*lines)->hits();
        const auto heading = std::find_if(hits.begin(), hits.end(),
                                          [](const Hit& hit) { return hit.text.startsWith("group by function"); });
        QVERIFY(heading != hits.end());
        QTest::mouseClick(*lines, Qt::LeftButton, {}, heading->area.center().toPoint());
        QCOMPARE(rows(), 1);  // all is in the kernel
        QTest::keyClick(*lines, Qt::Key_L);
        QVERIFY(rows() >= accesses);  // with arithmetic
        QTest::keyClick(*lines, Qt::Key_L);
        QCOMPARE(rows(), accesses);
    }

    void aRecordingIsSavedWhereTheUserWants()
    {
        const auto window = opened("block=1,1 step=12");
        const QString path = m_folder.filePath("saved.lanes");
        QVERIFY(window->saveTrace(path).ok());
        QCOMPARE(window->tracePath(), path);
        QCOMPARE(QFileInfo(path).size(), QFileInfo(m_trace).size());
        QVERIFY(!window->saveTrace(m_folder.filePath("none/saved.lanes")).ok());
        QVERIFY(!window->isWindowModified());
    }

    void anEditedSourceIsMarked()
    {
        const auto window = opened("block=1,1 step=12");
        QAction* edit = window->actionTable()[Command::Edit];
        edit->setChecked(true);
        window->views().source->insertAt("x", 0, 0);
        QVERIFY(window->isWindowModified());
        window->views().source->undo();
        QVERIFY(!window->isWindowModified());
        edit->setChecked(false);
    }

    void anAnalysisLeavesASmallWindowsStageItsRoom()
    {
        const auto window = opened("block=1,1 step=12");
        window->resize(1264, 672);  // of 1280 x 720, what a frame leaves
        QTRY_COMPARE(window->size(), QSize(1264, 672));
        window->views().tabs->setCurrentIndex(kFirstAnalysisTab);
        QTest::qWait(50);
        QVERIFY2(window->views().stage->height() >= 240, qPrintable(QString::number(window->views().stage->height())));
    }
};

QTEST_MAIN(PlacesTest)
#include "tst_places.moc"
