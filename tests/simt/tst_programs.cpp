// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole programs in the style of courses and benchmark suites. Each checks its result on the host and says "ok" (or
// "bad 0"); here they run unoptimised and as compiled.
#include <QDir>
#include <QTest>

#include "tests/support/process.h"
#include "tests/support/sampling.h"

class ProgramsTest : public QObject {
    Q_OBJECT

private slots:
    void isRightByItsOwnCheck_data();
    void isRightByItsOwnCheck();
};

namespace {

const QString kPrograms = QStringLiteral(SOURCE_DIR "/tests/simt/programs/");

}  // namespace

void ProgramsTest::isRightByItsOwnCheck_data()
{
    QTest::addColumn<QString>("program");
    QTest::addColumn<QStringList>("options");
    for (const QString& file : QDir(kPrograms).entryList({"*.cu"})) {
        if (!lanescope::test::sampled())
            continue;
        QTest::newRow(qPrintable(file + " -O0")) << file << QStringList{};
        QTest::newRow(qPrintable(file + " as compiled")) << file << QStringList{"--as-compiled"};
    }
}

void ProgramsTest::isRightByItsOwnCheck()
{
    QFETCH(QString, program);
    QFETCH(QStringList, options);
    const auto ended = lanescope::test::runProcess(LANESCOPE_EXE, QStringList{"run", kPrograms + program} + options);
    QCOMPARE(ended.errors, QString());
    QVERIFY2(ended.output.endsWith("ok\n") || ended.output.endsWith("bad 0\n"), qPrintable(ended.output));
    QCOMPARE(ended.code, 0);
}

QTEST_GUILESS_MAIN(ProgramsTest)
#include "tst_programs.moc"
