// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs with code for a GPU: they are built here, run with the simulator here, and say so where there is no driver.
#include <QFile>
#include <QIODevice>
#include <QMap>
#include <QProcess>
#include <QProcessEnvironment>
#include <QTemporaryDir>
#include <QTest>

#include <signal.h>

#include "tests/support/process.h"

using namespace lanescope;

class InstrumentTest : public QObject {
    Q_OBJECT

private slots:
    /// The driver that they load is as sanitized as the rest of the build.
    void initTestCase() { qunsetenv("LANESCOPE_TEST_PROGRAMS"); }
    void everyAccessBarrierAndReturnIsLogged();
    void countingCallsNothingPerAccess();
    void programForAGpuRunsInTheSimulatorToo();
    void withoutADriverItSaysSo();
    void whatGoesWrongIsSaid_data();
    void whatGoesWrongIsSaid();
    void afterAFaultTheTraceIsKept();
    void anEndlessKernelIsGivenUp();
    void anInterruptKeepsTheTrace();
    void withoutCountersItGoesOn();
    void clustersAreLaunchedAsSuch();
    void copiesAndProductsAreTakenApart();
    void whatIsNotTakenApartIsNamed();

private:
    test::ProcessResult run(const QString& program, const QMap<QString, QString>& variables);
    bool build(const QString& kernel, const QString& name);
    QByteArray recordingCodeOf(const QString& name) const;
    static QByteArray infoOf(const QString& trace);
    QTemporaryDir m_folder;
};

bool InstrumentTest::build(const QString& kernel, const QString& name)
{
    const QStringList arguments{
        "build", "--device", "cuda", QString(SOURCE_DIR "/kernels/") + kernel, "-o", m_folder.filePath(name)};
    return test::runProcess(LANESCOPE_EXE, arguments).code == 0;
}

QByteArray InstrumentTest::infoOf(const QString& trace)
{
    const test::ProcessResult info = test::runProcess(LANESCOPE_EXE, {"info", trace});
    return info.code == 0 ? info.output.toUtf8() : QByteArray();
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
    QCOMPARE(kernel.count("__lanescope_access_4,"), 4);
    QCOMPARE(kernel.count("__lanescope_branch,"), 2);
    QCOMPARE(kernel.count("__lanescope_mark,"), 1);
    QCOMPARE(kernel.count("__lanescope_return,"), 1);
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
    QCOMPARE(kernel.count("__lanescope_count_access"), 0);  // inlined
    QVERIFY(kernel.count("atom.global.add.u64") >= 4);
    QVERIFY(program.indexOf("__lanescope_count_entries", image) > 0);
}

void InstrumentTest::programForAGpuRunsInTheSimulatorToo()
{
    QVERIFY(build("01_map.cu", "both"));
    const auto environment = test::environmentWith({{"LANESCOPE_DEVICE", "simulator"}});
    QCOMPARE(test::runProcess(m_folder.filePath("both"), {}, environment).code, 0);
}

void InstrumentTest::withoutADriverItSaysSo()
{
    QVERIFY(build("01_map.cu", "gpu"));
    const auto environment = test::environmentWith({{"LANESCOPE_CUDA_DRIVER", "/nonexistent/libcuda.so.1"}});
    const test::ProcessResult ended = test::runProcess(m_folder.filePath("gpu"), {}, environment);
    QVERIFY(ended.errors.startsWith("lanescope: error: there is no NVIDIA driver on this machine"));
    QVERIFY(ended.code > 0);
}

test::ProcessResult InstrumentTest::run(const QString& program, const QMap<QString, QString>& variables)
{
    QProcessEnvironment environment = test::environmentWith({{"LANESCOPE_CUDA_DRIVER", FAKE_DRIVER}});
    for (auto variable = variables.begin(); variable != variables.end(); ++variable)
        environment.insert(variable.key(), variable.value());
    return test::runProcess(m_folder.filePath(program), {}, environment);
}

void InstrumentTest::whatGoesWrongIsSaid_data()
{
    QTest::addColumn<QString>("variable");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("message");
    QTest::newRow("no GPU") << "FAKE_CUDA_NO_GPU" << "1" << "there is no NVIDIA GPU on this machine";
    QTest::newRow("old GPU") << "FAKE_CUDA_MAJOR" << "8" << "the GPU has compute capability 8, expected at least 9";
    QTest::newRow("old driver") << "LANESCOPE_CUDA_DRIVER" << "libm.so.6"
                                << "the NVIDIA driver is too old: it has no cuInit";
    QTest::newRow("driver does not start") << "FAKE_CUDA_FAIL" << "cuInit:999" << "the NVIDIA driver does not start";
    QTest::newRow("code refused") << "FAKE_CUDA_FAIL" << "cuModuleLoadDataEx:218"
                                  << "the driver refuses the device code: line 1: refused";
    QTest::newRow("no device memory") << "FAKE_CUDA_FAIL" << "cuMemCreate:2" << "the GPU has no memory for the";
    QTest::newRow("no host memory") << "FAKE_CUDA_FAIL" << "cuMemHostAlloc:2" << "the host has no memory for the log";
    QTest::newRow("kernel not launched") << "FAKE_CUDA_FAIL" << "cuLaunchKernelEx:701"
                                         << "the kernel cannot be launched";
    QTest::newRow("time-out") << "FAKE_CUDA_FAIL" << "cuStreamSynchronize:702"
                              << "the GPU stopped the kernel: CUDA_ERROR_LAUNCH_TIMEOUT";
}

void InstrumentTest::whatGoesWrongIsSaid()
{
    QFETCH(QString, variable);
    QFETCH(QString, value);
    QFETCH(QString, message);
    if (!QFile::exists(m_folder.filePath("wrong")))
        QVERIFY(build("01_map.cu", "wrong"));
    const test::ProcessResult ended = run("wrong", {{variable, value}});
    QVERIFY2(ended.errors.contains("lanescope: error: ") && ended.errors.contains(message), qPrintable(ended.errors));
    QVERIFY(ended.code != 0);
}

void InstrumentTest::afterAFaultTheTraceIsKept()
{
    QVERIFY(build("01_map.cu", "faulty"));
    const QString trace = m_folder.filePath("fault.lanes");
    const test::ProcessResult ended =
        run("faulty", {{"FAKE_CUDA_FAIL", "cuStreamSynchronize:700"}, {"LANESCOPE_TRACE", trace}});
    QVERIFY2(ended.errors.contains("the GPU stopped the kernel: CUDA_ERROR_ILLEGAL_ADDRESS"), qPrintable(ended.errors));
    QVERIFY(infoOf(trace).contains("CUDA_ERROR_ILLEGAL_ADDRESS"));
}

void InstrumentTest::anEndlessKernelIsGivenUp()
{
    QVERIFY(build("01_map.cu", "endless"));
    const QString trace = m_folder.filePath("endless.lanes");
    const test::ProcessResult ended = run("endless", {{"FAKE_CUDA_FAIL", "cuStreamSynchronize:600"},
                                                      {"LANESCOPE_OPTIONS", R"({"maxSeconds": 0.01})"},
                                                      {"LANESCOPE_TRACE", trace}});
    QVERIFY2(ended.errors.contains("time-limit: the kernel has run for 0.01 s"), qPrintable(ended.errors));
    QVERIFY(ended.code != 0);
    QVERIFY(infoOf(trace).contains("time-limit"));
}

void InstrumentTest::anInterruptKeepsTheTrace()
{
    QVERIFY(build("01_map.cu", "interrupted"));
    const QString trace = m_folder.filePath("interrupted.lanes");
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("LANESCOPE_CUDA_DRIVER", FAKE_DRIVER);
    environment.insert("FAKE_CUDA_FAIL", "cuStreamSynchronize:600");
    environment.insert("LANESCOPE_TRACE", trace);
    environment.insert("LANESCOPE_OPTIONS", R"({"progressFd": 2})");
    process.setProcessEnvironment(environment);
    process.setReadChannel(QProcess::StandardError);
    process.start(m_folder.filePath("interrupted"), QStringList{});
    QByteArray errors;
    while (!errors.contains("\"fake\": \"launched\"")) {
        QVERIFY2(process.waitForReadyRead(60000), errors.constData());
        errors += process.readAllStandardError();
    }
    ::kill(static_cast<pid_t>(process.processId()), SIGINT);
    QVERIFY(process.waitForFinished(60000));
    QCOMPARE(process.exitStatus(), QProcess::CrashExit);  // as the signal would have ended it
    QVERIFY(infoOf(trace).contains("interrupted"));
}

void InstrumentTest::withoutCountersItGoesOn()
{
    QVERIFY(build("01_map.cu", "counters"));
    const test::ProcessResult ended = run("counters", {{"LANESCOPE_OPTIONS", R"({"count": true, "counters": true})"},
                                                       {"LANESCOPE_CUPTI", "/nonexistent/libcupti.so"},
                                                       {"LANESCOPE_TRACE", m_folder.filePath("c.lanes")}});
    QCOMPARE(ended.errors.count("lanescope: note: CUPTI was not found"), 1);
    QVERIFY(ended.errors.contains("going on without"));
    QVERIFY(QFile::exists(m_folder.filePath("c.lanes")));
}

/// The PTX that records.
QByteArray InstrumentTest::recordingCodeOf(const QString& name) const
{
    QFile file(m_folder.filePath(name));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    const QByteArray program = file.readAll();
    const qsizetype image = program.indexOf("//lanescope image 0");
    return image < 0 ? QByteArray() : program.mid(image, program.indexOf("//lanescope image 1") - image);
}

void InstrumentTest::clustersAreLaunchedAsSuch()
{
    QVERIFY(build("23_cluster_reduction.cu", "cluster"));
    const QByteArray kernel = recordingCodeOf("cluster");
    QVERIFY(kernel.contains("barrier.cluster.wait") && kernel.contains("__lanescope_map_rank"));
    QCOMPARE(kernel.count("__lanescope_shared_of,"), 2);
    const test::ProcessResult ended = run("cluster", {{"FAKE_CUDA_FAIL", "cuStreamSynchronize:702"}});
    QVERIFY2(ended.errors.contains("\"cluster\": 4}"), qPrintable(ended.errors));
}

void InstrumentTest::copiesAndProductsAreTakenApart()
{
    QVERIFY(build("26_gemm_wgmma.cu", "products"));
    const QByteArray kernel = recordingCodeOf("products");
    QVERIFY(kernel.contains("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"));
    QVERIFY(kernel.contains("__lanescope_box_piece,") && kernel.contains("__lanescope_matrix_row_k,"));
    QVERIFY(!kernel.contains("wgmma.mma_async") && !kernel.contains("cp.async.bulk") && !kernel.contains("mbarrier"));
}

void InstrumentTest::whatIsNotTakenApartIsNamed()
{
    const QString source = m_folder.filePath("reduction.cu");
    QFile file(source);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(R"(#include <cuda.h>
#include <cuda_runtime.h>
__global__ void add(const __grid_constant__ CUtensorMap map)
{
    __shared__ alignas(128) float tile[64];
    asm volatile("cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group [%0, {%1}], [%2];"
                 ::"l"(&map), "r"(0), "r"(static_cast<unsigned>(__cvta_generic_to_shared(tile))) : "memory");
}
int main() {}
)");
    file.close();
    const test::ProcessResult built =
        test::runProcess(LANESCOPE_EXE, {"build", "--device", "cuda", source, "-o", m_folder.filePath("reduction")});
    QVERIFY2(built.errors.contains("a tensor copy of the kind 'add.tile.1' is not supported on a GPU"),
             qPrintable(built.errors));
    QVERIFY(built.code != 0);
}

QTEST_GUILESS_MAIN(InstrumentTest)
#include "tst_instrument.moc"
