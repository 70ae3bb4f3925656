// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractItemModelTester>
#include <QTemporaryDir>
#include <QTest>

#include "app/gui/engine/statement_map.h"
#include "app/gui/engine/step_target.h"
#include "app/gui/engine/value_format.h"
#include "app/gui/inspector/cell_story_model.h"
#include "app/gui/inspector/frames_model.h"
#include "app/gui/inspector/lanes_model.h"
#include "app/gui/inspector/variable_story_model.h"
#include "app/gui/inspector/variables_model.h"
#include "app/gui/source/syntax.h"
#include "tests/app/sample_kernels.h"

using namespace lanescope;
using namespace lanescope::gui;

class InspectorModelsTest : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    std::unique_ptr<SnapshotBuilder> m_builder;

    SnapshotPointer at(const std::string& focus)
    {
        auto parsed = m_builder->session().parseFocus(focus, {});
        LS_ASSERT(parsed.ok());
        auto built = m_builder->build(parsed.value(), {});
        LS_ASSERT(built.ok());
        return built.value();
    }

    static QString row(const QAbstractItemModel& model, int row)
    {
        QStringList cells;
        for (int column = 0; column < model.columnCount(); ++column)
            cells << model.index(row, column).data().toString();
        return cells.join("|");
    }

private slots:
    void initTestCase()
    {
        const std::string path = m_folder.filePath("t.lanes").toStdString();
        auto session =
            replay::Session::open(test::writeTrace(path, [](auto& writer) { test::writeTiledMatmul(writer, 9, 3); }));
        QVERIFY(session.ok());
        m_builder = std::make_unique<SnapshotBuilder>(std::move(session).value());
    }

    /// The same value once more: contents that were known are those of another age.
    void agesAreThoseOfTheStep()
    {
        constexpr BufferId kBuffer{0};
        const auto storesTwice = [&](trace::TraceWriter& writer) {
            std::array<trace::Site, 2> sites;
            sites[0].kind = trace::SiteKind::Store;
            sites[0].type = {trace::ScalarKind::Float, 4, 1, "float"};
            sites[1].id = SiteId{1};
            sites[1].kind = trace::SiteKind::Barrier;
            writer.addSites(sites);
            trace::Buffer buffer;
            buffer.id = kBuffer;
            buffer.element = sites[0].type;
            buffer.dims = {kWarpSize};
            buffer.bytes = sizeof(float) * kWarpSize;
            writer.putBuffer(buffer);
            trace::Launch launch;
            launch.grid = {1, 1, 1};
            launch.block = {kWarpSize, 1, 1};
            writer.beginLaunch(launch);
            writer.bufferContents(launch.id, kBuffer, std::vector<std::byte>(buffer.bytes), {});
            auto recorder = writer.beginBlock(launch.id, BlockIndex{0});
            std::array<uint32_t, kWarpSize> offsets;
            for (uint32_t lane = 0; lane < kWarpSize; ++lane)
                offsets[lane] = lane * uint32_t{sizeof(float)};
            const std::array<float, kWarpSize> values{5};
            for (int time = 0; time < 2; ++time) {
                recorder->access(sites[0].id, 0, ~LaneMask{0}, kBuffer, offsets.data(), values.data(), sizeof(float),
                                 sizeof(float));
                recorder->barrier(sites[1].id, 0, ~LaneMask{0});
            }
            writer.endBlock(std::move(recorder));
            launch.complete = true;
            writer.endLaunch(launch);
        };
        auto session =
            replay::Session::open(test::writeTrace(m_folder.filePath("ages.lanes").toStdString(), storesTwice));
        QVERIFY(session.ok());
        SnapshotBuilder builder(std::move(session).value());
        const auto shown = [&](const char* focus, bool age) {
            SnapshotOptions options;
            options.age = age;
            auto built = builder.build(builder.session().parseFocus(focus, {}).value(), options);
            LS_ASSERT(built.ok());
            return built.value()->buffers.front().state;
        };
        QVERIFY(shown("step=0", true)->writtenIn.empty());
        QCOMPARE(shown("step=1", true)->writtenIn, std::vector<uint32_t>(kWarpSize, 1));
        const auto later = shown("step=3", false);
        QCOMPARE(shown("step=3", true)->writtenIn, std::vector<uint32_t>(kWarpSize, 2));
        QCOMPARE(shown("step=1", true)->writtenIn, std::vector<uint32_t>(kWarpSize, 1));
        QVERIFY(std::ranges::equal(later->bytes, shown("step=1", false)->bytes));
    }

    void modelsKeepTheRulesWhileStepping()
    {
        VariablesModel variables;
        LanesModel lanes;
        VariableStoryModel variableStory;
        CellStoryModel cellStory;
        std::vector<std::unique_ptr<QAbstractItemModelTester>> testers;
        for (QAbstractItemModel* model :
             std::initializer_list<QAbstractItemModel*>{&variables, &lanes, &variableStory, &cellStory})
            testers.push_back(std::make_unique<QAbstractItemModelTester>(
                model, QAbstractItemModelTester::FailureReportingMode::QtTest));
        for (const char* focus : {"first", "step=10", "step=20 buffer=0 cell=5", "step=24 buffer=0 cell=5",
                                  "step=24 buffer=1 cell=5", "step=30", "last", "block=2,0 step=12", "first"}) {
            const auto snapshot = at(focus);
            variables.setSnapshot(snapshot);
            lanes.setSnapshot(snapshot);
            variableStory.setSnapshot(snapshot);
            cellStory.setSnapshot(snapshot);
        }
    }

    void variablesOfTheThread()
    {
        VariablesModel model;
        model.setSnapshot(at("block=1,1 step=6 thread=2,1"));
        QStringList rows;
        for (int i = 0; i < model.rowCount(); ++i)
            rows << row(model, i);
        // The one under the threads of the stage comes first, the others follow as declared.
        QCOMPARE(rows.mid(0, 6), QStringList({"acc|0|float", "size|9|int", "row|4|int", "col|5|int", "local_row|1|int",
                                              "local_col|2|int"}));
    }

    void variablesStandUnderTheFunctionThatTheyAreOf()
    {
        VariablesModel variables;
        FramesModel frames;
        const QAbstractItemModelTester watchesVariables(&variables);
        const QAbstractItemModelTester watchesFrames(&frames);
        const SnapshotPointer snapshot = at("block=1,1 step=6 thread=2,1");
        const std::string kernel = snapshot->launch().kernel;
        const SourceId source = snapshot->launch().where.source;
        analysis::CallStack stack;
        stack.frames = {{"helper", {{source, 3, 1}}, true},
                        {kernel, {{source, 20, 1}, {source, 20, 9}, {source, 22, 1}}, false}};
        variables.setSnapshot(snapshot, stack);
        frames.setStack(snapshot, stack);
        QCOMPARE(row(frames, 0), QStringLiteral("helper|line 3"));
        QCOMPARE(row(frames, 1), QString::fromStdString(kernel) + " (perhaps)|line 20 or 22");
        QCOMPARE(frames.placeAt(1)->line, 20U);
        QCOMPARE(row(variables, 0), QStringLiteral("helper||"));
        QCOMPARE(row(variables, 1), QString::fromStdString(kernel) + "||");
        QVERIFY(row(variables, 2).startsWith("acc|0"));
        QCOMPARE(variables.variableAt(0), std::nullopt);
        QCOMPARE(variables.rowOf(*variables.variableAt(2)), 2);
        // In the kernel itself nothing is said of functions.
        stack.frames.erase(stack.frames.begin());
        variables.setSnapshot(snapshot, stack);
        frames.setStack(snapshot, stack);
        QCOMPARE(frames.rowCount(), 0);
        QCOMPARE(row(variables, 0), QStringLiteral("acc|0|float"));
    }

    void columnsOfOneNameSayWhoseTheyAre()
    {
        const SnapshotPointer snapshot = at("block=1,1 step=6 thread=2,1");
        const auto headers = [](const SnapshotPointer& shown) {
            LanesModel model;
            model.setSnapshot(shown);
            QStringList names;
            for (int column = 0; column < model.columnCount(); ++column)
                names << model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
            return names;
        };
        QVERIFY(headers(snapshot).contains("row"));
        auto catalog = std::make_shared<trace::Catalog>(*snapshot->catalog);
        for (trace::Variable& variable : catalog->variables)
            if (variable.name == "col") {
                variable.name = "row";
                variable.function = "helper";
            }
        auto inlined = std::make_shared<Snapshot>(*snapshot);
        inlined->catalog = catalog;
        const QStringList names = headers(inlined);
        QVERIFY2(names.contains("row · helper"), qPrintable(names.join('|')));
        QVERIFY2(!names.contains("row"), qPrintable(names.join('|')));
    }

    void lanesThatDoNotExistSaySo()
    {
        LanesModel model;
        model.setSnapshot(at("block=1,1 step=10 thread=2,1"));
        QCOMPARE(model.rowCount(), 32);
        QVERIFY(row(model, 5).startsWith("5|(2,1)|4|5|1|2|"));
        QVERIFY(row(model, 5).endsWith("a[4][2], a_shared[1][2]"));
        QVERIFY(row(model, 9).startsWith("9|–|not launched"));
        QCOMPARE(model.threadAt(9), std::nullopt);
        QCOMPARE(model.threadAt(5), std::optional(Dim3{2, 1, 0}));
    }

    void aCellTellsItsStory()
    {
        auto parsed = m_builder->session().parseFocus("block=1,1 step=20", {});
        QVERIFY(parsed.ok());
        replay::Focus focus = parsed.value();
        for (const trace::Buffer& buffer : m_builder->catalog()->buffers)
            if (buffer.name == "a_shared")
                focus.buffer = buffer.id;
        focus.cell = 5;
        auto snapshot = m_builder->build(focus, {});
        QVERIFY(snapshot.ok());
        QVERIFY(snapshot.value()->cell.has_value());
        CellStoryModel model;
        model.setSnapshot(snapshot.value());
        QCOMPARE(model.title(), QString("a_shared[1][2] = 14.17"));
        QCOMPARE(model.summary(), QString("shared float, 3 × 3"));
        QStringList rows;
        for (int i = 0; i < model.rowCount(); ++i)
            rows << row(model, i);
        // Three tiles: one thread writes the cell, the three of its row read it.
        QCOMPARE(rows.size(), 3 * 4);
        QCOMPARE(rows[model.lastWriteRow()].section('|', 1, 1), QString("(2,1) writes"));
        QVERIFY(*model.stepAt(model.lastWriteRow()) <= focus.step);
        QVERIFY(*model.stepAt(model.currentRow()) <= focus.step);
        QVERIFY(*model.stepAt(model.currentRow() + 1) > focus.step);
        const auto first = snapshot.value()->cell->history;
        focus.step += 2;
        QCOMPARE(m_builder->build(focus, {}).value()->cell->history, first);  // not computed again
    }

    void shortTextsFit_data()
    {
        QTest::addColumn<double>("value");
        QTest::addColumn<int>("columns");
        QTest::addColumn<QString>("text");
        QTest::newRow("integer") << 61272.0 << 5 << "61272";
        QTest::newRow("cut to thousands") << 61272.0 << 4 << "61k";
        QTest::newRow("fraction") << 3.14159265 << 4 << "3.14";
        QTest::newRow("negative") << -0.5 << 4 << "-0.5";
        QTest::newRow("million") << 1234567.0 << 5 << "1.23M";
        QTest::newRow("tiny") << 0.000012345 << 6 << "1.2e-5";
    }
    void shortTextsFit()
    {
        QFETCH(double, value);
        QFETCH(int, columns);
        QFETCH(QString, text);
        const auto single = static_cast<float>(value);
        QCOMPARE(shortValueText({trace::ScalarKind::Float, 4, 1, "float"}, &single, columns), text);
    }

    void statementsSpanLines()
    {
        const StatementMap map(
            "int a =\n    b;\nfor (;;)\n    x[1] =\n        y[2];  // z\n#define Q\ncall(1,\n  2);\n");
        QCOMPARE(map.firstLine(2), 1U);
        QCOMPARE(map.firstLine(3), 3U);
        QCOMPARE(map.firstLine(5), 4U);
        QCOMPARE(map.lastLine(4), 5U);
        QCOMPARE(map.firstLine(6), 6U);
        QCOMPARE(map.firstLine(8), 7U);
        QCOMPARE(map.firstLine(99), 99U);
    }

    void pythonsStatementsEndWithTheirLines()
    {
        const StatementMap map(
            "def k(\n    a,  # (\n):\n    x = ')'\n    y = a[\n        1]\n    z = 1 + \\\n        2\n",
            languageOf("kernels/k.mojo"));
        QCOMPARE(map.firstLine(3), 1U);
        QCOMPARE(map.lastLine(1), 3U);
        QCOMPARE(map.firstLine(4), 4U);
        QCOMPARE(map.firstLine(6), 5U);
        QCOMPARE(map.firstLine(8), 7U);
    }

    void commentsBeginAsTheLanguageHasThem()
    {
        const QString line = QStringLiteral("for i in range(n // 2):  # half");
        const auto lastOf = [&](SourceLanguage language) {
            bool inComment = false;
            const Token token = tokensOf(line, inComment, language).back();
            return token.kind == TokenKind::Comment ? line.mid(token.start) : QString();
        };
        QCOMPARE(lastOf(SourceLanguage::Python), QStringLiteral("# half"));
        QCOMPARE(lastOf(SourceLanguage::Cuda), QStringLiteral("// 2):  # half"));
    }
};

QTEST_MAIN(InspectorModelsTest)
#include "tst_inspector_models.moc"
