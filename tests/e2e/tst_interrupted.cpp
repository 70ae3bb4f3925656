// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recordings that do not come to their end, watched and read through the command: slow, killed, ended, out of disk.
// And traces that are none.
#include <csignal>

#include <sys/resource.h>
#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QIODevice>
#include <QProcess>
#include <QTest>

#include "command.h"

using namespace lanescope::test;

namespace {

/// Few events, then an endless wait with next to none: for the clock, so that nobody can tell that it has no end, and
/// with much to do for each event, so that a trace is small however long a slow machine takes to look at it.
const char* const kEndless = "#define FOUR(x) (x) + (x) + (x) + (x)\n"
                             "__global__ void endless(int* a)\n{\n    a[threadIdx.x] = 7;\n"
                             "    while (FOUR(FOUR(FOUR(FOUR(FOUR(clock64()))))) >= 0) {\n    }\n}\n"
                             "int main()\n{\n    int* a;\n    cudaMalloc(&a, 128);\n    endless<<<1, 32>>>(a);\n"
                             "    return cudaDeviceSynchronize();\n}\n";

/// Far more than a few hundred kilobytes of events: noise, which does not pack.
const char* const kLong = "__global__ void noise(unsigned* a)\n{\n    unsigned v = threadIdx.x * 2654435761u + 1;\n"
                          "    for (int i = 0; i < 20000; ++i) {\n        v = v * 1664525u + 1013904223u;\n"
                          "        v ^= v >> 13;\n        a[threadIdx.x] = v;\n    }\n}\n"
                          "int main()\n{\n    unsigned* a;\n    cudaMalloc(&a, 4096);\n    noise<<<1, 1024>>>(a);\n"
                          "    return cudaDeviceSynchronize();\n}\n";

}  // namespace

class TestInterrupted : public QObject {
    Q_OBJECT

    Command m_command{Command::Runtime::Own};
    QString m_said;  ///< how the last look at a trace ended, for the test's report

    void start(QProcess& process, const QStringList& arguments)
    {
        process.setWorkingDirectory(m_command.path(""));
        process.setProcessEnvironment(m_command.environment);
        // A group of its own, so that a test can kill the program along with the command.
        process.setChildProcessModifier([] { setsid(); });
        process.start(QStringLiteral(LANESCOPE_COMMAND), arguments);
        QVERIFY(process.waitForStarted());
    }

    /// Whether the trace already shows the program's first steps.
    bool showsTheStores(const QString& trace)
    {
        const CommandResult state = m_command.run({"state", trace, "--at", "last", "--format", "json"});
        m_said = QString("state ends with %1, \"%2\", of %3 bytes")
                     .arg(state.code)
                     .arg(state.errors)
                     .arg(state.output.size());
        return state.code == 0 && state.output.contains("\"endless\"") && state.output.count('7') >= 32;
    }

private slots:
    void slowRecordingCanBeReadWhileItRuns()
    {
        m_command.write("endless.cu", kEndless);
        QProcess process;
        start(process, {"record", "endless.cu"});
        QTRY_VERIFY_WITH_TIMEOUT(showsTheStores("endless.lanes"), 20'000);
        QCOMPARE(process.state(), QProcess::Running);
        kill(-static_cast<pid_t>(process.processId()), SIGKILL);
        QVERIFY(process.waitForFinished());
        // The command is gone; the program, killed in the same moment, may still hold its lock while a slow disk takes
        // what it wrote.
        QTRY_VERIFY2_WITH_TIMEOUT(showsTheStores("endless.lanes"), qPrintable(m_said), 30'000);
        QVERIFY(m_command.json({"info", "endless.lanes"})["session"]["finished"] == false);
    }

    void endedRecordingKeepsWhatItHas()
    {
        m_command.write("endless.cu", kEndless);
        QProcess process;
        start(process, {"record", "endless.cu", "-o", "ended.lanes"});
        QTRY_VERIFY_WITH_TIMEOUT(showsTheStores("ended.lanes"), 20'000);
        const auto group = static_cast<pid_t>(process.processId());
        process.terminate();
        QVERIFY(process.waitForFinished(10'000));
        QVERIFY(showsTheStores("ended.lanes"));
        // The program must not outlive the command.
        QTRY_VERIFY(kill(-group, 0) != 0);
    }

    void fullDiskIsSaidAndTheTraceStaysReadable()
    {
        m_command.write("noise.cu", kLong);
        QCOMPARE(m_command.run({"run", "noise.cu"}).code, 0);  // compiled without a limit on files
        QProcess process;
        process.setWorkingDirectory(m_command.path(""));
        process.setProcessEnvironment(m_command.environment);
        process.setChildProcessModifier([] {
            std::signal(SIGXFSZ, SIG_IGN);
            const rlimit limit{1 << 20, 1 << 20};
            setrlimit(RLIMIT_FSIZE, &limit);
        });
        process.start(QStringLiteral(LANESCOPE_COMMAND), {"record", "noise.cu"});
        QVERIFY(process.waitForFinished(60'000));
        const QString errors = QString::fromUtf8(process.readAllStandardError());
        QVERIFY2(errors.startsWith("lanescope: error: ") && errors.contains("noise.lanes: "), qPrintable(errors));
        QVERIFY(process.exitCode() != 0);
        const CommandResult info = m_command.run({"info", "noise.lanes"});
        QCOMPARE(info.errors, QString());
        QCOMPARE(info.code, 0);
    }

    void fullFileSystemIsSaidAndTheTraceStaysReadable()
    {
        m_command.write("noise.cu", kLong);
        QCOMPARE(m_command.run({"run", "noise.cu"}).code, 0);  // compiled where there is room
        QDir(m_command.path("")).mkdir("small");
        const QString mount = "mount -t tmpfs -o size=1m tmpfs small";
        QProcess process;
        process.setWorkingDirectory(m_command.path(""));
        process.setProcessEnvironment(m_command.environment);
        process.start("unshare", {"-rm", "sh", "-c", mount});
        if (!process.waitForFinished() || process.exitStatus() != QProcess::NormalExit || process.exitCode() != 0)
            QSKIP("no small file system can be mounted here");
        const QString command = QStringLiteral(LANESCOPE_COMMAND);
        process.start("unshare",
                      {"-rm", "sh", "-c",
                       mount + " && " + command + " record noise.cu -o small/noise.lanes; echo recorded $?; " +
                           command + " info small/noise.lanes; echo read $?"});
        QVERIFY(process.waitForFinished(120'000));
        const QString output = QString::fromUtf8(process.readAllStandardOutput());
        const QString errors = QString::fromUtf8(process.readAllStandardError());
        QVERIFY2(errors.startsWith("lanescope: error: ") && errors.contains("noise.lanes: "), qPrintable(errors));
        QVERIFY2(!output.contains("recorded 0\n") && output.contains("recorded "), qPrintable(output));
        QVERIFY2(output.contains("unfinished") && output.endsWith("read 0\n"), qPrintable(output));
    }

    void whatIsNoTraceIsRefused_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("what");
        QFile newer(LANESCOPE_CORPUS "/newer.lanes"), whole(LANESCOPE_CORPUS "/schema-1.lanes");
        QVERIFY(newer.open(QIODevice::ReadOnly) && whole.open(QIODevice::ReadOnly));
        QTest::newRow("empty") << QByteArray() << "not a lanescope trace";
        QTest::newRow("garbage") << QByteArray(5000, 'x') << "not a lanescope trace";
        QTest::newRow("newer") << newer.readAll() << "written by a newer lanescope";
        QTest::newRow("header only") << whole.readAll().left(100) << "";
    }
    void whatIsNoTraceIsRefused()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, what);
        m_command.write("bad.lanes", {});
        QFile file(m_command.path("bad.lanes"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(bytes);
        file.close();
        for (const QStringList& arguments :
             {QStringList{"info", "bad.lanes"}, QStringList{"state", "bad.lanes", "--at", "last"},
              QStringList{"report", "bad.lanes"}, QStringList{"check", "bad.lanes"},
              QStringList{"render", "bad.lanes", "--view", "stage", "-o", "bad.png"}}) {
            const CommandResult result = m_command.run(arguments);
            QVERIFY2(result.errors.startsWith("lanescope: error: "), qPrintable(result.errors));
            QVERIFY2(result.errors.contains(what), qPrintable(result.errors));
            QCOMPARE(result.code, 2);
        }
    }
};

QTEST_GUILESS_MAIN(TestInterrupted)
#include "tst_interrupted.moc"
