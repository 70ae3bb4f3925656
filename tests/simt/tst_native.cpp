// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Interpreted or as machine code: programs print the same, and the same is found in them, word for word. A sample of
// the programs that other suites know; with LANESCOPE_ALL_NATIVE=1 all of them.
#include <QDir>
#include <QDirIterator>
#include <QTest>

#include "tests/support/process.h"

class NativeTest : public QObject {
    Q_OBJECT

private slots:
    void isTheSameBothWays_data();
    void isTheSameBothWays();
};

namespace {

/// Of so many programs one is taken, and those that were written for what machine code does by itself.
constexpr qsizetype kSample = 48;
const QStringList kAlways = {"early_return_before_shuffle.cu",
                             "borders.cu",
                             "parts_of_warps.cu",
                             "rows_and_columns.cu",
                             "whole_rows.cu",
                             "divergence.cu",
                             "divisions.cu",
                             "patterns.cu",
                             "rows_of_threads.cu"};

QStringList programsOf(const QString& folder)
{
    QStringList programs;
    QDirIterator files(QStringLiteral(SOURCE_DIR "/tests/") + folder, {"*.cu"}, QDir::Files,
                       QDirIterator::Subdirectories);
    while (files.hasNext())
        programs << files.next();
    programs.sort();
    return programs;
}

/// By `run`, since what is recorded, as `check` does, is interpreted.
lanescope::test::ProcessResult runBy(const QString& native, const QString& program, const QStringList& options)
{
    return lanescope::test::runProcess(LANESCOPE_EXE,
                                       QStringList{"run", "--threads", "1"} + options + QStringList{program},
                                       lanescope::test::environmentWith({{"LANESCOPE_NATIVE", native}}));
}

/// What goes on for long says so now and then.
QString withoutProgress(const QString& errors)
{
    QStringList lines = errors.split('\n');
    lines.removeIf([](const QString& line) { return line.startsWith("lanescope: launch "); });
    return lines.join('\n');
}

}  // namespace

void NativeTest::isTheSameBothWays_data()
{
    QTest::addColumn<QString>("program");
    QTest::addColumn<QStringList>("options");
    const bool takesAll = qEnvironmentVariableIntValue("LANESCOPE_ALL_NATIVE") != 0;
    const QStringList programs = programsOf("simt/cases") + programsOf("simt/programs") + programsOf("check/corpus");
    for (qsizetype i = 0; i < programs.size(); ++i) {
        if (!takesAll && i % kSample != 0 && !kAlways.contains(programs[i].section('/', -1)))
            continue;
        for (const char* options : {"-O0", "as compiled"})
            QTest::newRow(qPrintable(programs[i].section('/', -2) + ' ' + options))
                << programs[i] << (options[0] == '-' ? QStringList{} : QStringList{"--as-compiled"});
    }
}

void NativeTest::isTheSameBothWays()
{
    QFETCH(QString, program);
    QFETCH(QStringList, options);
    const auto interpreted = runBy("0", program, options);
    const auto native = runBy("always", program, options);
    QCOMPARE(native.output, interpreted.output);
    QCOMPARE(withoutProgress(native.errors), withoutProgress(interpreted.errors));
    QCOMPARE(native.code, interpreted.code);
}

QTEST_GUILESS_MAIN(NativeTest)
#include "tst_native.moc"
