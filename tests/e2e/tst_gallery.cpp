// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every program of the gallery, at -O0 and optimised: exact output, no findings.
#include <QtTest>

#include "command.h"

using namespace lanescope::test;

class TestGallery : public QObject {
    Q_OBJECT

    static QString both(const QString& values) { return "out:      " + values + "\nexpected: " + values + "\n"; }

    static constexpr const char* kTiled =
        "3672 3744 3816 3888 3960 4032 4104 4176 4248 9504 9738 9972 10206 10440 10674 10908 11142 11376 15336 15732 "
        "16128 16524 16920 17316 17712 18108 18504 21168 21726 22284 22842 23400 23958 24516 25074 25632 27000 27720 "
        "28440 29160 29880 30600 31320 32040 32760 32832 33714 34596 35478 36360 37242 38124 39006 39888 38664 39708 "
        "40752 41796 42840 43884 44928 45972 47016 44496 45702 46908 48114 49320 50526 51732 52938 54144 50328 51696 "
        "53064 54432 55800 57168 58536 59904 61272";
    static constexpr const char* kRaggedTransposed =
        "140 364 588 812 1036 1260 1484 1708 364 1100 1836 2572 3308 4044 4780 5516 588 1836 3084 4332 5580 6828 8076 "
        "9324 812 2572 4332 6092 7852 9612 11372 13132 1036 3308 5580 7852 10124 12396 14668 16940 1260 4044 6828 "
        "9612 12396 15180 17964 20748 1484 4780 8076 11372 14668 17964 21260 24556 1708 5516 9324 13132 16940 20748 "
        "24556 28364";
    static constexpr const char* kRagged =
        "2240 2296 2352 2408 2464 2520 2576 2632 5824 6008 6192 6376 6560 6744 6928 7112 9408 9720 10032 10344 10656 "
        "10968 11280 11592 12992 13432 13872 14312 14752 15192 15632 16072 16576 17144 17712 18280 18848 19416 19984 "
        "20552 20160 20856 21552 22248 22944 23640 24336 25032 23744 24568 25392 26216 27040 27864 28688 29512 27328 "
        "28280 29232 30184 31136 32088 33040 33992";

    static void addPrograms()
    {
        QTest::addColumn<QString>("program");
        QTest::addColumn<QString>("output");
        const QString twoByTwo = "A * B\n" + both("4 6 12 22") + "A * A^T\n" + both("1 3 3 13");
        QTest::newRow("map") << "01_map.cu" << both("10 11 12 13");
        QTest::newRow("zip") << "02_zip.cu" << both("0 2 4 6");
        QTest::newRow("guard") << "03_guard.cu" << both("10 11 12 13");
        QTest::newRow("shared") << "08_shared.cu" << both("11 11 11 11 11 11 11 11");
        QTest::newRow("matmul naive") << "14_matmul_naive.cu" << twoByTwo;
        QTest::newRow("matmul shared") << "14_matmul_shared.cu" << twoByTwo;
        QTest::newRow("matmul tiled") << "14_matmul_tiled.cu" << both(kTiled);
        QTest::newRow("matmul tiled ragged")
            << "14_matmul_tiled_ragged.cu" << "A * A^T\n" + both(kRaggedTransposed) + "A * B\n" + both(kRagged);
    }

private slots:
    void givesTheExpectedOutput_data() { addPrograms(); }
    void givesTheExpectedOutput()
    {
        QFETCH(QString, program);
        QFETCH(QString, output);
        Command command;
        for (const QStringList& mode : {QStringList{}, QStringList{"--as-compiled"}}) {
            const CommandResult run = command.run(QStringList{"run"} + mode + QStringList{Command::kernel(program)});
            QCOMPARE(run.errors, QString());
            QCOMPARE(run.output, output);
            QCOMPARE(run.code, 0);
        }
    }

    void recordsAndHasNoFindings_data() { addPrograms(); }
    void recordsAndHasNoFindings()
    {
        QFETCH(QString, program);
        QFETCH(QString, output);
        Command command;
        for (const QStringList& mode : {QStringList{}, QStringList{"--as-compiled"}}) {
            const CommandResult record = command.run(QStringList{"record", "-q", "-o", "t.lanes"} + mode +
                                                     QStringList{Command::kernel(program)});
            QCOMPARE(record.errors, QString());
            QCOMPARE(record.output, output);
            QCOMPARE(record.code, 0);
            const nlohmann::json check = command.json({"check", "t.lanes"});
            QVERIFY(check["findings"].empty());
            QCOMPARE(check["programExit"].get<int>(), 0);
        }
    }

    void schedulesAgree()
    {
        Command command;
        for (const char* schedule : {"lockstep", "sequential", "reverse", "random:7"}) {
            const CommandResult run =
                command.run({"run", "--schedule", schedule, Command::kernel("14_matmul_tiled_ragged.cu")});
            QCOMPARE(run.errors, QString());
            QCOMPARE(run.code, 0);
        }
    }
};

QTEST_GUILESS_MAIN(TestGallery)
#include "tst_gallery.moc"
