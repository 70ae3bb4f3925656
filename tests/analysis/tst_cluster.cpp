// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What recorded blocks of a cluster do to each other's shared memory.
#include <QTemporaryDir>
#include <QTest>

#include "core/analysis/cluster.h"
#include "core/trace/remote_shared.h"
#include "tests/support/process.h"

using namespace lanescope;
using namespace lanescope::analysis;

class TestCluster : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::unique_ptr<replay::Session> m_session;

    [[nodiscard]] Cluster clusterOf(uint64_t block) const
    {
        Result<Cluster> cluster = traceCluster(*m_session, LaunchId{0}, BlockIndex{block});
        if (!cluster.ok())
            qFatal("%s", cluster.error().text().c_str());
        return std::move(cluster).value();
    }

    /// "1 reads before[28:32] of 2,3 (epoch 2)"
    [[nodiscard]] QString text(const RemoteAccess& access) const
    {
        const char* const ways[] = {"reads", "writes", "updates", "copies", "arrives at"};
        QStringList to;
        for (const uint32_t rank : access.to)
            to << QString::number(rank);
        const QString array =
            access.array ? QString::fromStdString(m_session->catalog().buffers[access.array->value].name) : "?";
        return QString("%1 %2 %3[%4:%5] of %6, epoch %7")
            .arg(access.from)
            .arg(ways[static_cast<size_t>(access.way)], array)
            .arg(access.begin)
            .arg(access.end)
            .arg(to.join(","))
            .arg(access.epoch);
    }

private slots:
    void initTestCase()
    {
        const QString trace = m_folder.filePath("cluster.lanes");
        const test::ProcessResult recorded =
            test::runProcess(LANESCOPE_EXE, {"record", PROGRAMS "/cluster.cu", "-o", trace});
        QCOMPARE(recorded.code, 0);
        auto session = replay::Session::open(trace.toStdString());
        QVERIFY(session.ok());
        m_session = std::move(session).value();
    }

    void placesInOtherBlocksAreNamed()
    {
        const trace::RemoteShared place{15, 227 * 1024};
        QVERIFY(trace::remoteShared(trace::offsetOf(place)) == place);
        QVERIFY(!trace::remoteShared(0x200000000000));
        QVERIFY(!trace::remoteShared(trace::kRemoteShared + 64));
    }

    void blocksMeetAtTheClustersBarrier()
    {
        const Cluster cluster = clusterOf(6);
        QCOMPARE(cluster.blocks.size(), size_t(4));
        QCOMPARE(cluster.epochs(), 4u);
        for (uint32_t rank = 0; rank < 4; ++rank) {
            const ClusterBlock& block = cluster.blocks[rank];
            QCOMPARE(block.block.value, uint64_t{4} + rank);
            QVERIFY(block.isRecorded);
            QCOMPARE(block.meetings.size(), size_t(3));
            QCOMPARE(block.epochOf(block.meetings[1] - 1), 1u);
            QCOMPARE(block.epochOf(block.meetings[1]), 2u);
        }
    }

    void accessesTellWhoseMemory()
    {
        QStringList all;
        for (const RemoteAccess& access : clusterOf(0).accesses)
            all << text(access);
        all.sort();
        const QStringList expected{"0 reads before[28:32] of 1,2,3, epoch 2", "0 reads slots[0:128] of 1,2,3, epoch 2",
                                   "0 writes slots[0:128] of 1, epoch 1",     "1 arrives at barrier[0:8] of 0, epoch 1",
                                   "1 updates total[0:4] of 0, epoch 1",      "1 writes slots[0:128] of 2, epoch 1",
                                   "2 arrives at barrier[0:8] of 0, epoch 1", "2 updates total[0:4] of 0, epoch 1",
                                   "2 writes slots[0:128] of 3, epoch 1",     "3 arrives at barrier[0:8] of 0, epoch 1",
                                   "3 updates total[0:4] of 0, epoch 1",      "3 writes slots[0:128] of 0, epoch 1"};
        QVERIFY2(all == expected, qPrintable(all.join("\n")));
    }
};

QTEST_GUILESS_MAIN(TestCluster)
#include "tst_cluster.moc"
