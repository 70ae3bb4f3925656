// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Interpreted or as machine code: programs print the same, and the same is found in them, word for word. A sample of
// the programs that other suites know; with LANESCOPE_ALL_NATIVE=1 all of them. What is recorded are the same events.
#include <algorithm>
#include <bit>
#include <map>

#include <QDateTime>
#include <QDir>
#include <QDirIterator>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include "core/trace/reader.h"
#include "tests/support/process.h"

using namespace lanescope;

class NativeTest : public QObject {
    Q_OBJECT

private slots:
    void isTheSameBothWays_data();
    void isTheSameBothWays();
    void recordsTheSameBothWays_data();
    void recordsTheSameBothWays();
    void leavesOthersMemoryAlone();
    void codeIsKeptForTheNextRun_data();
    void codeIsKeptForTheNextRun();
    void nothingIsDestroyedWhileSomebodyCompiles();
};

namespace {

/// Of so many programs one is taken, and those that were written for what machine code does by itself.
constexpr qsizetype kSample = 48;
const QStringList kAlways = {"early_return_before_shuffle.cu",
                             "borders.cu",
                             "foreseen.cu",
                             "foreseen_ends.cu",
                             "partly_set.cu",
                             "parts_of_warps.cu",
                             "rows_and_columns.cu",
                             "whole_rows.cu",
                             "divergence.cu",
                             "divisions.cu",
                             "patterns.cu",
                             "rows_of_threads.cu",
                             "shflscan.cu",
                             "strides.cu",
                             "single_members.cu"};

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

test::ProcessResult runBy(const QString& native, const QString& program, const QStringList& options)
{
    return test::runProcess(LANESCOPE_EXE, QStringList{"run", "--threads", "1"} + options + QStringList{program},
                            test::environmentWith({{"LANESCOPE_NATIVE", native}}));
}

/// What goes on for long says so now and then.
QString withoutProgress(const QString& errors)
{
    QStringList lines = errors.split('\n');
    lines.removeIf([](const QString& line) { return line.startsWith("lanescope: launch "); });
    return lines.join('\n');
}

class EventHash {
public:
    void add(uint64_t number)
    {
        m_hash = (m_hash ^ number) * 0x9e3779b97f4a7c15ULL;
        m_hash ^= m_hash >> 29;
    }
    void add(const trace::Event& event)
    {
        for (const uint64_t number : {uint64_t{event.site.value}, uint64_t{event.warp}, uint64_t{event.mask},
                                      uint64_t{event.taken}, uint64_t{event.valueBytes}})
            add(number);
        for (LaneMask rest = event.mask; rest != 0; rest &= rest - 1) {
            const int lane = std::countr_zero(rest);
            const auto at = static_cast<size_t>(lane);
            if (event.isAccess()) {
                add(event.bufferOf(lane).value);
                add(event.offset[at]);
            }
            for (size_t i = 0; i < event.valueBytes && event.valuesKnown; ++i)
                add(event.value[at][i]);
        }
    }
    [[nodiscard]] uint64_t value() const { return m_hash; }

private:
    uint64_t m_hash = 0;
};

/// What the trace of a run has, by launch and block; nothing where machine code could not be made.
std::map<std::pair<uint32_t, uint64_t>, uint64_t> recordedBy(const QString& native, const QString& program,
                                                             const QStringList& options)
{
    const QTemporaryDir folder;
    const QString file = folder.filePath("run.lanes");
    const auto run = test::runProcess(
        LANESCOPE_EXE, QStringList{"record", "-q", "--threads", "1", "-o", file} + options + QStringList{program},
        test::environmentWith({{"LANESCOPE_NATIVE", native}}));
    std::map<std::pair<uint32_t, uint64_t>, uint64_t> hashes;
    if (run.errors.contains("kernels are interpreted")) {
        qWarning("%s", qPrintable(run.errors));
        return hashes;
    }
    const auto reader = trace::TraceReader::open(file.toStdString());
    if (!reader.ok())
        return hashes;
    for (const trace::Launch& launch : reader.value()->catalog().launches) {
        const auto blocks = reader.value()->blocks(launch.id);
        if (!blocks.ok())
            continue;
        for (const BlockIndex block : blocks.value()) {
            EventHash hash;
            const auto visited = reader.value()->visit(launch.id, block, 0, UINT64_MAX, trace::Detail::Everything,
                                                       [&](StepIndex, const trace::Event& event) {
                                                           hash.add(event);
                                                           return true;
                                                       });
            hashes[{launch.id.value, block.value}] = visited.ok() ? hash.value() : 0;
        }
    }
    return hashes;
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
    for (const char* program : {"blocks.cu", "divergence.cu"})
        for (const char* schedule : {"sequential", "random:7"})
            QTest::newRow(qPrintable(QString(program) + ' ' + schedule))
                << SOURCE_DIR "/tests/simt/cases/" + QString(program) << QStringList{"--schedule", schedule};
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

void NativeTest::recordsTheSameBothWays_data()
{
    QTest::addColumn<QString>("program");
    QTest::addColumn<QStringList>("options");
    const bool takesAll = qEnvironmentVariableIntValue("LANESCOPE_ALL_NATIVE") != 0;
    QStringList programs = programsOf("simt/cases") + programsOf("simt/programs") + programsOf("check/corpus");
    if (!takesAll)
        programs.removeIf([](const QString& program) { return !kAlways.contains(program.section('/', -1)); });
    // Of a sample one program at -O0 and the next as compiled: to make the code is what takes long.
    for (qsizetype i = 0; i < programs.size(); ++i)
        for (const bool asCompiled : {false, true})
            if (takesAll || asCompiled == (i % 2 == 0))
                QTest::newRow(qPrintable(programs[i].section('/', -2) + (asCompiled ? " as compiled" : " -O0")))
                    << programs[i] << (asCompiled ? QStringList{"--as-compiled"} : QStringList{});
}

void NativeTest::recordsTheSameBothWays()
{
    QFETCH(QString, program);
    QFETCH(QStringList, options);
    const auto interpreted = recordedBy("0", program, options);
    const auto native = recordedBy("always", program, options);
    QVERIFY(!interpreted.empty());
    QVERIFY(native == interpreted);
}

/// Undefined values are seen in it, and what tracks them moves what machine code has in its hands.
void NativeTest::leavesOthersMemoryAlone()
{
    if (LANESCOPE_IS_SANITIZED)
        QSKIP("a sanitizer has allocations of its own");
    const test::ProcessResult result =
        test::runProcess(LANESCOPE_EXE, {"run", "--threads", "1", SOURCE_DIR "/tests/simt/cases/partly_set.cu"},
                         test::environmentWith({{"LANESCOPE_NATIVE", "always"}, {"LD_PRELOAD", GUARDED_MEMORY}}));
    QCOMPARE(result.errors, "");
    QCOMPARE(result.code, 0);
    QCOMPARE(result.output, "6 5 no error\n");
}

void NativeTest::codeIsKeptForTheNextRun_data()
{
    QTest::addColumn<QString>("program");
    QTest::addColumn<QStringList>("options");
    // Small ones: of blocks that are foreseen, and of warps that lack lanes and exchange values.
    for (const char* path : {"/kernels/02_zip.cu", "/tests/simt/programs/shflscan.cu"})
        for (const QStringList& options : {QStringList{}, QStringList{"--as-compiled"}})
            QTest::addRow("%s %s", path, qPrintable(options.join(' '))) << SOURCE_DIR + QString(path) << options;
}

/// Code that was kept does what code does that has just been made, and what is damaged is made again.
void NativeTest::codeIsKeptForTheNextRun()
{
    QFETCH(QString, program);
    QFETCH(QStringList, options);
    const QTemporaryDir folder;
    const QString built = folder.filePath("program"), trace = folder.filePath("run.lanes");
    const test::ProcessResult build =
        test::runProcess(LANESCOPE_EXE, QStringList{"build"} + options + QStringList{program, "-o", built});
    QVERIFY2(build.code == 0, qPrintable(build.errors));
    const auto run = [&](const QString& native, const QString& writesTo) {
        return test::runProcess(
            built, {},
            test::environmentWith(
                {{"LANESCOPE_NATIVE", native}, {"LANESCOPE_TRACE", writesTo}, {"XDG_CACHE_HOME", folder.path()}}));
    };
    const auto files = [&] { return QDir(folder.filePath("lanescope/native")).entryInfoList(QDir::Files, QDir::Name); };
    const test::ProcessResult interpreted = run("0", {});
    QCOMPARE(files().size(), 0);
    const QDateTime longAgo(QDate(2020, 2, 20), QTime(20, 20));
    for (const QString& writesTo : {QString(), trace}) {
        const test::ProcessResult first = run("always", writesTo);
        QCOMPARE(first.output, interpreted.output);
        const auto kept = files();
        QVERIFY(!kept.isEmpty());
        for (const QFileInfo& info : kept) {
            QFile file(info.filePath());
            QVERIFY(file.open(QIODevice::ReadWrite) && file.setFileTime(longAgo, QFileDevice::FileModificationTime));
        }
        QCOMPARE(run("always", writesTo).output, interpreted.output);
        QCOMPARE(files().size(), kept.size());
        QVERIFY(std::ranges::any_of(files(), [&](const QFileInfo& file) { return file.lastModified() > longAgo; }));
        int number = 0;
        for (const QFileInfo& info : kept) {
            QFile file(info.filePath());
            QVERIFY(file.open(QIODevice::ReadWrite));
            if (number % 3 == 0)
                file.resize(info.size() / 2);
            else if (number % 3 == 1)
                file.resize(0);
            else
                file.write("nothing");
            ++number;
        }
        QCOMPARE(run("always", writesTo).output, interpreted.output);
        const auto again = files();
        QCOMPARE(again.size(), kept.size());
        QVERIFY(std::ranges::any_of(again, [&](const QFileInfo& file) { return file.size() > 64; }));
        QCOMPARE(run("always", writesTo).output, interpreted.output);
    }
}

/// LLVM's own objects are there until the process has ended: it may end while code is made.
void NativeTest::nothingIsDestroyedWhileSomebodyCompiles()
{
    const QString library = QFileInfo(LANESCOPE_EXE).dir().filePath("../lib/liblanescope_native.so");
    if (!QFile::exists(library))
        QSKIP("no machine code is made here");
    const test::ProcessResult names = test::runProcess("nm", {"--dynamic", "--undefined-only", library});
    QCOMPARE(names.code, 0);
    QVERIFY(names.output.contains("malloc"));
    QVERIFY2(!names.output.contains("__cxa_atexit"), "destructors of static objects run at the process' end");
}

QTEST_GUILESS_MAIN(NativeTest)
#include "tst_native.moc"
