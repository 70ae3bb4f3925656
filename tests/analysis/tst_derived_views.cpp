// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the views are derived from, on recorded programs: sweeps, re-scored bank layouts, footprints.
#include <QTemporaryDir>
#include <QTest>

#include <cstring>
#include <set>

#include "core/analysis/bank_layout.h"
#include "core/analysis/footprint.h"
#include "core/analysis/origin.h"
#include "core/analysis/padding.h"
#include "core/analysis/sweep.h"
#include "tests/support/process.h"

using namespace lanescope;
using namespace lanescope::analysis;

class TestDerivedViews : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::unique_ptr<replay::Session> m_scans;
    std::unique_ptr<replay::Session> m_tiles;
    std::unique_ptr<replay::Session> m_padding;

    std::unique_ptr<replay::Session> record(const QString& name)
    {
        const QString trace = m_folder.filePath(name + ".lanes");
        const QStringList arguments{"record", QString(PROGRAMS "/%1.cu").arg(name), "-o", trace};
        if (test::runProcess(LANESCOPE_EXE, arguments).code != 0)
            return nullptr;
        auto session = replay::Session::open(trace.toStdString());
        return session.ok() ? std::move(session).value() : nullptr;
    }

    Sweep sweepOf(uint32_t launch)
    {
        Result<Sweep> sweep = traceSweep(*m_scans, LaunchId{launch}, BlockIndex{0}, {});
        if (!sweep.ok())
            qFatal("%s", sweep.error().text().c_str());
        return std::move(sweep).value();
    }

    /// "row: from>to from>to …" for each row with arcs.
    static QStringList arcs(const Sweep& sweep)
    {
        QStringList rows;
        for (uint32_t row = 0; row < sweep.rows.size(); ++row) {
            QStringList pairs;
            for (const SweepArc& arc : sweep.arcs)
                if (arc.row == row)
                    pairs << QString("%1>%2").arg(arc.from).arg(arc.to);
            pairs.sort();
            rows << pairs.join(' ');
        }
        return rows;
    }

    static QString values(const SweepRow& row)
    {
        QStringList texts;
        for (const SweepCell& cell : row.cells) {
            float value = 0;
            std::memcpy(&value, cell.value.data(), sizeof value);
            texts << QString::number(double(value));
        }
        return texts.join(' ');
    }

    static BufferId bufferNamed(const std::vector<trace::Buffer>& buffers, const std::string& name)
    {
        for (const trace::Buffer& buffer : buffers)
            if (buffer.name == name)
                return buffer.id;
        return kNoBuffer;
    }

    static std::string nameOf(const std::vector<trace::Buffer>& buffers, BufferId id)
    {
        for (const trace::Buffer& buffer : buffers)
            if (buffer.id == id)
                return buffer.name;
        return {};
    }

private slots:
    void initTestCase()
    {
        m_scans = record("scans");
        m_tiles = record("tiles");
        m_padding = record("padding");
        QVERIFY(m_scans && m_tiles && m_padding);
    }

    void hillisSteeleDrawsItsDiagram()
    {
        const Sweep sweep = sweepOf(0);
        QCOMPARE(sweep.columns, uint64_t{8});
        QCOMPARE(sweep.buffers.size(), size_t{2});
        QCOMPARE(arcs(sweep), QStringList({"", "0>0 0>1 1>1 1>2 2>2 2>3 3>3 3>4 4>4 4>5 5>5 5>6 6>6 6>7 7>7",
                                           "0>0 0>2 1>1 1>3 2>2 2>4 3>3 3>5 4>4 4>6 5>5 5>7 6>6 7>7",
                                           "0>0 0>4 1>1 1>5 2>2 2>6 3>3 3>7 4>4 5>5 6>6 7>7"}));
        QCOMPARE(values(sweep.rows.back()), QString("0 1 3 6 10 15 21 28"));
        QVERIFY(!sweep.cut);
    }

    void blellochGoesUpAndDown()
    {
        const Sweep sweep = sweepOf(1);
        const QStringList rows = arcs(sweep);
        QCOMPARE(rows.mid(1, 3), QStringList({"0>1 1>1 2>3 3>3 4>5 5>5 6>7 7>7", "1>3 3>3 5>7 7>7", "3>7 7>7"}));
        // Down: the left child takes the parent's value, the right one the sum.
        QCOMPARE(rows.mid(5), QStringList({"3>7 7>3 7>7", "1>3 3>1 3>3 5>7 7>5 7>7",
                                           "0>1 1>0 1>1 2>3 3>2 3>3 4>5 5>4 5>5 6>7 7>6 7>7"}));
        QCOMPARE(values(sweep.rows.back()), QString("0 0 1 3 6 10 15 21"));
    }

    void partsOfASweepAreThoseOfItsWarpsAndSteps()
    {
        const Sweep whole = sweepOf(0);
        const auto writes = [](const Sweep& sweep) {
            int count = 0;
            for (const SweepRow& row : sweep.rows)
                for (const SweepCell& cell : row.cells)
                    count += cell.written ? 1 : 0;
            return count;
        };
        const analysis::StepsOfBlock all{LaunchId{0}, BlockIndex{0}, 0, UINT32_MAX, {0}, "all of them"};
        QCOMPARE(arcs(analysis::sweepOf(whole, all)), arcs(whole));
        QCOMPARE(writes(analysis::sweepOf(whole, all)), writes(whole));
        analysis::StepsOfBlock others = all;
        others.warps = {1};
        QCOMPARE(writes(analysis::sweepOf(whole, others)), 0);
        QVERIFY(analysis::sweepOf(whole, others).arcs.empty());
        QCOMPARE(values(analysis::sweepOf(whole, others).rows.back()), values(whole.rows.back()));
        analysis::StepsOfBlock first = all;
        first.last = whole.rows[1].step;
        QCOMPARE(writes(analysis::sweepOf(whole, first)), 8);
    }

    void treeSumNarrows()
    {
        const Sweep sweep = sweepOf(2);
        QCOMPARE(arcs(sweep), QStringList({"", "0>0 1>1 2>2 3>3 4>0 5>1 6>2 7>3", "0>0 1>1 2>0 3>1", "0>0 1>0"}));
    }

    void rowsThatDoTheSameAreFolded()
    {
        Sweep sweep;
        sweep.columns = 4;
        const auto addRow = [&](uint32_t writer, uint32_t from) {
            SweepRow row;
            row.cells.resize(4);
            row.cells[2] = {true, true, writer, {}};
            row.cells[2].value[0] = uint8_t(sweep.rows.size());  // values may differ
            sweep.rows.push_back(row);
            sweep.arcs.push_back({uint32_t(sweep.rows.size() - 1), from, 2, writer});
        };
        addRow(7, 0);
        for (int i = 0; i < 3; ++i) {
            addRow(1, 0);
            addRow(1, 3);
        }
        addRow(5, 0);
        using Folds = std::vector<SweepFold>;
        QCOMPARE(foldRows(patternsOf(sweep), {}), (Folds{{0, 0, 1, 1}, {1, 1, 2, 3}, {2, 2, 2, 3}, {7, 7, 1, 1}}));
        QCOMPARE(foldRows(patternsOf(sweep), 4), (Folds{{0, 0, 1, 1}, {3, 1, 2, 3}, {4, 2, 2, 3}, {7, 7, 1, 1}}));
        sweep.arcs[3].thread = 2;
        QCOMPARE(foldRows(patternsOf(sweep), {}).size(), size_t{8});
    }

    void aSumComesFromAllItsInputs()
    {
        const auto buffers = m_scans->buffersOf(LaunchId{2});
        const auto flow = Flow::of(*m_scans, LaunchId{2}, BlockIndex{0});
        QVERIFY(buffers.ok() && flow.ok());
        const BufferId out = bufferNamed(buffers.value(), "out");
        const BufferId in = bufferNamed(buffers.value(), "in");
        const std::vector<OriginNode> nodes = traceOrigin(flow.value(), out, 0, UINT64_MAX, 1000);
        QVERIFY(!nodes.empty());
        QCOMPARE(nodes[0].thread, uint32_t{0});
        QVERIFY(nodes[0].written && nodes[0].known);
        float sum = 0;
        std::memcpy(&sum, nodes[0].value.data(), sizeof sum);
        QCOMPARE(sum, 28.0F);
        std::set<uint64_t> inputs;
        for (const OriginNode& node : nodes)
            if (node.buffer == in && !node.written)
                inputs.insert(node.element);
        QCOMPARE(inputs, (std::set<uint64_t>{0, 1, 2, 3, 4, 5, 6, 7}));
        QCOMPARE(traceOrigin(flow.value(), out, 0, UINT64_MAX, 5).size(), size_t{5});
        QVERIFY(!traceOrigin(flow.value(), out, 0, 0, 5).front().written);
    }

    void aTileFilledAgainComesFromItsOwnElement()
    {
        const auto session = record("refill");
        QVERIFY(session);
        const auto buffers = session->buffersOf(LaunchId{0});
        const auto flow = Flow::of(*session, LaunchId{0}, BlockIndex{0});
        QVERIFY(buffers.ok() && flow.ok());
        const BufferId tile = bufferNamed(buffers.value(), "tile");
        const BufferId in = bufferNamed(buffers.value(), "in");
        const BufferId out = bufferNamed(buffers.value(), "out");
        const std::vector<OriginNode> cell = traceOrigin(flow.value(), tile, 3, UINT64_MAX, 100);
        QCOMPARE(cell.size(), size_t{2});
        QCOMPARE(cell[1].buffer, in);
        QCOMPARE(cell[1].element, uint64_t{8 + 3});
        // Through a function, its parameters and a variable, from both fillings.
        const std::vector<OriginNode> sum = traceOrigin(flow.value(), out, 0, UINT64_MAX, 100);
        std::set<uint64_t> inputs;
        for (const OriginNode& node : sum)
            if (node.buffer == in)
                inputs.insert(node.element);
        QCOMPARE(inputs, (std::set<uint64_t>{0, 1, 8, 9}));
    }

    void paddingAndSwizzlingRemoveTheConflicts()
    {
        const auto buffers = m_tiles->buffersOf(LaunchId{0});
        const auto requests = collectSharedRequests(m_tiles->reader(), LaunchId{0});
        QVERIFY(buffers.ok() && requests.ok());
        const SharedCosts now = scoreShared(requests.value(), buffers.value(), {});
        QCOMPARE(now.sites.size(), size_t{2});
        QCOMPARE(now.wavefronts, uint64_t{32 + 32 * 32});
        QCOMPARE(now.sites[1].maxDegree, uint32_t{32});
        const SharedCosts padded = scoreShared(requests.value(), buffers.value(), {1, Swizzle::None});
        QCOMPARE(padded.wavefronts, uint64_t{64});
        QCOMPARE(padded.conflicts, uint64_t{0});
        QCOMPARE(padded.extraBytes, uint64_t{128});
        QCOMPARE(scoreShared(requests.value(), buffers.value(), {0, Swizzle::XorRow}).conflicts, uint64_t{0});
        QCOMPARE(scoreShared(requests.value(), buffers.value(), {0, Swizzle::RotateRow}).conflicts, uint64_t{0});
        QCOMPARE(scoreShared(requests.value(), buffers.value(), {2, Swizzle::None}).sites[1].maxDegree, uint32_t{2});
    }

    void haloCellsBelongToTwoBlocks()
    {
        const auto buffers = m_tiles->buffersOf(LaunchId{1});
        QVERIFY(buffers.ok());
        const auto grid = launchFootprint(m_tiles->reader(), LaunchId{1}, buffers.value());
        const auto block = blockFootprint(m_tiles->reader(), LaunchId{1}, BlockIndex{0}, buffers.value());
        QVERIFY(grid.ok() && block.ok());
        const BufferUse& in = grid.value().at(bufferNamed(buffers.value(), "in"));
        for (size_t i = 0; i < 16; ++i)
            QCOMPARE(int(in.at(i).sharers), i == 8 || i == 9 ? 2 : 1);
        QCOMPARE(in.at(9).accesses, uint32_t{3});
        const BufferUse& out = grid.value().at(bufferNamed(buffers.value(), "out"));
        QCOMPARE(out.at(7).owner, uint32_t{0});
        QCOMPARE(out.at(8).owner, uint32_t{1});
        QCOMPARE(out.at(16).owner, kNobody);
        const BufferUse& mine = block.value().at(bufferNamed(buffers.value(), "out"));
        QCOMPARE(mine.at(5).owner, uint32_t{5});
        QCOMPARE(mine.at(8).owner, kNobody);
        QVERIFY(mine.at(1000) == CellUse() && mine.at(kMaxFootprintElements) == CellUse());
        QCOMPARE(mine.mostAccesses(), uint32_t{1});
        // Threads 7, 8 and 9 of block 0 would read in[9]; the last two are block 1's.
        const BufferUse& read = block.value().at(bufferNamed(buffers.value(), "in"));
        for (uint32_t thread = 0; thread < 8; ++thread)
            QCOMPARE(read.isTouchedBy(8, thread), thread >= 6);
        QVERIFY(in.isTouchedBy(9, 0) && in.isTouchedBy(9, 1) && !in.isTouchedBy(10, 0));
    }

    void paddingLiesOutsideTheArray_data()
    {
        QTest::addColumn<int>("launch");
        QTest::addColumn<int>("block");
        QTest::addColumn<QString>("expected");
        QTest::newRow("a guarded stencil reads one cell beyond each end") << 0 << 0 << "in(0,-1) in(0,8)";
        QTest::newRow("a tile inside has none") << 1 << 0 << "";
        QTest::newRow("a ragged tile's last column") << 1 << 1 << "in(0,5)=-7 in(1,5)=-7 in(2,5)=-7";
        QTest::newRow("the corner tile") << 1 << 3 << "in(3,5)=-7 in(4,5)=-7 in(5,3)=-7 in(5,4)=-7 in(5,5)=-7";
        QTest::newRow("threads that never read pad nothing") << 2 << 0 << "";
        QTest::newRow("neither does a tree sum") << 3 << 0 << "";
    }

    void paddingLiesOutsideTheArray()
    {
        QFETCH(int, launch);
        QFETCH(int, block);
        const LaunchId id(static_cast<uint32_t>(launch));
        const auto buffers = m_padding->buffersOf(id);
        QVERIFY(buffers.ok());
        const BlockIndex index(static_cast<uint64_t>(block));
        const auto flow = Flow::of(*m_padding, id, index);
        QVERIFY(flow.ok());
        const auto padding = blockPadding(m_padding->reader(), flow.value(), id, index, buffers.value());
        QVERIFY(padding.ok());
        QStringList cells;
        for (const auto& [buffer, outside] : padding.value())
            for (const PaddingCell& cell : outside) {
                QString text = QString("%1(%2,%3)")
                                   .arg(QString::fromStdString(nameOf(buffers.value(), buffer)))
                                   .arg(cell.row)
                                   .arg(cell.column);
                if (cell.known)
                    text += "=" + QString::fromStdString(replay::valueText(cell.type, cell.value.data()));
                cells << text;
            }
        cells.sort();
        QTEST(cells.join(' '), "expected");
    }
};

QTEST_GUILESS_MAIN(TestDerivedViews)
#include "tst_derived_views.moc"
