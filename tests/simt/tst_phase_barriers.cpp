// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is known of an mbarrier object after operations on it.
#include "core/simt/checks/phase_barriers.h"

#include <QTest>

using namespace lanescope::simt;

namespace {

constexpr uint64_t kAddress = 0x4000'0000'0000;

/// "init 2, 5 arrives 1, expect 64, came 64, 5 waits"; a number in front is the thread, 0 without one.
PhaseBarriers after(const QString& operations)
{
    PhaseBarriers barriers;
    for (const QString& text : operations.split(", ", Qt::SkipEmptyParts)) {
        QStringList words = text.split(' ');
        bool isThread = false;
        const uint32_t thread = words[0].toUInt(&isThread);
        if (isThread)
            words.removeFirst();
        const PhaseOperation operation = words[0] == "init"     ? PhaseOperation::Init
                                         : words[0] == "drops"  ? PhaseOperation::Drop
                                         : words[0] == "expect" ? PhaseOperation::Expect
                                         : words[0] == "came"   ? PhaseOperation::Came
                                         : words[0] == "waits"  ? PhaseOperation::Wait
                                                                : PhaseOperation::Arrive;
        barriers.note(operation, kAddress, words.size() > 1 ? words[1].toUInt() : 1, isThread ? thread : 0, 7);
    }
    return barriers;
}

/// "phase 1: 1 of 2, 0 of 64 bytes"
QString described(const PhaseBarriers& barriers)
{
    const PhaseBarrier& barrier = barriers.all().at(kAddress);
    return QString("phase %1: %2 of %3, %4 of %5 bytes")
        .arg(barrier.phase)
        .arg(barrier.expected - barrier.pending)
        .arg(barrier.expected)
        .arg(barrier.bytesCame)
        .arg(barrier.bytesExpected);
}

}  // namespace

class TestPhaseBarriers : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void phases_data()
    {
        QTest::addColumn<QString>("operations");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* operations, const char* expected) {
            QTest::newRow(operations) << QString(operations) << QString(expected);
        };
        row("init 2", "phase 0: 0 of 2, 0 of 0 bytes");
        row("init 2, 5 arrives", "phase 0: 1 of 2, 0 of 0 bytes");
        row("init 2, 5 arrives, 6 arrives", "phase 1: 0 of 2, 0 of 0 bytes");
        row("init 4, arrives 3", "phase 0: 3 of 4, 0 of 0 bytes");
        row("init 1, expect 64, arrives", "phase 0: 1 of 1, 0 of 64 bytes");
        row("init 1, expect 64, arrives, came 32", "phase 0: 1 of 1, 32 of 64 bytes");
        row("init 1, expect 64, arrives, came 32, came 32", "phase 1: 0 of 1, 0 of 0 bytes");
        row("init 1, came 64, expect 64, arrives", "phase 1: 0 of 1, 0 of 0 bytes");
        row("init 1, came 64, arrives", "phase 0: 1 of 1, 64 of 0 bytes");
        row("init 2, 5 drops, 6 arrives", "phase 1: 0 of 1, 0 of 0 bytes");
        row("init 1, arrives, arrives, init 3", "phase 0: 0 of 3, 0 of 0 bytes");
    }
    void phases()
    {
        QFETCH(QString, operations);
        QFETCH(QString, expected);
        QCOMPARE(described(after(operations)), expected);
    }

    void whoArrived()
    {
        const PhaseBarriers barriers = after("init 2, 5 arrives, 6 arrives, 6 arrives");
        const PhaseBarrier& barrier = barriers.all().at(kAddress);
        QVERIFY(barrier.before[5] && barrier.before[6]);
        QVERIFY(!barrier.arrived[5] && barrier.arrived[6]);
    }

    void whoWaits()
    {
        QCOMPARE(after("init 1, 5 waits").waitOf(5).address, kAddress);
        QCOMPARE(after("init 1, 5 waits").waitOf(5).staticSite, 7U);
        QCOMPARE(after("init 1, 5 waits, 5 waits 0").waitOf(5).address, uint64_t{0});
        QCOMPARE(after("init 1").waitOf(5).address, uint64_t{0});
    }

    /// More threads than a block may have: of a damaged program.
    void threadsOutside() { QVERIFY(after("9999 waits").all().empty()); }
};

QTEST_GUILESS_MAIN(TestPhaseBarriers)
#include "tst_phase_barriers.moc"
