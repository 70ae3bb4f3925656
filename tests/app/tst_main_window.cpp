// SPDX-License-Identifier: GPL-3.0-or-later
// Drives the real window, offscreen: focus, views, keys. Files and recordings are in tst_window_files.
#include <QAbstractButton>
#include <QAccessible>
#include <QClipboard>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QTabBar>
#include <QTableView>
#include <QTreeWidget>

#include <set>

#include "app/gui/inspector/inspector_widget.h"
#include "app/gui/inspector/lanes_model.h"
#include "app/gui/inspector/lanes_panel.h"
#include "app/gui/source/source_view.h"
#include "app/gui/timeline/timeline_widget.h"
#include "app/gui/views/banks/banks_view.h"
#include "app/gui/views/view_widget.h"
#include "app/gui/views/why/why_view.h"
#include "app/gui/window/banner.h"
#include "app/gui/window/shortcuts_dialog.h"
#include "tests/app/window_fixture.h"

using namespace lanescope;
using namespace lanescope::gui;

class MainWindowTest : public test::WindowFixture {
    Q_OBJECT

private slots:
    void initTestCase() { record(); }

    void keysStepBothWays_data()
    {
        QTest::addColumn<int>("key");
        QTest::addColumn<int>("modifiers");
        QTest::newRow("line") << int(Qt::Key_F10) << 0;
        QTest::newRow("access") << int(Qt::Key_F11) << 0;
        QTest::newRow("epoch") << int(Qt::Key_F10) << int(Qt::ControlModifier);
    }
    void keysStepBothWays()
    {
        QFETCH(int, key);
        QFETCH(int, modifiers);
        const auto window = opened("block=1,1 step=0 thread=1,1");
        const auto press = [&](Qt::KeyboardModifiers more) {
            QTest::keyClick(window.get(), static_cast<Qt::Key>(key), Qt::KeyboardModifiers(modifiers) | more);
        };
        press(Qt::NoModifier);
        QTRY_VERIFY(stepOf(*window) > 0);
        const StepIndex once = stepOf(*window);
        press(Qt::NoModifier);
        QTRY_VERIFY(stepOf(*window) > once);
        press(Qt::ShiftModifier);
        QTRY_COMPARE(stepOf(*window), once);
    }

    void homeAndEnd()
    {
        const auto window = opened("block=1,1 step=10");
        QTest::keyClick(window.get(), Qt::Key_End);
        QTRY_COMPARE(stepOf(*window), window->focus().snapshot()->overview->stepCount);
        QTest::keyClick(window.get(), Qt::Key_Home);
        QTRY_COMPARE(stepOf(*window), StepIndex{0});
    }

    void everyViewFollowsAClickOnTheStage()
    {
        const auto window = opened("block=1,1 step=10 thread=0,0");
        const StageWidget& stage = *window->views().stage;
        const StageScene& scene = *stage.scene();
        const QPointF thread =
            stage.layoutOfPanels().panels[*scene.threadsPanel].cellRect(scene.threadCell(5)).center();
        QTest::mouseClick(window->views().stage, Qt::LeftButton, {}, thread.toPoint());
        QTRY_COMPARE(window->focus().snapshot()->focus.thread, (Dim3{2, 1, 0}));
        QVERIFY(window->views().focusField->text().contains("thread=2,1"));
        const QPointF block = stage.layoutOfPanels().panels[*scene.gridPanel].cellRect({0, 2}).center();
        QTest::mouseClick(window->views().stage, Qt::LeftButton, {}, block.toPoint());
        QTRY_COMPARE(window->focus().snapshot()->focus.block, (Dim3{2, 0, 0}));
        const QPointF cell = stage.layoutOfPanels().panels[0].cellRect({1, 1}).center();
        QTest::mouseClick(window->views().stage, Qt::LeftButton, {}, cell.toPoint());
        QTRY_VERIFY(window->focus().snapshot()->cell.has_value());
    }

    void theTimelineScrubs()
    {
        const auto window = opened("block=1,1 step=0");
        TimelineWidget* timeline = window->views().timeline;
        const TimelineLayout layout = timeline->layoutOfSteps();
        const size_t row = focusedRowOf(*window->focus().snapshot());
        const QPoint place(qRound(layout.xOf(40)), qRound(layout.rowRect(row).center().y()));
        QTest::mousePress(timeline, Qt::LeftButton, {}, place);
        QTRY_COMPARE(stepOf(*window), StepIndex{40});
        QVERIFY(window->views().source->nextLine() > 0);
    }

    void aZoomedTimelineHasAMapThatMovesIt()
    {
        const auto window = opened("block=1,1 step=0");
        TimelineWidget* timeline = window->views().timeline;
        QVERIFY(timeline->layoutOfSteps().map.isEmpty());
        timeline->setFocus();
        for (int i = 0; i < 6; ++i)
            QTest::keyClick(timeline, Qt::Key_W);
        const TimelineLayout zoomed = timeline->layoutOfSteps();
        QVERIFY(!zoomed.map.isEmpty());
        QVERIFY(zoomed.map.top() >= zoomed.plot.bottom());
        QCOMPARE(zoomed.range.first, 0.0);
        const QPointF atTheEnd(zoomed.map.right() - 1, zoomed.map.center().y());
        QTest::mouseClick(timeline, Qt::LeftButton, {}, atTheEnd.toPoint());
        const StepRange moved = timeline->layoutOfSteps().range;
        QVERIFY(std::abs(moved.last - double(window->focus().snapshot()->overview->stepCount)) < 1);
        QVERIFY(std::abs(moved.span() - zoomed.range.span()) < 1e-6);
        QCOMPARE(stepOf(*window), StepIndex{0});
    }

    void allLanesHaveATabOfTheirOwn()
    {
        const auto window = opened("block=1,1 step=20 thread=0,0");
        QVERIFY(!window->views().lanesDock->isVisible());
        QTest::keyClick(window.get(), Qt::Key_L, Qt::ControlModifier | Qt::ShiftModifier);
        QTableView* lanes = window->views().lanes->table();
        QTRY_VERIFY(lanes->isVisible());
        QCOMPARE(lanes->model()->rowCount(), 32);
        QVERIFY(lanes->height() > window->views().stage->height() / 2);
        emit lanes->activated(lanes->model()->index(5, 0));
        QTRY_COMPARE(window->focus().snapshot()->focus.thread, (Dim3{2, 1, 0}));
        const int roomy = lanes->rowHeight(0);
        window->resize(1280, 720);
        QTRY_VERIFY(lanes->rowHeight(0) < roomy);  // more of them show
    }

    void linesThatFindingsNameAreMarkedInTheMargin()
    {
        const auto window = opened("block=1,1 step=0");
        SourceView* source = window->views().source;
        QTRY_VERIFY(source->nextLine() > 0);
        QVERIFY(source->nextLine() != kFaultLine);
        std::set<uint32_t> marked;
        for (int line = 0; line < source->lines(); ++line)
            if (source->markersAtLine(line) != 0)
                marked.insert(static_cast<uint32_t>(line) + 1);
        QCOMPARE(marked, (std::set<uint32_t>{source->nextLine(), kFaultLine}));
    }

    void aTypedFocusIsGoneTo()
    {
        const auto window = opened("block=1,1 step=0");
        window->views().focusField->setText("step=12 thread=(2,2)");
        QTest::keyClick(window->views().focusField, Qt::Key_Return);
        QTRY_COMPARE(stepOf(*window), StepIndex{12});
        window->views().focusField->setText("nonsense=1");
        QTest::keyClick(window->views().focusField, Qt::Key_Return);
        QTRY_VERIFY(window->views().banner->isVisible());
    }

    void playRunsToTheEndAndStops()
    {
        const auto window = opened("block=1,1 step=70");
        window->views().speed->setCurrentIndex(3);
        window->actionTable()[Command::Play]->setChecked(true);
        QTRY_COMPARE_WITH_TIMEOUT(stepOf(*window), window->focus().snapshot()->overview->stepCount, 5000);
        QTRY_VERIFY(!window->actionTable()[Command::Play]->isChecked());
    }

private:
    /// A hit of the shown analysis that \p wanted accepts, clicked.
    template <typename Wanted>
    void clickHit(ViewWidget* view, const Wanted& wanted)
    {
        QTRY_VERIFY(view->hasData() && !view->hits().empty());
        for (const Hit& hit : view->hits())
            if (wanted(hit)) {
                QTest::mouseClick(view, Qt::LeftButton, {}, hit.area.center().toPoint());
                return;
            }
        QFAIL("nothing to click");
    }

    static void clickThread(MainWindow& window, uint64_t thread)
    {
        StageWidget& stage = *window.views().stage;
        const StageScene& scene = *stage.scene();
        const Panel& panel = stage.layoutOfPanels().panels[*scene.threadsPanel];
        QTest::mouseClick(&stage, Qt::LeftButton, {}, panel.cellRect(scene.threadCell(thread)).center().toPoint());
    }

    static void clickStep(MainWindow& window, double step)
    {
        TimelineWidget* timeline = window.views().timeline;
        const TimelineLayout layout = timeline->layoutOfSteps();
        const size_t row = focusedRowOf(*window.focus().snapshot());
        QTest::mouseClick(timeline, Qt::LeftButton, {},
                          QPoint(qRound(layout.xOf(step)), qRound(layout.rowRect(row).center().y())));
    }

    static void clickLane(MainWindow& window, int lane)
    {
        const auto* lanes = window.views().inspector->findChild<LanesModel*>();
        for (QTableView* table : window.views().inspector->findChildren<QTableView*>())
            if (table->model() == lanes)
                QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                                  table->visualRect(lanes->index(lane, LanesModel::Thread)).center());
    }

    /// Every view shows the focus that the window has.
    static void allFollow(MainWindow& window)
    {
        const Views& views = window.views();
        const SnapshotPointer& now = window.focus().snapshot();
        QTRY_COMPARE(views.stage->scene()->snapshot, now);
        QCOMPARE(views.timeline->snapshot(), now);
        for (const ViewWidget* analysis : views.analyses)
            QCOMPARE(analysis->snapshot(), now);
        QCOMPARE(views.source->nextLine(), now->focusedWarp().nextLine.line);
        QCOMPARE(views.inspector->findChild<LanesModel*>()->focusedRow(), now->lane);
        QVERIFY(views.focusField->text().contains(QStringLiteral("step=%1").arg(now->focus.step)));
    }

    ViewWidget* shownAnalysis(MainWindow& window, const QString& name)
    {
        for (size_t i = 0; i < window.views().analyses.size(); ++i)
            if (window.views().analyses[i]->view().name() == name) {
                window.views().tabs->setCurrentIndex(kFirstAnalysisTab + static_cast<int>(i));
                return window.views().analyses[i];
            }
        return nullptr;
    }

    static uint32_t padOf(const ViewSettings& settings) { return settings.own.as<BanksSettings>().layout.padElements; }

private slots:
    void aClickInAnyViewIsFollowedByAllOthers_data()
    {
        QTest::addColumn<QString>("name");
        for (const char* name : {"stage", "timeline", "inspector"})
            QTest::newRow(name) << name;
        // The sample has no mbarriers, clusters or tensor maps and multiplies no matrices by one instruction.
        const QStringList without{"ring", "fragment", "tensor", "cluster"};
        for (const auto& view : allViews())
            if (!without.contains(view->name()))
                QTest::newRow(qPrintable(view->name())) << view->name();
    }
    void aClickInAnyViewIsFollowedByAllOthers()
    {
        QFETCH(QString, name);
        const auto window = opened("block=1,1 step=10 thread=0,0");
        const replay::Focus before = window->focus().snapshot()->focus;
        if (name == "stage")
            clickThread(*window, 5);
        else if (name == "timeline")
            clickStep(*window, 40);
        else if (name == "inspector")
            clickLane(*window, 5);
        else
            clickHit(shownAnalysis(*window, name), [&](const Hit& hit) {
                return hit.focus && (hit.focus->step > 10 || hit.focus->launch == before.launch) &&
                       !(*hit.focus == before);
            });
        QTRY_VERIFY(!(window->focus().snapshot()->focus == before));
        allFollow(*window);
    }

    void layoutsAreScoredAgainAtOnce()
    {
        const auto window = opened("block=1,1 step=10");
        ViewWidget* banks = shownAnalysis(*window, "banks");
        clickHit(banks, [](const Hit& hit) { return hit.settings && padOf(*hit.settings) == 1; });
        QCOMPARE(padOf(banks->settings()), 1U);
        QTRY_VERIFY(banks->hasData());
    }

    void aSliderFollowsThePointer()
    {
        const auto window = opened("block=1,1 step=10");
        ViewWidget* banks = shownAnalysis(*window, "banks");
        QTRY_VERIFY(banks->hasData() && !banks->hits().empty());
        const auto notch = [&](uint32_t pad) {
            const auto& hits = banks->hits();
            const auto found = std::find_if(hits.begin(), hits.end(),
                                            [&](const Hit& hit) { return hit.slides && padOf(*hit.settings) == pad; });
            return found == hits.end() ? QPoint() : found->area.center().toPoint();
        };
        QTest::mousePress(banks, Qt::LeftButton, {}, notch(0));
        for (uint32_t pad = 1; pad <= 5; ++pad)
            QTest::mouseMove(banks, notch(pad) + QPoint(0, 60));
        QCOMPARE(padOf(banks->settings()), 5U);
        QTest::mouseRelease(banks, Qt::LeftButton, {}, notch(5));
        QTest::mouseMove(banks, notch(9));
        QCOMPARE(padOf(banks->settings()), 5U);
    }

    void plusAndMinusMoveTheSlider()
    {
        const auto window = opened("block=1,1 step=10");
        ViewWidget* banks = shownAnalysis(*window, "banks");
        for (const auto& [key, pad] : {std::pair(Qt::Key_Minus, 0U), std::pair(Qt::Key_Plus, 1U),
                                       std::pair(Qt::Key_Plus, 2U), std::pair(Qt::Key_Minus, 1U)}) {
            QTest::keyClick(banks, key);
            QCOMPARE(padOf(banks->settings()), pad);
        }
        ViewWidget* lines = shownAnalysis(*window, "lines");
        const ViewSettings before = lines->settings();
        QTest::keyClick(lines, Qt::Key_Plus);
        QVERIFY(lines->settings() == before);
    }

    void aHeadOfATableSortsBothWays()
    {
        const auto window = opened("block=1,1 step=10");
        ViewWidget* lines = shownAnalysis(*window, "lines");
        QTRY_VERIFY(lines->hasData());
        const auto press = [&](const QString& text) {
            lines->grab();
            const std::vector<Hit> hits = lines->hits();
            const auto head = std::find_if(hits.begin(), hits.end(), [&](const Hit& hit) { return hit.text == text; });
            QVERIFY2(head != hits.end(), qPrintable(text));
            QTest::mouseClick(lines, Qt::LeftButton, {}, head->area.center().toPoint());
        };
        const auto firstLine = [&] {
            lines->grab();
            const std::vector<Hit> hits = lines->hits();
            return std::find_if(hits.begin(), hits.end(), [](const Hit& hit) { return hit.text.startsWith("line "); })
                ->text;
        };
        const QString before = firstLine();
        press("sort by lanes");
        QVERIFY(lines->settings().sortColumn > 0);
        const QString most = firstLine();
        press("sort by lanes, smallest first");
        QVERIFY(lines->settings().sortColumn < 0);
        QVERIFY(firstLine() != most);
        press("do not sort");
        QCOMPARE(lines->settings().sortColumn, 0);
        QCOMPARE(firstLine(), before);
    }

    void overlaysGoOnAndOffByKeys()
    {
        const auto window = opened("block=1,1 step=10");
        QTest::keyClick(window.get(), Qt::Key_M);
        QVERIFY(window->views().stage->overlays().contains(Overlay::Mapping));
        QTRY_VERIFY(window->focus().snapshot()->gridUse != nullptr);
        QTest::keyClick(window.get(), Qt::Key_M);
        QVERIFY(!window->views().stage->overlays().contains(Overlay::Mapping));
    }

    void lectureModeShowsTheStageAlone()
    {
        const auto window = opened("block=1,1 step=10");
        QAction* lecture = window->actionTable()[Command::Lecture];
        lecture->trigger();
        QVERIFY(window->isFullScreen());
        QCOMPARE(window->themeName(), QString("projector"));
        QVERIFY(!window->views().inspector->isVisible());
        QTest::keyClick(window.get(), Qt::Key_PageDown);
        QTRY_VERIFY(stepOf(*window) > 10);
        lecture->trigger();
        QVERIFY(window->views().inspector->isVisible());
        QVERIFY(window->themeName() != "projector");
    }

    void lectureTypeGrowsWithTheScreen_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::newRow("720p") << QSize(1280, 720);
        QTest::newRow("1080p") << QSize(1920, 1080);
        QTest::newRow("4K") << QSize(3840, 2160);
    }
    /// A caption of 3.2 % of the height, code of 3 %.
    void lectureTypeGrowsWithTheScreen()
    {
        QFETCH(QSize, size);
        const auto window = opened("block=1,1 step=20");
        window->actionTable()[Command::Lecture]->setChecked(true);
        window->setWindowState(Qt::WindowNoState);  // the screen here has a size of its own
        window->resize(size);
        QTRY_COMPARE(window->size(), size);
        QVERIFY(!window->views().stageBar->isVisible());
        QVERIFY(window->views().banner->text().contains("Esc leaves"));
        const Theme& theme = window->views().stage->theme();
        QVERIFY(QFontInfo(theme.codeLine()).pixelSize() >= 0.03 * size.height());
        QVERIFY(QFontInfo(theme.caption()).pixelSize() >= 0.032 * size.height());
        QVERIFY(window->views().stage->layoutOfPanels().caption.height() >= 0.09 * size.height());
        auto* tourCaption = window->findChild<QLabel*>(QStringLiteral("tourCaption"));
        tourCaption->ensurePolished();
        QVERIFY(QFontInfo(tourCaption->font()).pixelSize() >= 0.032 * size.height());
        // The panels lie above the caption.
        for (const Panel& panel : window->views().stage->layoutOfPanels().panels)
            QVERIFY(panel.body.bottom() <= window->views().stage->layoutOfPanels().caption.top());
        QTest::keyClick(window.get(), Qt::Key_Escape);
        QVERIFY(!window->actionTable()[Command::Lecture]->isChecked());
        QVERIFY(window->views().stageBar->isVisible());
    }

    void everyThemeAndASmallWindow()
    {
        const auto window = opened("block=1,1 step=10");
        for (const QString& theme : themeNames())
            window->setThemeName(theme);
        window->setThemeName(themeNames().front());
        window->resize(800, 600);
        QTRY_COMPARE(window->size(), QSize(800, 600));
        const Views& views = window->views();
        for (const QWidget* view : std::initializer_list<QWidget*>{views.stage, views.source, views.timeline,
                                                                   views.inspector, views.focusField}) {
            const auto place = [&] { return QRect(view->mapTo(window.get(), QPoint(0, 0)), view->size()); };
            QTRY_VERIFY2(window->rect().contains(place()), qPrintable(QStringLiteral("%1 from %2 to %3")
                                                                          .arg(view->metaObject()->className())
                                                                          .arg(place().left())
                                                                          .arg(place().right())));
            QVERIFY2(place().width() > 60 && place().height() > 15, view->metaObject()->className());
        }
        QVERIFY(views.stage->width() >= 300);
        QTest::keyClick(window.get(), Qt::Key_F10);
        QTRY_VERIFY(stepOf(*window) > 10);
        QVERIFY(!window->grab().isNull());
    }

    void everyControlHasANameForScreenReaders()
    {
        const auto window = opened("block=1,1 step=10");
        QStringList nameless;
        for (QWidget* widget : window->findChildren<QWidget*>()) {
            const bool control =
                qobject_cast<QAbstractButton*>(widget) != nullptr || (widget->focusPolicy() & Qt::TabFocus) != 0;
            const QString type = QString::fromLatin1(widget->metaObject()->className());
            if (!control || type == "QComboBoxListView" ||
                type == "QTableCornerButton")  // Qt's own, named by their owner
                continue;
            const QAccessibleInterface* face = QAccessible::queryAccessibleInterface(widget);
            if (face == nullptr || face->text(QAccessible::Name).isEmpty())
                nameless << QStringLiteral("%1 '%2' in %3")
                                .arg(QString::fromLatin1(widget->metaObject()->className()), widget->objectName(),
                                     QString::fromLatin1(widget->parentWidget()->metaObject()->className()));
        }
        QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join("; ")));
    }

    void tabReachesStageSourceTimelineAndInspector()
    {
        const auto window = opened("block=1,1 step=10");
        std::set<QWidget*> reached;
        window->views().focusField->setFocus();
        for (int i = 0; i < 80; ++i) {
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
            reached.insert(QApplication::focusWidget());
        }
        QVERIFY(reached.contains(window->views().stage));
        QVERIFY(reached.contains(window->views().timeline));
        QVERIFY(reached.contains(window->views().source));
        QVERIFY(reached.contains(window->views().stepUnit));
        QVERIFY(std::any_of(reached.begin(), reached.end(),
                            [&](QWidget* widget) { return window->views().inspector->isAncestorOf(widget); }));
    }

    void everyCommandIsInAMenu()
    {
        const auto window = opened("block=1,1 step=10");
        for (const QAction* action : window->actionTable().findChildren<QAction*>())
            QVERIFY2(action->associatedObjects().size() > 1, qPrintable(action->text()));
    }

    void somebodyNewIsToldHowToStepUntilTheyDo()
    {
        MainWindow window(QStringLiteral("/nowhere/lanescope"), MainWindow::Use::Interactive);
        window.show();
        window.greet();
        window.open(m_trace, "block=1,1 step=10");
        QTRY_VERIFY(window.views().banner->isVisible());
        QVERIFY(window.views().banner->text().contains("F10"));
        QTest::keyClick(&window, Qt::Key_F10);
        QTRY_VERIFY(!window.views().banner->isVisible());
    }

    void aBufferTakesTheShapeThatTheUserGivesIt()
    {
        const auto shapeOf = [](MainWindow& window) { return window.focus().snapshot()->buffers[0].shape; };
        {
            const auto window = opened("block=1,1 step=10");
            QCOMPARE(shapeOf(*window).columns, uint64_t{9});
            QVERIFY(window->reshape(0, "27 x 3").ok());
            QTRY_COMPARE(shapeOf(*window).columns, uint64_t{3});
            QCOMPARE(shapeOf(*window).cellOf(7), (Cell{2, 1}));
            QVERIFY(window->reshape(0, "3 x 27 columns").ok());
            QTRY_COMPARE(shapeOf(*window).cellOf(7), (Cell{1, 2}));
            QCOMPARE(shapeOf(*window).elementOf({1, 2}), uint64_t{7});
            QVERIFY(!window->grab().isNull());
            QVERIFY(!window->reshape(0, "5 x 5").ok());
            QVERIFY(!window->reshape(0, "nonsense").ok());
        }
        const auto again = opened("block=1,1 step=10");
        QTRY_COMPARE(shapeOf(*again).rows, uint64_t{3});
        QVERIFY(again->reshape(0, "").ok());
        QTRY_COMPARE(shapeOf(*again).columns, uint64_t{9});
    }

    void watchesShowTheirValueInEveryLane()
    {
        {
            const auto window = opened("block=1,1 step=40 thread=1,1");
            window->watch({"threadIdx.x + 10 * threadIdx.y", "nothing here"});
            QTRY_COMPARE(window->focus().snapshot()->watches.size(), size_t{2});
            QCOMPARE(window->focus().snapshot()->watches[0].at(4).value, QString("11"));
            QVERIFY(window->focus().snapshot()->watches[1].at(4).why.contains("expected an operator"));
            const auto* lanes = window->views().inspector->findChild<LanesModel*>();
            const int column = lanes->columnCount() - 3;  // two watches, then the accesses
            QCOMPARE(lanes->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString(),
                     QString("threadIdx.x + 10 * threadIdx.y"));
            QCOMPARE(lanes->data(lanes->index(8, column), Qt::DisplayRole).toString(), QString("22"));
            QVERIFY(!window->grab().isNull());
        }
        const auto again = opened("block=1,1 step=40 thread=0,1");
        QTRY_COMPARE(again->focus().snapshot()->watches.size(), size_t{2});
        again->watch({});
        QTRY_VERIFY(again->focus().snapshot()->watches.empty());
    }

    void aWatchIsTypedAndDeletedByKeys()
    {
        const auto window = opened("block=1,1 step=40 thread=1,1");
        window->actionTable()[Command::Watch]->trigger();
        auto* table = window->views().inspector->findChild<QTableView*>(QStringLiteral("watches"));
        auto* editor = table->findChild<QLineEdit*>();
        QVERIFY(editor != nullptr);
        QTest::keyClicks(editor, "lane * 2");
        QTest::keyClick(editor, Qt::Key_Return);
        QTRY_COMPARE(window->focus().snapshot()->watches.size(), size_t{1});
        QCOMPARE(table->model()->data(table->model()->index(0, 1)).toString(), QString("8"));
        table->setCurrentIndex(table->model()->index(0, 0));
        table->setFocus();
        QTest::keyClick(table, Qt::Key_Delete);
        QTRY_VERIFY(window->focus().snapshot()->watches.empty());
    }

    void selectedStepsAreWhatTheAnalysesCount()
    {
        const auto window = opened("block=1,1 step=10");
        TimelineWidget& timeline = *window->views().timeline;
        const auto lines = std::find_if(window->views().analyses.begin(), window->views().analyses.end(),
                                        [](const ViewWidget* view) { return view->view().name() == "lines"; });
        const int tab = kFirstAnalysisTab + int(lines - window->views().analyses.begin());
        window->views().tabs->setCurrentIndex(tab);
        QTRY_VERIFY((*lines)->hasData());
        const auto rowsOf = [&] {
            (*lines)->grab();
            return std::count_if((*lines)->hits().begin(), (*lines)->hits().end(),
                                 [](const Hit& hit) { return hit.text.startsWith("line "); });
        };
        const auto all = rowsOf();
        const auto& epochs = window->focus().snapshot()->overview->epochs;
        const TimelineLayout layout = timeline.layoutOfSteps();
        const double middle = layout.xOf(double(epochs[1].first + epochs[1].last) / 2);
        QTest::mouseClick(&timeline, Qt::LeftButton, {}, QPointF(middle, layout.epochs.center().y()).toPoint());
        QVERIFY(timeline.selection().has_value());
        QCOMPARE(timeline.selection()->first, epochs[1].first);
        QCOMPARE(timeline.selection()->last, epochs[1].last);
        QTRY_VERIFY((*lines)->hasData());
        QVERIFY(rowsOf() > 0 && rowsOf() < all);  // the tiles are filled in other epochs
        QTest::keyClick(&timeline, Qt::Key_Escape);
        QVERIFY(!timeline.selection());
        QTRY_VERIFY((*lines)->hasData());
        QCOMPARE(rowsOf(), all);
    }

    void shiftAndADragSelectSteps()
    {
        const auto window = opened("block=1,1 step=10");
        TimelineWidget& timeline = *window->views().timeline;
        const TimelineLayout layout = timeline.layoutOfSteps();
        const auto at = [&](StepIndex step) {
            return QPointF(layout.xOf(double(step)), layout.plot.center().y()).toPoint();
        };
        QTest::mousePress(&timeline, Qt::LeftButton, Qt::ShiftModifier, at(60));
        QMouseEvent move(QEvent::MouseMove, at(20), timeline.mapToGlobal(at(20)), Qt::NoButton, Qt::LeftButton,
                         Qt::ShiftModifier);
        QApplication::sendEvent(&timeline, &move);
        QTest::mouseRelease(&timeline, Qt::LeftButton, Qt::ShiftModifier, at(20));
        QVERIFY(timeline.selection().has_value());
        QVERIFY(qAbs(int(timeline.selection()->first) - 20) <= 1);
        QVERIFY(qAbs(int(timeline.selection()->last) - 60) <= 1);
        QCOMPARE(stepOf(*window), StepIndex{10});  // selecting does not scrub
        QVERIFY(!window->grab().isNull());
        window->focus().goToBlock({2, 2, 0});
        QTRY_COMPARE(window->focus().snapshot()->focus.block, (Dim3{2, 2, 0}));
        QVERIFY(!timeline.selection());  // steps of another block
    }

    void whyAVariableHoldsItsValue()
    {
        const auto window = opened("block=1,1 step=40 thread=1,1");
        const auto why = std::find_if(window->views().analyses.begin(), window->views().analyses.end(),
                                      [](const ViewWidget* view) { return view->view().name() == "why"; });
        window->views().tabs->setCurrentIndex(kFirstAnalysisTab + int(why - window->views().analyses.begin()));
        QTRY_VERIFY((*why)->hasData());
        const auto& variables = window->focus().snapshot()->catalog->variables;
        const auto sum =
            std::find_if(variables.begin(), variables.end(), [](const auto& v) { return v.name == "acc"; });
        QVERIFY(sum != variables.end());
        emit window->views().inspector->variableChosen(sum->id);
        QTRY_COMPARE(window->focus().snapshot()->shown, std::optional(sum->id));
        (*why)->change((*why)->settings().with(WhySettings{true}));
        const auto writes = [&] {
            (*why)->grab();
            std::set<StepIndex> steps;
            for (const Hit& hit : (*why)->hits())
                if (hit.focus)
                    steps.insert(hit.focus->step);
            return steps;
        };
        // The sum's last write, the one before, and the two tiles' stores by other threads.
        QTRY_VERIFY(writes().size() >= 3);
        QVERIFY(*writes().rbegin() <= 40);
    }

    void allKeysAreListed()
    {
        const auto window = opened("block=1,1 step=10");
        const ShortcutsDialog dialog(window->actionTable());
        const auto* tree = dialog.findChild<QTreeWidget*>();
        QVERIFY(!tree->findItems("Next line", Qt::MatchExactly | Qt::MatchRecursive).isEmpty());
        QVERIFY(tree->findItems("Next line", Qt::MatchExactly | Qt::MatchRecursive)[0]->text(1).contains("F10"));
    }

    void backAndForwardThroughTheFocusHistory()
    {
        const auto window = opened("block=1,1 step=10");
        window->focus().goToStep(20);
        QTRY_COMPARE(stepOf(*window), StepIndex{20});
        window->focus().goToStep(30);
        QTRY_COMPARE(stepOf(*window), StepIndex{30});
        QTest::keyClick(window.get(), Qt::Key_Left, Qt::AltModifier);
        QTRY_COMPARE(stepOf(*window), StepIndex{20});
        QTest::keyClick(window.get(), Qt::Key_Right, Qt::AltModifier);
        QTRY_COMPARE(stepOf(*window), StepIndex{30});
        window->actionTable()[Command::CopyFocus]->trigger();
        QVERIFY(QGuiApplication::clipboard()->text().contains("step=30"));
    }
};

QTEST_MAIN(MainWindowTest)
#include "tst_main_window.moc"
