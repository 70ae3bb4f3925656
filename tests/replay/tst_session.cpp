// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <QTemporaryDir>
#include <QTest>

#include "core/replay/buffer_shape.h"
#include "core/replay/replay.h"
#include "tests/support/synthetic_trace.h"

using namespace lanescope;
using namespace lanescope::replay;
using lanescope::test::SyntheticMatmul;
using lanescope::test::SyntheticOptions;

class TestSession : public QObject {
    Q_OBJECT

    std::unique_ptr<Session> open(const SyntheticOptions& options)
    {
        const std::string path = newPath();
        const Result<void> written = test::writeSyntheticTrace(path, options);
        if (!written.ok())
            qFatal("%s", written.error().text().c_str());
        return openFile(path);
    }
    static std::unique_ptr<Session> openFile(const std::string& path)
    {
        Result<std::unique_ptr<Session>> session = Session::open(path);
        if (!session.ok())
            qFatal("%s", session.error().text().c_str());
        return std::move(session).value();
    }
    std::string newPath() { return m_folder.filePath(QString("%1.lanes").arg(m_files++)).toStdString(); }

    QTemporaryDir m_folder;
    int m_files = 0;

private slots:
    void focusTextReadsBack()
    {
        const auto session = open({.size = 9, .tile = 3});
        const Focus focus{LaunchId{0}, {1, 2, 0}, 37, {2, 1, 0}, {}, 0};
        QCOMPARE(focusText(focus), std::string("launch=0 block=(1,2,0) step=37 thread=(2,1,0)"));
        const auto parsed = session->parseFocus(focusText(focus), {});
        QVERIFY(parsed.ok());
        QCOMPARE(parsed.value(), focus);
        Focus withCell = focus;
        withCell.buffer = BufferId{2};
        withCell.cell = 17;
        const auto cell = session->parseFocus(focusText(withCell), {});
        QVERIFY(cell.ok());
        QCOMPARE(cell.value(), withCell);
    }

    void partsLeftOutComeFromTheBase()
    {
        const auto session = open({.size = 9, .tile = 3});
        const Focus base{LaunchId{0}, {1, 2, 0}, 37, {2, 1, 0}, {}, 0};
        const auto step = session->parseFocus("step=5", base);
        QVERIFY(step.ok());
        QCOMPARE(step.value().step, StepIndex{5});
        QCOMPARE(step.value().block, base.block);
        const auto block = session->parseFocus("block=2", base);
        QVERIFY(block.ok());
        QCOMPARE(block.value().block, (Dim3{2, 0, 0}));
        QCOMPARE(session->parseFocus("", base).value(), base);
    }

    void namedAndRelativeSteps()
    {
        const auto session = open({.size = 9, .tile = 3});
        const StepIndex count = session->reader().stepCount(LaunchId{0}, BlockIndex{0}).value();
        QCOMPARE(session->parseFocus("first", {}).value().step, StepIndex{0});
        QCOMPARE(session->parseFocus("last", {}).value().step, count);
        QCOMPARE(session->parseFocus("step=last", {}).value().step, count);
        QCOMPARE(session->parseFocus("7", {}).value().step, StepIndex{7});
        QCOMPARE(session->parseFocus("50%", {}).value().step, (count + 1) / 2);
        QCOMPARE(session->parseFocus("step=50% block=1,1", {}).value().step, (count + 1) / 2);
    }

    void wrongFocusesSayWhy_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("message");
        QTest::newRow("launch") << "launch=3" << "launch 3, expected 0 to 0";
        QTest::newRow("block") << "block=3,0,0" << "focus: block (3,0,0), expected one inside (3,3,1)";
        QTest::newRow("thread") << "thread=0,3" << "focus: thread (0,3,0), expected one inside (3,3,1)";
        QTest::newRow("epoch") << "epoch=9" << "focus: epoch 9, expected at most 6";
        QTest::newRow("step") << "step=100000" << "focus: step 100000, expected at most 86";
        QTest::newRow("word")
            << "middle"
            << "focus: \"middle\", expected a step, first, last, a percentage, or launch= block= step= "
               "epoch= thread= buffer= cell=";
        QTest::newRow("key") << "warp=3"
                             << "focus: \"warp=3\", expected launch, block, step, epoch, thread, buffer or cell";
        QTest::newRow("number") << "step=x7" << "focus: \"step=x7\", expected a number, first, last or a percentage";
        QTest::newRow("percent")
            << "101%"
            << "focus: \"101%\", expected a step, first, last, a percentage, or launch= block= step= "
               "epoch= thread= buffer= cell=";
    }
    void wrongFocusesSayWhy()
    {
        QFETCH(QString, text);
        QFETCH(QString, message);
        const auto session = open({.size = 9, .tile = 3});
        const auto parsed = session->parseFocus(text.toStdString(), {});
        QVERIFY(!parsed.ok());
        QCOMPARE(QString::fromStdString(parsed.error().message), message);
    }

    void openingFocusIsTheFirstSharedLoadInTheMiddle()
    {
        const auto session = open({.size = 9, .tile = 3});
        const auto focus = session->openingFocus();
        QVERIFY(focus.ok());
        QCOMPARE(focus.value().block, (Dim3{1, 1, 0}));
        const auto cursor = session->cursor(LaunchId{0}, BlockIndex{4});
        QVERIFY(cursor.ok());
        const auto event = cursor.value()->event(focus.value().step);
        QVERIFY(event.ok());
        QCOMPARE(event.value().site, SiteId{SyntheticMatmul::AtLoadSharedA});
    }

    void shapesOfFlatBuffersAreInferred_data()
    {
        QTest::addColumn<uint32_t>("size");
        QTest::addColumn<uint32_t>("tile");
        QTest::newRow("3x3 blocks") << 9U << 3U;
        QTest::newRow("a warp is one row") << 64U << 32U;
        QTest::newRow("a warp is two rows") << 64U << 16U;
        QTest::newRow("one block") << 3U << 3U;
    }
    void shapesOfFlatBuffersAreInferred()
    {
        QFETCH(uint32_t, size);
        QFETCH(uint32_t, tile);
        const auto session = open({.size = size, .tile = tile});
        const auto buffers = session->buffersOf(LaunchId{0});
        QVERIFY(buffers.ok());
        QCOMPARE(buffers.value().size(), size_t{5});
        const std::vector<uint64_t> square{size, size};
        for (size_t i = 0; i < 3; ++i)
            QCOMPARE(buffers.value()[i].dims, square);
        const std::vector<uint64_t> shared{tile, tile};
        QCOMPARE(buffers.value()[3].dims, shared);
        QCOMPARE(session->catalog().buffers[0].dims, std::vector<uint64_t>{uint64_t{size} * size});
    }

    /// Lanes of one-dimensional blocks that use a matrix by rows, as fragments of matrix products are stored.
    void lanesTellShapes_data()
    {
        QTest::addColumn<int>("group");
        QTest::addColumn<int>("near");
        QTest::addColumn<int>("far");
        QTest::addColumn<std::vector<uint64_t>>("dims");
        QTest::newRow("fragment") << 4 << 2 << 128 << std::vector<uint64_t>{64, 128};
        QTest::newRow("rows of 16") << 16 << 1 << 64 << std::vector<uint64_t>{128, 64};
        QTest::newRow("vectors") << 8 << 4 << 256 << std::vector<uint64_t>{32, 256};
        QTest::newRow("columns") << 8 << 64 << 1 << std::vector<uint64_t>{128, 64};
        QTest::newRow("one row") << 32 << 1 << 0 << std::vector<uint64_t>{};
        QTest::newRow("every other one") << 16 << 2 << 32 << std::vector<uint64_t>{};
        QTest::newRow("the same for each group") << 4 << 1 << 0 << std::vector<uint64_t>{};
        QTest::newRow("does not fill it") << 4 << 2 << 100 << std::vector<uint64_t>{};
    }
    void lanesTellShapes()
    {
        QFETCH(int, group);
        QFETCH(int, near);
        QFETCH(int, far);
        QFETCH(std::vector<uint64_t>, dims);
        std::vector<int64_t> cells;
        for (int lane = 0; lane < kWarpSize; ++lane)
            cells.push_back(640 + lane % group * near + lane / group * far);
        QCOMPARE(dimsFromLanes(cells, 8192), dims);
        std::swap(cells[5], cells[17]);
        QCOMPARE(dimsFromLanes(cells, 8192), std::vector<uint64_t>{});
    }

    void growingTracesAreFollowed()
    {
        const std::string path = newPath();
        SyntheticOptions options{.size = 16, .tile = 8};
        auto writer = trace::TraceWriter::create(path, test::syntheticSession(), {});
        QVERIFY(writer.ok());
        SyntheticMatmul matmul(*writer.value(), options);
        matmul.declare();
        const auto session = openFile(path);
        const auto refreshUntil = [&](const std::function<bool()>& reached) {
            for (int i = 0; i < 200 && !reached(); ++i) {
                QTest::qWait(20);
                const auto news = session->refresh();
                if (!news.ok())
                    qFatal("%s", news.error().text().c_str());
            }
            return reached();
        };
        QVERIFY(session->catalog().launches.empty());
        matmul.beginLaunch(LaunchId{0});
        matmul.recordBlock(LaunchId{0}, BlockIndex{2});
        QVERIFY(refreshUntil([&] { return session->catalog().launches.size() == 1; }));
        QVERIFY(refreshUntil([&] {
            const auto complete = session->reader().blockComplete(LaunchId{0}, BlockIndex{2});
            return complete.ok() && complete.value();
        }));
        auto cursor = session->cursor(LaunchId{0}, BlockIndex{2});
        QVERIFY(cursor.ok());
        const StepIndex end = cursor.value()->stepCount();
        QVERIFY(cursor.value()->seek(end).ok());
        QVERIFY(!cursor.value()->buffer(SyntheticMatmul::kOut).isInitialised(0));
        QCOMPARE(session->refresh().value(), false);
        matmul.recordBlock(LaunchId{0}, BlockIndex{0});
        matmul.recordBlock(LaunchId{0}, BlockIndex{1});
        QVERIFY(refreshUntil([&] { return session->reader().blocks(LaunchId{0}).value().size() == 3; }));
        // The other blocks' writes appear beside this one's.
        QVERIFY(cursor.value()->buffer(SyntheticMatmul::kOut).isInitialised(0));
        QVERIFY(!session->catalog().launches[0].complete);
        QVERIFY(!session->catalog().session.finished);
        matmul.endLaunch(LaunchId{0});
        QVERIFY(writer.value()->finish(trace::ProgramEnd::exited(0), {}).ok());
        QVERIFY(refreshUntil([&] { return session->catalog().session.finished; }));
        QVERIFY(session->catalog().launches[0].complete);
        QCOMPARE(session->catalog().launches[0].blocksDropped, uint64_t{1});
    }
};

QTEST_GUILESS_MAIN(TestSession)
#include "tst_session.moc"
