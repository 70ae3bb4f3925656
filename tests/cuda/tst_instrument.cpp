// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs with code for a GPU: they are built here, run with the simulator here, and say so where there is no driver.
#include <QFile>
#include <QProcess>
#include <QtTest>

class InstrumentTest : public QObject {
    Q_OBJECT

private slots:
    void everyAccessBarrierAndReturnIsLogged();
    void countingCallsNothingPerAccess();
    void programForAGpuRunsInTheSimulatorToo();
    void withoutADriverItSaysSo();

private:
    bool build(const QString& kernel, const QString& name);
    QTemporaryDir m_folder;
};

bool InstrumentTest::build(const QString& kernel, const QString& name)
{
    QProcess process;
    process.start(LANESCOPE_EXE, {"build", "--device", "cuda", QString(SOURCE_DIR "/kernels/") + kernel, "-o",
                                  m_folder.filePath(name)});
    return process.waitForFinished(120000) && process.exitCode() == 0;
}

void InstrumentTest::everyAccessBarrierAndReturnIsLogged()
{
    QVERIFY(build("08_shared.cu", "logged"));
    QFile file(m_folder.filePath("logged"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray program = file.readAll();
    const qsizetype entry = program.indexOf(".entry ");
    QVERIFY(entry > 0);
    const QByteArray kernel = program.mid(entry, program.indexOf("\n}", entry) - entry);
    // a is read, shared written; barrier; shared read, out written; return. Both guards may diverge.
    QCOMPARE(kernel.count("__lanescope_access,"), 4);
    QCOMPARE(kernel.count("__lanescope_branch,"), 2);
    QCOMPARE(kernel.count("__lanescope_mark,"), 2);
    QCOMPARE(kernel.count("__lanescope_object,"), 1);
}

void InstrumentTest::countingCallsNothingPerAccess()
{
    QVERIFY(build("08_shared.cu", "counted"));
    QFile file(m_folder.filePath("counted"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray program = file.readAll();
    const qsizetype image = program.indexOf("//lanescope image 1");
    QVERIFY(image > 0);
    const qsizetype entry = program.indexOf(".entry ", image);
    const QByteArray kernel = program.mid(entry, program.indexOf("\n}", entry) - entry);
    QCOMPARE(kernel.count("call.uni"), kernel.count("call.uni (retval0)") + kernel.count("addByFew") +
                                           kernel.count("widen") + kernel.count("distinct"));
    QVERIFY(program.indexOf("__lanescope_count_entries", image) > 0);
}

void InstrumentTest::programForAGpuRunsInTheSimulatorToo()
{
    QVERIFY(build("01_map.cu", "both"));
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("LANESCOPE_DEVICE", "simulator");
    process.setProcessEnvironment(environment);
    process.start(m_folder.filePath("both"), QStringList{});
    QVERIFY(process.waitForFinished(60000));
    QCOMPARE(process.exitCode(), 0);
}

void InstrumentTest::withoutADriverItSaysSo()
{
    QVERIFY(build("01_map.cu", "gpu"));
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("LANESCOPE_CUDA_DRIVER", "/nonexistent/libcuda.so.1");
    process.setProcessEnvironment(environment);
    process.start(m_folder.filePath("gpu"), QStringList{});
    QVERIFY(process.waitForFinished(60000));
    QVERIFY(process.readAllStandardError().startsWith("lanescope: error: there is no NVIDIA driver on this machine"));
    QVERIFY(process.exitCode() != 0);
}

QTEST_GUILESS_MAIN(InstrumentTest)
#include "tst_instrument.moc"
