// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every program of the gallery: what it prints, at -O0 and optimised, under every schedule, and what is found in it.
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <QHash>
#include <QTest>

#include "command.h"
#include "gallery_findings.h"
#include "tests/support/sampling.h"

using namespace lanescope::test;

class TestGallery : public QObject {
    Q_OBJECT

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

    /// Values that the documents give; the other programs compare with the CPU themselves.
    static QHash<QString, QString> documented()
    {
        const QString shared = "11 11 11 11 11 11 11 11";
        const QString ones = QStringList(25, "11").join(' ');
        const QString conv2d = QStringList(10, "9 9 9 9 9 9 9 9 9 9 9 9 9 9 6 3").join(' ') +
                               " 6 6 6 6 6 6 6 6 6 6 6 6 6 6 4 2 3 3 3 3 3 3 3 3 3 3 3 3 3 3 2 1";
        return {{"01_map", "10 11 12 13"},
                {"02_zip", "0 2 4 6"},
                {"03_guard", "10 11 12 13"},
                {"04_map_2d", "10 11 12 13"},
                {"04_map_2d_layout", "10 11 12 13"},
                {"05_broadcast", "0 1 1 2"},
                {"05_broadcast_layout", "0 1 1 2"},
                {"06_blocks", "10 11 12 13 14 15 16 17 18"},
                {"07_blocks_2d", ones},
                {"07_blocks_2d_layout", ones},
                {"08_shared", shared},
                {"08_shared_layout", shared},
                {"09_pooling", "0 1 3 6 9 12 15 18"},
                {"09_pooling_layout", "0 1 3 6 9 12 15 18"},
                {"10_dot_product", "140"},
                {"10_dot_product_layout", "140"},
                {"11_conv_1d_simple", "5 8 11 14 5 0"},
                {"11_conv_1d_block_boundary", "14 20 26 32 38 44 50 56 62 68 74 80 41 14 0"},
                {"11_conv_2d_halo", conv2d},
                {"12_prefix_sum_hillis_steele", "0 1 3 6 10 15 21 28"},
                {"12_prefix_sum_blelloch", "0 1 3 6 10 15 21 28"},
                {"12_prefix_sum_block_boundary", "0 1 3 6 10 15 21 28 36 45 55 66 78 91 105"},
                {"13_axis_sum_rows", "15 51 87 123"},
                {"13_axis_sum_columns", "36 40 44 48 52 56"},
                {"14_matmul_tiled", kTiled},
                {"14_matmul_tiled_async", kTiled}};
    }

    /// Values on the lines that begin with \p label.
    static QStringList values(const QString& output, const QString& label)
    {
        QStringList found;
        for (const QString& line : output.split('\n'))
            if (line.startsWith(label))
                found += line.mid(label.size()).trimmed();
        return found;
    }

    static void addPrograms(const QString& folder)
    {
        QTest::addColumn<QString>("path");
        QDirIterator programs(Command::kernel(folder), {"*.cu"}, QDir::Files);
        while (programs.hasNext()) {
            const QString path = programs.next();
            if (!lanescope::test::sampled())
                continue;
            QTest::newRow(qPrintable(QFileInfo(path).completeBaseName())) << path;
        }
    }

    QHash<QString, ExpectedFindings> m_expected;

    /// Exactly the findings of gallery_findings.txt, advice included.
    void compareFindings(const QString& program, const nlohmann::json& check) const
    {
        const ExpectedFindings expected = m_expected.value(program);
        const QStringList found = findingLines(check);
        if (expected.pending) {
            QVERIFY2(found != expected.lines, "passes: take `pending` out of gallery_findings.txt");
            QEXPECT_FAIL("", "pending", Continue);
        }
        QCOMPARE(found.join('\n'), expected.lines.join('\n'));
    }

private slots:
    void initTestCase() { m_expected = readExpectedFindings(LANESCOPE_GALLERY_FINDINGS); }

    void expectationsNamePrograms()
    {
        for (const QString& program : m_expected.keys())
            QVERIFY2(QFile::exists(Command::kernel(program + ".cu")), qPrintable(program));
    }

    void givesTheRightResult_data() { addPrograms(""); }
    void givesTheRightResult()
    {
        QFETCH(QString, path);
        const QString name = QFileInfo(path).completeBaseName();
        Command command;
        // At -O0 in lockstep it is recorded below.
        for (const QStringList& mode : {QStringList{"--as-compiled"}, QStringList{"--schedule", "sequential"},
                                        QStringList{"--schedule", "reverse"}, QStringList{"--schedule", "random:7"}}) {
            const CommandResult run = command.run(QStringList{"run"} + mode + QStringList{path});
            QCOMPARE(run.errors, QString());
            QCOMPARE(run.code, 0);
            const QStringList out = values(run.output, "out:");
            QVERIFY(!out.isEmpty());
            QCOMPARE(out, values(run.output, "expected:"));
            if (documented().contains(name))
                QCOMPARE(out, QStringList{documented().value(name)});
        }
    }

    void raggedMatmulGivesBothProducts()
    {
        Command command;
        const CommandResult run = command.run({"run", Command::kernel("14_matmul_tiled_ragged.cu")});
        QCOMPARE(values(run.output, "out:"), (QStringList{kRaggedTransposed, kRagged}));
    }

    void takesItsSizeFromTheCommandLine_data()
    {
        QTest::addColumn<QString>("program");
        QTest::addColumn<QStringList>("arguments");
        QTest::newRow("map") << "01_map.cu" << QStringList{"100"};
        QTest::newRow("blocks") << "06_blocks.cu" << QStringList{"1000"};
        QTest::newRow("blocks 2d") << "07_blocks_2d.cu" << QStringList{"32"};
        QTest::newRow("conv 1d") << "11_conv_1d_block_boundary.cu" << QStringList{"1001"};
        QTest::newRow("conv 2d") << "11_conv_2d_halo.cu" << QStringList{"21", "35"};
        QTest::newRow("axis sum") << "13_axis_sum_columns.cu" << QStringList{"10", "77"};
        QTest::newRow("matmul") << "14_matmul_tiled.cu" << QStringList{"33"};
        QTest::newRow("matmul async") << "14_matmul_tiled_async.cu" << QStringList{"12"};
        QTest::newRow("gemm mma") << "16_gemm_mma.cu" << QStringList{"96"};
        QTest::newRow("matmul 32") << "14_matmul_tiled_32.cu" << QStringList{"96"};
        QTest::newRow("transpose") << "17_transpose_swizzled.cu" << QStringList{"96"};
        QTest::newRow("stencil") << "22_stencil_3d.cu" << QStringList{"21"};
        QTest::newRow("cluster") << "23_cluster_reduction.cu" << QStringList{"1000"};
        QTest::newRow("ring") << "24_matmul_ring.cu" << QStringList{"32"};
        QTest::newRow("roles") << "25_producer_consumers.cu" << QStringList{"1"};
        QTest::newRow("wgmma") << "26_gemm_wgmma.cu" << QStringList{"64", "128", "64"};
        QTest::newRow("attention") << "27_flash_attention.cu" << QStringList{"192"};
        QTest::newRow("stream-k") << "28_gemm_stream_k.cu" << QStringList{"64", "7"};
    }
    void takesItsSizeFromTheCommandLine()
    {
        QFETCH(QString, program);
        QFETCH(QStringList, arguments);
        Command command;
        const CommandResult run = command.run(QStringList{"run", Command::kernel(program), "--"} + arguments);
        QCOMPARE(run.errors, QString());
        QCOMPARE(run.code, 0);
    }

    void recordsAndHasTheExpectedFindings_data() { addPrograms(""); }
    void recordsAndHasTheExpectedFindings()
    {
        QFETCH(QString, path);
        Command command;
        const CommandResult record = command.run({"record", "-q", "-o", "t.lanes", path});
        QCOMPARE(record.errors, QString());
        QCOMPARE(record.code, 0);
        QCOMPARE(values(record.output, "out:"), values(record.output, "expected:"));
        const nlohmann::json check = command.json({"check", "t.lanes"});
        compareFindings(QFileInfo(path).completeBaseName(), check);
        QCOMPARE(check["programExit"].get<int>(), 0);
    }

    void publishedMistakesAreFound_data() { addPrograms("as_published"); }
    void publishedMistakesAreFound()
    {
        QFETCH(QString, path);
        Command command;
        compareFindings("as_published/" + QFileInfo(path).completeBaseName(), command.json({"check", path}));
    }

    void publishedMistakesStillRun_data() { addPrograms("as_published"); }
    void publishedMistakesStillRun()
    {
        QFETCH(QString, path);
        Command command;
        const CommandResult run = command.run({"run", "--no-checks", path});
        QVERIFY2(run.code == 0 || run.code == 1, qPrintable(run.errors));
        QCOMPARE(values(run.output, "out:").size(), qsizetype(1));
        QCOMPARE(values(run.output, "out:") == values(run.output, "expected:"), run.code == 0);
    }
};

QTEST_GUILESS_MAIN(TestGallery)
#include "tst_gallery.moc"
