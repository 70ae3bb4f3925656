// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is left of a trace when the writing process is killed or its disk is full.
#include <csignal>
#include <filesystem>
#include <fstream>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QFile>
#include <QIODevice>
#include <QTemporaryDir>
#include <QTest>

#include "core/trace/reader.h"
#include "tests/support/synthetic_trace.h"

using namespace lanescope;
using namespace lanescope::trace;
using lanescope::test::SyntheticMatmul;
using lanescope::test::SyntheticOptions;

namespace {

constexpr SyntheticOptions kOptions{.size = 256, .tile = 16};

/// In a child process: records for ever, until somebody ends it.
[[noreturn]] void recordForEver(const std::string& path)
{
    auto writer = TraceWriter::create(path, test::syntheticSession(), {});
    if (!writer.ok())
        _exit(1);
    SyntheticMatmul matmul(*writer.value(), kOptions);
    matmul.declare();
    for (uint32_t launch = 0;; ++launch) {
        matmul.beginLaunch(LaunchId{launch});
        for (uint64_t block = 0; block < 256; ++block)
            matmul.recordBlock(LaunchId{launch}, BlockIndex{block});
        matmul.endLaunch(LaunchId{launch});
    }
}

/// Reads everything; the number of events.
uint64_t readAll(TraceReader& reader)
{
    uint64_t events = 0;
    for (const Launch& launch : reader.catalog().launches) {
        const auto blocks = reader.blocks(launch.id);
        if (!blocks.ok())
            qFatal("%s", blocks.error().text().c_str());
        for (const BlockIndex block : blocks.value()) {
            const Result<void> done =
                reader.visit(launch.id, block, 0, UINT64_MAX, Detail::Everything, [&](StepIndex, const Event&) {
                    ++events;
                    return true;
                });
            if (!done.ok())
                qFatal("%s", done.error().text().c_str());
        }
    }
    return events;
}

/// Whether SQLite still has to undo what \p journal says. One whose header was never written, because the kill came
/// first, is left where it is: it begins with a zero and says nothing.
bool isToBeRolledBack(const std::string& journal)
{
    QFile file(QString::fromStdString(journal));
    char first = 0;
    return file.open(QIODevice::ReadOnly) && file.getChar(&first) && first != 0;
}

}  // namespace

class TestTraceCrash : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

private slots:
    void completedChunksSurviveKill_data()
    {
        QTest::addColumn<int>("milliseconds");
        for (const int ms : {130, 250, 251, 303, 397, 450})
            QTest::addRow("%d ms", ms) << ms;
    }
    void completedChunksSurviveKill()
    {
        QFETCH(int, milliseconds);
        const std::string path = m_folder.filePath(QString("kill%1.lanes").arg(milliseconds)).toStdString();
        const pid_t child = fork();
        QVERIFY(child >= 0);
        if (child == 0)
            recordForEver(path);
        // Only once the first blocks are there does the kill hit a trace under way, whatever the machine's load.
        for (int i = 0; i < 1000 && (!std::filesystem::exists(path) || std::filesystem::file_size(path) < 200000); ++i)
            usleep(10000);
        usleep(static_cast<useconds_t>(milliseconds - 100) * 1000);
        QCOMPARE(kill(child, SIGKILL), 0);
        QCOMPARE(waitpid(child, nullptr, 0), child);
        const auto reader = TraceReader::open(path);
        QVERIFY2(reader.ok(), reader.ok() ? "" : reader.error().text().c_str());
        QVERIFY(!reader.value()->catalog().session.finished);
        QVERIFY(!reader.value()->catalog().launches.empty());
        QVERIFY(readAll(*reader.value()) > 10000);
        QVERIFY(!isToBeRolledBack(path + "-journal"));
    }

    void blocksThatEndedAreWhole()
    {
        const std::string path = m_folder.filePath("ended.lanes").toStdString();
        int ready[2];
        QCOMPARE(pipe(ready), 0);
        const pid_t child = fork();
        if (child == 0) {
            auto writer = TraceWriter::create(path, test::syntheticSession(), {});
            SyntheticMatmul matmul(*writer.value(), kOptions);
            matmul.declare();
            matmul.beginLaunch(LaunchId{0});
            for (uint64_t block = 0; block < 20; ++block)
                matmul.recordBlock(LaunchId{0}, BlockIndex{block});
            usleep(400000);  // several commit intervals
            static_cast<void>(!write(ready[1], "x", 1));
            pause();
            _exit(0);
        }
        char byte = 0;
        QCOMPARE(read(ready[0], &byte, 1), ssize_t{1});
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
        const auto reader = TraceReader::open(path);
        QVERIFY(reader.ok());
        const auto blocks = reader.value()->blocks(LaunchId{0});
        QVERIFY(blocks.ok());
        QCOMPARE(blocks.value().size(), size_t{20});
        for (const BlockIndex block : blocks.value()) {
            QVERIFY(reader.value()->blockComplete(LaunchId{0}, block).value());
            QCOMPARE(reader.value()->stepCount(LaunchId{0}, block).value(), StepIndex{11608});
        }
        QVERIFY(!reader.value()->catalog().launches[0].complete);
        QCOMPARE(reader.value()->catalog().launches[0].blocksRecorded, uint64_t{20});
    }

    void aFullDiskIsReportedAndTheFileStaysReadable()
    {
        const std::string path = m_folder.filePath("full.lanes").toStdString();
        const pid_t child = fork();
        QVERIFY(child >= 0);
        if (child == 0) {
            signal(SIGXFSZ, SIG_IGN);
            const rlimit limit{4 << 20, 4 << 20};
            setrlimit(RLIMIT_FSIZE, &limit);
            auto writer = TraceWriter::create(path, test::syntheticSession(), {});
            if (!writer.ok())
                _exit(10);
            SyntheticMatmul matmul(*writer.value(), kOptions);
            matmul.declare();
            for (uint32_t launch = 0; launch < 40 && !writer.value()->failure(); ++launch) {
                matmul.beginLaunch(LaunchId{launch});
                for (uint64_t block = 0; block < 256; ++block) {
                    matmul.recordBlock(LaunchId{launch}, BlockIndex{block});
                    if (launch == 0 && block < 16)
                        usleep(15000);  // so that several commits fit below the limit
                }
                matmul.endLaunch(LaunchId{launch});
            }
            if (!writer.value()->failure())
                _exit(11);
            matmul.beginLaunch(LaunchId{99});  // ignored
            _exit(writer.value()->finish(ProgramEnd::exited(0), {}).ok() ? 12 : 0);
        }
        int status = 0;
        QCOMPARE(waitpid(child, &status, 0), child);
        QVERIFY(WIFEXITED(status));
        QCOMPARE(WEXITSTATUS(status), 0);
        const auto reader = TraceReader::open(path);
        QVERIFY2(reader.ok(), reader.ok() ? "" : reader.error().text().c_str());
        QVERIFY(!reader.value()->catalog().session.finished);
        QVERIFY(readAll(*reader.value()) > 0);
    }

    void anUnwritableFolderIsAnErrorAtOnce()
    {
        const auto writer = TraceWriter::create("/proc/no/such/folder/t.lanes", {}, {});
        QVERIFY(!writer.ok());
        QCOMPARE(writer.error().where, std::string("/proc/no/such/folder/t.lanes"));
    }

    void anOldFileIsReplaced()
    {
        const std::string path = m_folder.filePath("old.lanes").toStdString();
        std::ofstream(path) << "something else";
        QVERIFY(test::writeSyntheticTrace(path).ok());
        QVERIFY(TraceReader::open(path).ok());
    }
};

QTEST_GUILESS_MAIN(TestTraceCrash)
#include "tst_trace_crash.moc"
