// SPDX-License-Identifier: GPL-3.0-or-later
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/gui/engine/focus_controller.h"
#include "tests/app/sample_kernels.h"

using namespace lanescope;
using namespace lanescope::gui;

class FocusControllerTest : public QObject {
    Q_OBJECT

private:
    static constexpr int kPatience = 30'000;  // ms: the machine may be busy

    QTemporaryDir m_folder;
    QString m_trace;

    struct Running {
        Engine engine;
        FocusController focus{engine};
        QSignalSpy spy{&focus, &FocusController::snapshotChanged};
        QSignalSpy refused{&engine, &Engine::stepRefused};

        replay::Focus settle()
        {
            if (spy.isEmpty() && refused.isEmpty())
                spy.wait(kPatience);
            spy.clear();
            refused.clear();
            return focus.snapshot()->focus;
        }
        replay::Focus step(StepUnit unit, Direction direction)
        {
            focus.step(unit, direction);
            while (spy.isEmpty() && refused.isEmpty() && spy.wait(50) == false && refused.isEmpty())
                continue;
            return settle();
        }
        void open(const QString& path, const QString& at)
        {
            engine.open(path, at);
            settle();
        }
    };

private slots:
    void initTestCase()
    {
        m_trace = m_folder.filePath("t.lanes");
        test::writeTrace(m_trace.toStdString(), [](auto& writer) { test::writeTiledMatmul(writer, 9, 3); });
    }

    void steppingForwardsThenBackwardsIsTheIdentity_data()
    {
        QTest::addColumn<int>("unit");
        QTest::newRow("event") << int(StepUnit::Event);
        QTest::newRow("access") << int(StepUnit::Access);
        QTest::newRow("line") << int(StepUnit::Line);
        QTest::newRow("epoch") << int(StepUnit::Epoch);
    }
    void steppingForwardsThenBackwardsIsTheIdentity()
    {
        QFETCH(int, unit);
        const auto by = static_cast<StepUnit>(unit);
        Running running;
        running.open(m_trace, "block=1,1 thread=2,1 step=0");
        std::vector<replay::Focus> way{running.step(by, Direction::Forward)};
        for (int i = 0; i < 5; ++i)
            way.push_back(running.step(by, Direction::Forward));
        QVERIFY(way.back().step > way.front().step);
        for (size_t i = way.size() - 1; i-- > 0;)
            QCOMPARE(running.step(by, Direction::Backward).step, way[i].step);
    }

    void endsAreRefusedNotPassed()
    {
        Running running;
        running.open(m_trace, "block=1,1 step=0");
        QCOMPARE(running.step(StepUnit::Line, Direction::Backward).step, 0U);
        const replay::Focus end = running.step(StepUnit::End, Direction::Forward);
        QCOMPARE(end.step, running.focus.snapshot()->overview->stepCount);
        QCOMPARE(running.step(StepUnit::Event, Direction::Forward), end);
    }

    void historyGoesBackAndForward()
    {
        Running running;
        running.open(m_trace, "block=1,1 step=10");
        const replay::Focus start = running.focus.snapshot()->focus;
        running.focus.goToThread({2, 2, 0});
        running.settle();
        running.focus.goToBlock({2, 0, 0});
        const replay::Focus last = running.settle();
        QCOMPARE(last.thread, (Dim3{2, 2, 0}));
        QVERIFY(running.focus.canGoBack());
        running.focus.back();
        running.settle();
        running.focus.back();
        QCOMPARE(running.settle(), start);
        QVERIFY(!running.focus.canGoBack());
        running.focus.forward();
        running.settle();
        running.focus.forward();
        QCOMPARE(running.settle(), last);
        QVERIFY(!running.focus.canGoForward());
    }

    void theFocusAsTextLeadsBackToIt()
    {
        Running running;
        running.open(m_trace, "block=1,1 step=10 thread=2,1");
        const replay::Focus start = running.focus.snapshot()->focus;
        const QString text = running.focus.text();
        running.focus.goToText("block=0,0 step=3 thread=0,0");
        QVERIFY(running.settle() != start);
        running.focus.goToText(text);
        QCOMPARE(running.settle(), start);
    }

    void breakpointsStopTheRunBothWays()
    {
        Running running;
        running.open(m_trace, "block=1,1 step=0 thread=0,0");
        running.engine.setBreakpoints({{{0, 22}, {}}});
        const StepIndex first = running.step(StepUnit::Breakpoint, Direction::Forward).step;
        const StepIndex second = running.step(StepUnit::Breakpoint, Direction::Forward).step;
        QVERIFY(second > first && first > 0);
        QCOMPARE(running.focus.snapshot()->focusedWarp().nextLine.line, 22U);
        QCOMPARE(running.step(StepUnit::Breakpoint, Direction::Backward).step, first);
    }

    void conditionsChooseAmongTheStops()
    {
        Running running;
        running.open(m_trace, "block=1,1 step=0 thread=0,0");
        const auto stopsWith = [&](const char* condition) {
            auto parsed = Condition::parse(condition);
            if (!parsed)
                qFatal("%s", parsed.error().text().c_str());
            running.engine.setBreakpoints({{{0, 22}, parsed.value()}});
            running.focus.goToText("step=0");
            running.settle();
            std::vector<StepIndex> stops;
            while (true) {
                const StepIndex before = running.focus.snapshot()->focus.step;
                const StepIndex step = running.step(StepUnit::Breakpoint, Direction::Forward).step;
                if (step == before)
                    return stops;
                stops.push_back(step);
            }
        };
        const std::vector<StepIndex> all = stopsWith("");
        QVERIFY(all.size() > 2);
        QVERIFY(stopsWith("threadIdx.x == 1 && blockIdx.y == 1") == all);
        QVERIFY(stopsWith("blockIdx.y == 2").empty());
        const std::vector<StepIndex> some = stopsWith("acc > 0");
        QVERIFY(!some.empty() && some.size() < all.size());
        QCOMPARE(some.back(), all.back());
    }

    void runsStopWhereAWatchedCellIsWritten()
    {
        Running running;
        running.open(m_trace, "block=1,1 step=0 thread=0,0");
        WatchedCell cell;
        for (const BufferView& view : running.focus.snapshot()->buffers)
            if (view.buffer.name == "a_shared")
                cell = {view.buffer.id, 5};  // [1][2], that thread (2,1) fills once a tile
        running.engine.setWatched({cell}, {});
        std::vector<replay::Focus> stops;
        for (int i = 0; i < 3; ++i)
            stops.push_back(running.step(StepUnit::Breakpoint, Direction::Forward));
        QCOMPARE(stops.back().thread, (Dim3{2, 1, 0}));
        QVERIFY(stops[0].step < stops[1].step && stops[1].step < stops[2].step);
        QCOMPARE(running.step(StepUnit::Breakpoint, Direction::Forward), stops[2]);  // no fourth
        QCOMPARE(running.step(StepUnit::Breakpoint, Direction::Backward), stops[1]);
        running.engine.setWatched({}, {});
        QCOMPARE(running.step(StepUnit::Breakpoint, Direction::Backward), stops[1]);
    }

    void runsStopWhereAWatchedVariableIsSet()
    {
        Running running;
        running.open(m_trace, "block=1,1 step=0 thread=2,1");
        const auto& variables = running.focus.snapshot()->catalog->variables;
        const auto acc =
            std::find_if(variables.begin(), variables.end(), [](const auto& v) { return v.name == "acc"; });
        running.engine.setWatched({}, {acc->id});
        std::vector<StepIndex> stops{0};
        while (true) {
            const StepIndex step = running.step(StepUnit::Breakpoint, Direction::Forward).step;
            if (step == stops.back())
                break;
            stops.push_back(step);
        }
        QCOMPARE(stops.size(), size_t{11});  // 0, and one sum for each of nine products
        running.focus.stepVariable(acc->id, Direction::Backward);
        QCOMPARE(running.settle().step, stops[9]);
    }

    void runsToALineBothWays()
    {
        Running running;
        running.open(m_trace, "block=1,1 step=0 thread=0,0");
        const auto run = [&](uint32_t line, Direction direction) {
            running.focus.runToLine(SourceId{0}, line, direction);
            return running.settle().step;
        };
        const StepIndex first = run(22, Direction::Forward);
        QCOMPARE(running.focus.snapshot()->focusedWarp().nextLine.line, 22U);
        const StepIndex second = run(22, Direction::Forward);
        QVERIFY(second > first);
        QCOMPARE(run(22, Direction::Backward), first);
        QCOMPARE(run(22, Direction::Forward), second);
        running.refused.clear();
        running.focus.runToLine(SourceId{0}, 1, Direction::Forward);
        QTRY_VERIFY_WITH_TIMEOUT(!running.refused.isEmpty(), kPatience);
        QVERIFY(running.refused.front().front().toString().contains("line 1 "));
    }

    void readsOfACellAreSteppedThrough()
    {
        Running running;
        running.open(m_trace, "block=1,1 step=0 thread=0,0");
        for (const BufferView& view : running.focus.snapshot()->buffers)
            if (view.buffer.name == "a_shared")
                running.focus.selectCell(view.buffer.id, 5);
        running.settle();
        const StepIndex write = running.step(StepUnit::CellWrite, Direction::Forward).step;
        const replay::Focus read = running.step(StepUnit::CellRead, Direction::Forward);
        QVERIFY(read.step > write);
        QVERIFY(running.step(StepUnit::CellRead, Direction::Forward).step > read.step);
        QCOMPARE(running.step(StepUnit::CellRead, Direction::Backward).step, read.step);
    }

    void levelsHaveNeighbours()
    {
        Running running;
        running.open(m_trace, "block=1,1 step=12 thread=2,1");
        QSignalSpy refused(&running.focus, &FocusController::refused);
        running.focus.goToNext(Level::Lane, Direction::Forward);
        QCOMPARE(running.settle().thread, (Dim3{0, 2, 0}));
        running.focus.goToNext(Level::Lane, Direction::Backward);
        QCOMPARE(running.settle().thread, (Dim3{2, 1, 0}));
        running.focus.goToNext(Level::Block, Direction::Forward);
        QCOMPARE(running.settle().block, (Dim3{2, 1, 0}));
        QVERIFY(refused.isEmpty());
        running.focus.goToNext(Level::Warp, Direction::Forward);
        QCOMPARE(refused.takeFirst().front().toString(), QString("This is the block's last warp."));
        running.focus.goToNext(Level::Launch, Direction::Backward);
        QCOMPARE(refused.takeFirst().front().toString(), QString("This is the first launch."));
    }

    void badConditionsSayWhatIsExpected()
    {
        for (const char* text : {"acc >", "acc = 5", "acc > 5 &&", "a b > 1"})
            QVERIFY2(!Condition::parse(text), text);
    }

    void aBadTraceIsReported()
    {
        Engine engine;
        QSignalSpy failed(&engine, &Engine::openFailed);
        engine.open(m_folder.filePath("none.lanes"), {});
        // Another thread says so, maybe at once: nobody may have begun to wait.
        QTRY_VERIFY_WITH_TIMEOUT(!failed.isEmpty(), kPatience);
        QVERIFY(failed.front().front().toString().contains("none.lanes"));
    }

    void manyQueuedMovesEndAtTheLast()
    {
        Running running;
        running.open(m_trace, "block=1,1 step=0");
        for (StepIndex step = 1; step <= 40; ++step)
            running.focus.scrubTo(step);
        QTRY_COMPARE(running.focus.snapshot()->focus.step, StepIndex{40});
    }
};

QTEST_GUILESS_MAIN(FocusControllerTest)
#include "tst_focus_controller.moc"
