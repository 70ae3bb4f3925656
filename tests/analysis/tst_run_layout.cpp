// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layouts of shared arrays, as runs of the gallery's programs show them, and what they are called.
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

#include "core/analysis/run_layout.h"
#include "tests/support/process.h"

using namespace lanescope;
using namespace lanescope::analysis;

class TestRunLayout : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    QString record(const QString& program)
    {
        const QString trace = m_folder.filePath(program + ".lanes");
        if (!QFile::exists(trace))
            test::runProcess(LANESCOPE_EXE, {"record", QString(KERNELS "/%1.cu").arg(program), "-o", trace});
        return trace;
    }

    /// [row][col] of a rule.
    template <typename Rule>
    static std::vector<int64_t> tile(uint32_t rows, uint32_t cols, Rule rule)
    {
        std::vector<int64_t> offsets;
        for (uint32_t row = 0; row < rows; ++row)
            for (uint32_t col = 0; col < cols; ++col)
                offsets.push_back(rule(int64_t{row}, int64_t{col}));
        return offsets;
    }

private slots:
    void stridesAreFactored_data()
    {
        QTest::addColumn<std::vector<int64_t>>("values");
        QTest::addColumn<QString>("expected");
        QTest::newRow("even") << std::vector<int64_t>{0, 1, 2, 3} << "4:1";
        QTest::newRow("all the same") << std::vector<int64_t>{0, 0, 0, 0} << "4:0";
        QTest::newRow("two strides") << std::vector<int64_t>{0, 2, 64, 66, 128, 130, 192, 194} << "(2,4):(2,64)";
        QTest::newRow("backwards") << std::vector<int64_t>{0, -1, -2} << "3:-1";
        QTest::newRow("three strides") << std::vector<int64_t>{0, 1, 8, 9, 4, 5, 12, 13} << "(2,2,2):(1,8,4)";
        QTest::newRow("irregular") << std::vector<int64_t>{0, 1, 3, 8} << "";
        QTest::newRow("not from zero") << std::vector<int64_t>{1, 2} << "";
    }
    void stridesAreFactored()
    {
        QFETCH(std::vector<int64_t>, values);
        const std::optional<IndexStrides> found = stridesOf(values);
        QTEST(QString::fromStdString(found ? found->text() : ""), "expected");
    }

    void layoutsAreNamed_data()
    {
        QTest::addColumn<std::vector<int64_t>>("offsets");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* name, auto rule, const char* expected) {
            QTest::newRow(name) << tile(8, 8, rule) << expected;
        };
        row("row-major", [](int64_t r, int64_t c) { return r * 8 + c; }, "row-major (8,8):(8,1)");
        row("padded", [](int64_t r, int64_t c) { return r * 9 + c; }, "row-major, rows padded by 1 (8,8):(9,1)");
        row("column-major", [](int64_t r, int64_t c) { return c * 8 + r; }, "column-major (8,8):(1,8)");
        row(
            "tiled", [](int64_t r, int64_t c) { return r / 4 * 32 + r % 4 * 4 + c / 4 * 16 + c % 4; },
            "tiled ((4,2),(4,2)):((4,32),(1,16))");
        row(
            "swizzled", [](int64_t r, int64_t c) { return r * 8 + (c ^ r); },
            "Swizzle<3,0,3> over row-major (8,8):(8,1)");
        row("rotated", [](int64_t r, int64_t c) { return r * 8 + (c + r) % 8; }, "");
        row(
            "of unknown ends", [](int64_t r, int64_t c) { return c == 7 && r > 0 ? -1 : r * 8 + c; },
            "row-major (8,8):(8,1)");
    }
    void layoutsAreNamed()
    {
        QFETCH(std::vector<int64_t>, offsets);
        const std::optional<FoundLayout> found = layoutOf(offsets, 8, 8);
        QTEST(QString::fromStdString(found ? found->name() + " " + found->text() : ""), "expected");
    }

    void programsShowTheirs_data()
    {
        QTest::addColumn<QString>("program");
        QTest::addColumn<QString>("buffer");
        QTest::addColumn<QString>("expected");
        QTest::newRow("plain") << "17_transpose_shared" << "tile" << "row-major (32,32):(32,1)";
        QTest::newRow("padded") << "17_transpose_padded" << "tile" << "row-major, rows padded by 1 (32,32):(33,1)";
        QTest::newRow("swizzled") << "17_transpose_swizzled" << "tile"
                                  << "Swizzle<5,0,5> over row-major (32,32):(32,1)";
        QTest::newRow("tensor copy") << "24_matmul_ring" << "a_shared" << "row-major (16,16):(16,1)";
        QTest::newRow("by 128 bytes") << "26_gemm_wgmma" << "ring.a" << "Swizzle<3,3,3> over row-major (64,64):(64,1)";
    }
    void programsShowTheirs()
    {
        QFETCH(QString, program);
        QFETCH(QString, buffer);
        const auto shown =
            test::runProcess(LANESCOPE_EXE, {"layout", "--of", buffer, record(program), "--format", "json"});
        QCOMPARE(shown.code, 0);
        const QJsonObject json = QJsonDocument::fromJson(shown.output.toUtf8()).object();
        QCOMPARE(json["schema"].toInt(), 1);
        QTEST(json["name"].toString() + " " + json["layout"].toString(), "expected");
        QVERIFY(!json["accesses"].toArray().isEmpty());
        QCOMPARE(json["offsets"].toArray().size(), json["rows"].toInt());
    }

    void conflictsStandBesideTheAccess()
    {
        const auto shown = test::runProcess(
            LANESCOPE_EXE, {"layout", "--of", "tile", record("17_transpose_shared"), "--format", "json"});
        const QJsonArray accesses = QJsonDocument::fromJson(shown.output.toUtf8()).object()["accesses"].toArray();
        QCOMPARE(accesses.size(), 2);
        QCOMPARE(accesses[0].toObject()["layout"].toString(), "32:1");
        QCOMPARE(accesses[0].toObject()["wavefronts"].toInt(), 1);
        QCOMPARE(accesses[1].toObject()["layout"].toString(), "32:32");
        QCOMPARE(accesses[1].toObject()["wavefronts"].toInt(), 32);
    }

    void typedLayoutsAreCompared()
    {
        const QString trace = record("17_transpose_padded");
        const auto same = test::runProcess(LANESCOPE_EXE, {"layout", "(32,32):(33,1)", "--of", "tile", trace});
        QCOMPARE(same.code, 0);
        QVERIFY(same.output.contains("0 of 1024 elements lie elsewhere"));
        const auto other = test::runProcess(LANESCOPE_EXE, {"layout", "row_major(32,32)", "--of", "tile", trace});
        QCOMPARE(other.code, 1);
        QVERIFY(other.output.contains("the first at row 1, column 0: typed 32"));
        const auto wrong = test::runProcess(LANESCOPE_EXE, {"layout", "row_major(8,8)", "--of", "tile", trace});
        QCOMPARE(wrong.code, 2);
        QVERIFY2(wrong.errors.contains("layout of 8 x 8 elements, expected 32 x 32"), qPrintable(wrong.errors));
    }

    void unknownArraysAreNamedSo()
    {
        const auto none = test::runProcess(LANESCOPE_EXE, {"layout", "--of", "nix", record("17_transpose_padded")});
        QCOMPARE(none.code, 2);
        QVERIFY2(none.errors.contains("no buffer nix, expected one of a, out, tile"), qPrintable(none.errors));
    }
};

QTEST_GUILESS_MAIN(TestRunLayout)
#include "tst_run_layout.moc"
