// SPDX-License-Identifier: GPL-3.0-or-later
// Steps that move: what is drawn on the way, and when nothing moves.
#include <QApplication>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "app/gui/engine/step_target.h"
#include "app/gui/export/picture.h"
#include "app/gui/inspector/variable_story_model.h"
#include "app/gui/stage/arrow_router.h"
#include "app/gui/stage/stage_widget.h"
#include "app/gui/stage/stamp.h"
#include "app/gui/window/application.h"
#include "tests/app/sample_kernels.h"

using namespace lanescope;
using namespace lanescope::gui;

class StageMotionTest : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    std::unique_ptr<SnapshotBuilder> m_builder;

    SnapshotPointer at(const char* focus)
    {
        auto parsed = m_builder->session().parseFocus(focus, {});
        LS_ASSERT(parsed.ok());
        auto built = m_builder->build(parsed.value(), {});
        LS_ASSERT(built.ok());
        return built.value();
    }

    /// The stage on its way from one snapshot to the next, as SVG text.
    QByteArray onTheWay(const SnapshotPointer& from, const SnapshotPointer& to, double progress)
    {
        const Theme& theme = themeNamed("dark");
        const QSizeF size(1200, 800);
        const StageScene scene = StageScene::of(to, theme);
        const StageLayout layout = StageLayout::compute(scene.specs, size, theme.typeScale);
        const QString path = m_folder.filePath("way.svg");
        QFile::remove(path);
        const auto written = writePicture(
            path, size.toSize(), {[&](QPainter& painter) {
                paintStage(painter, {scene, layout, theme, {}, {Overlay::Tiles}, {}, size, from.get(), progress});
            }});
        LS_ASSERT(written.ok());
        QFile file(path);
        LS_ASSERT(file.open(QIODevice::ReadOnly));
        return file.readAll();
    }

private slots:
    void initTestCase()
    {
        loadFonts();
        const std::string path = m_folder.filePath("t.lanes").toStdString();
        auto session = replay::Session::open(test::writeTrace(path, [](auto& w) { test::writeTiledMatmul(w, 9, 3); }));
        QVERIFY(session.ok());
        m_builder = std::make_unique<SnapshotBuilder>(std::move(session).value());
    }

    /// The tile's second load: until the value arrives, the cell holds the first tile's.
    void writtenCellsChangeWhenTheValueArrives()
    {
        const SnapshotPointer to = at("block=1,1 thread=2,1 epoch=2");
        auto target = stepTarget(*m_builder, to->focus, StepUnit::Line, Direction::Forward, {});
        QVERIFY(target.ok() && target.value());
        SnapshotPointer before = to;
        SnapshotPointer after = at(("block=1,1 thread=2,1 step=" + std::to_string(*target.value())).c_str());
        // on to the line that writes the shared tile
        const auto writes = [&] {
            return std::any_of(after->statement.begin(), after->statement.end(),
                               [](const StatementEvent& e) { return e.event.kind == trace::SiteKind::Store; });
        };
        for (int i = 0; i < 20 && !writes(); ++i) {
            auto next = stepTarget(*m_builder, after->focus, StepUnit::Line, Direction::Forward, {});
            QVERIFY(next.ok() && next.value());
            before = after;
            after = at(("block=1,1 thread=2,1 step=" + std::to_string(*next.value())).c_str());
        }
        QVERIFY(writes());
        const auto count = [](const QByteArray& svg, const char* text) { return svg.count(text); };
        const QByteArray start = onTheWay(before, after, 0.2);
        const QByteArray end = onTheWay(before, after, 1);
        // a[4][5] = 15.28 goes to a_shared[1][2], which held a[4][2] = 14.17
        QVERIFY(count(end, ">15.28<") >= 2);
        QCOMPARE(count(start, ">14.17<"), count(end, ">14.17<") + 1);
        QCOMPARE(count(start, ">15.28<"), count(end, ">15.28<"));  // not in the cell, but on its way
        QCOMPARE(count(onTheWay(before, after, 0.95), ">15.28<"), count(end, ">15.28<") + 1);
    }

    void tilesSlideBetweenEpochs()
    {
        const SnapshotPointer from = at("block=1,1 epoch=1");
        const SnapshotPointer to = at("block=1,1 epoch=2");
        QVERIFY(onTheWay(from, to, 0.3) != onTheWay(from, to, 0.6));
    }

    void halfALineIsHalfAsLong()
    {
        const QPolygonF line{{0, 0}, {10, 0}, {10, 30}};
        QCOMPARE(beginningOf(line, 0.5).back(), QPointF(10, 10));
        QCOMPARE(beginningOf(line, 0.1), (QPolygonF{{0, 0}, {4, 0}}));
        QCOMPARE(beginningOf(line, 1), line);
        QCOMPARE(beginningOf(line, 0).size(), 2);
    }

    void aStepMovesOnceAndFastStepsDoNot()
    {
        StageWidget stage;
        stage.resize(900, 600);
        stage.show();
        stage.setSnapshot(at("block=1,1 step=10"));
        stage.setMotion(true);
        stage.setSnapshot(at("block=1,1 step=11"));
        QVERIFY(stage.isMoving());
        stage.setSnapshot(at("block=1,1 step=12"));
        QVERIFY(!stage.isMoving());
        stage.setSnapshot(at("block=2,1 step=12"));
        QVERIFY(stage.isMoving());
        QTRY_VERIFY(!stage.isMoving());
        // another thread of the same step is no motion
        stage.setSnapshot(at("block=2,1 step=12 thread=1,1"));
        QVERIFY(!stage.isMoving());
        stage.setMotion(false);
        stage.setSnapshot(at("block=2,1 step=13"));
        QVERIFY(!stage.isMoving());
    }

    void aVariablesStoryNamesItsSources()
    {
        auto at80 = at("block=1,1 thread=2,1 last");
        const auto& variables = at80->catalog->variables;
        const auto acc =
            std::find_if(variables.begin(), variables.end(), [](const auto& v) { return v.name == "acc"; });
        QVERIFY(acc != variables.end());
        SnapshotOptions options;
        options.shownVariable = acc->id;
        const auto built = m_builder->build(at80->focus, options);
        QVERIFY(built.ok());
        const Snapshot& end = *built.value();
        QVERIFY(end.variableHistory != nullptr);
        const analysis::VariableHistory& all = *end.variableHistory;
        // 0, and one sum for each of nine products
        QCOMPARE(all.size(), size_t{10});
        QVERIFY(all.front().reads.empty());
        for (size_t i = 1; i < all.size(); ++i) {
            QCOMPARE(all[i].reads.size(), size_t{2});
            QVERIFY(all[i].step > all[i - 1].step);
        }
        VariableStoryModel story;
        story.setSnapshot(built.value());
        QCOMPARE(story.title(), QString("acc, set 10 times"));
        QCOMPARE(story.rowCount(), 3);  // now and two before
        QVERIFY(story.index(0, VariableStoryModel::What).data().toString().endsWith("a_shared[1][2], b_shared[2][2]"));
        QCOMPARE(story.stepAt(0), std::optional(all.back().step + 1));
    }

    void runsToTheCellsWrites()
    {
        SnapshotPointer start = at("block=1,1 thread=0,0 step=0");
        replay::Focus focus = start->focus;
        QVERIFY(!focusTarget(*m_builder, focus, StepUnit::CellWrite, Direction::Forward, {}).value());
        for (const BufferView& view : start->buffers)
            if (view.buffer.name == "a_shared")
                focus.buffer = view.buffer.id;
        focus.cell = 5;  // [1][2], that thread (2,1) fills once a tile
        std::vector<StepIndex> steps;
        while (true) {
            const auto next = focusTarget(*m_builder, focus, StepUnit::CellWrite, Direction::Forward, {});
            QVERIFY(next.ok());
            if (!next.value())
                break;
            focus = *next.value();
            QVERIFY(focus.thread == (Dim3{2, 1, 0}));
            steps.push_back(focus.step);
        }
        QCOMPARE(steps.size(), size_t{3});
        const auto back = focusTarget(*m_builder, focus, StepUnit::CellWrite, Direction::Backward, {});
        QVERIFY(back.ok() && back.value());
        QCOMPARE(back.value()->step, steps[1]);
    }

    void blocksFollowEachOther()
    {
        replay::Focus focus = at("block=1,0 step=12 thread=2,2")->focus;
        auto next = focusTarget(*m_builder, focus, StepUnit::Block, Direction::Forward, {});
        QVERIFY(next.ok() && next.value());
        QVERIFY(next.value()->block == (Dim3{2, 0, 0}));
        QCOMPARE(next.value()->step, focus.step);
        next = focusTarget(*m_builder, *next.value(), StepUnit::Block, Direction::Forward, {});
        QVERIFY(next.value()->block == (Dim3{0, 1, 0}));
        focus.block = {2, 2, 0};
        QVERIFY(!focusTarget(*m_builder, focus, StepUnit::Block, Direction::Forward, {}).value());
        focus.block = {0, 0, 0};
        QVERIFY(!focusTarget(*m_builder, focus, StepUnit::Block, Direction::Backward, {}).value());
    }

    void smallShapesAreTheSameOnAnyScreen_data()
    {
        QTest::addColumn<double>("ratio");
        for (const double ratio : {1.0, 1.25, 1.5, 2.0})
            QTest::newRow(qPrintable(QString::number(ratio))) << ratio;
    }
    void smallShapesAreTheSameOnAnyScreen()
    {
        QFETCH(double, ratio);
        const QRectF box(10, 8, 24, 16);  // on quarters of a pixel of each of these screens
        const auto painted = [&](bool stamped) {
            QImage screen((QSizeF(48, 32) * ratio).toSize(), QImage::Format_RGB32);
            screen.setDevicePixelRatio(ratio);
            screen.fill(Qt::white);
            QPainter painter(&screen);
            painter.setRenderHint(QPainter::Antialiasing);
            painter.setPen(QPen(Qt::darkBlue, 1.5));
            painter.setBrush(Qt::yellow);
            if (stamped)
                paintBox(painter, box, 4);
            else
                painter.drawRoundedRect(box, 4, 4);
            painter.end();
            screen.setDevicePixelRatio(1);
            return screen;
        };
        const QImage wanted = painted(false);
        const QImage found = painted(true);
        int worst = 0;
        for (int y = 0; y < wanted.height(); ++y)
            for (int x = 0; x < wanted.width(); ++x)
                worst = std::max(worst, qAbs(qGray(wanted.pixel(x, y)) - qGray(found.pixel(x, y))));
        QVERIFY2(worst <= 12, qPrintable(QString::number(worst)));
    }
};

QTEST_MAIN(StageMotionTest)
#include "tst_stage_motion.moc"
