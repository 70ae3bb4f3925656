// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs of the driver API, which Lanescope did not compile: `lanescope record|run|check -- COMMAND`.
#include <QDir>
#include <QRegularExpression>
#include <QRegularExpressionMatch>
#include <QStandardPaths>
#include <QTest>

#include "command.h"

using namespace lanescope::test;

namespace {

const QString kPrograms = QStringLiteral(LANESCOPE_DRIVER_PROGRAMS);

}  // namespace

class TestDriver : public QObject {
    Q_OBJECT

    Command m_command{Command::Runtime::Own};

private slots:
    void programsSeeADriver_data()
    {
        QTest::addColumn<QString>("output");
        QTest::addColumn<QString>("errors");
        QTest::addColumn<int>("code");
        QTest::newRow("vectorAdd") << "scale: 0 4 252\n" << "" << 0;
        QTest::newRow("modules") << "twice: 0 3 189\ntenfold: 0 11 693\nvariables: 4 bytes, 5, two\n"
                                    "unknown: CUDA_ERROR_NOT_FOUND\nunloaded: CUDA_ERROR_INVALID_HANDLE\n"
                                    "library: 0 5 315\n"
                                 << "" << 0;
        QTest::newRow("launches") << "buffer: 0 6 378\nparameter 2: at 16, 4 bytes\n"
                                     "parameter 3: CUDA_ERROR_INVALID_VALUE\nscale: 1024 threads, 8 blocks\n"
                                     "2048 threads: CUDA_ERROR_INVALID_VALUE\nno function: CUDA_ERROR_INVALID_HANDLE\n"
                                  << "" << 0;
        QTest::newRow("memory") << "range: 1, 100 bytes\n1 1 3 2 3 2 1 1 7 6 5 4 \n"
                                   "not aligned: CUDA_ERROR_INVALID_VALUE\n2D: 3 2 7 6\n"
                                   "type: 2, of the host's: CUDA_ERROR_INVALID_VALUE\n"
                                   "freed twice: CUDA_ERROR_INVALID_VALUE\n"
                                << "" << 0;
        QTest::newRow("virtualMemory") << "granularity: 2097152\nnot mapped: CUDA_ERROR_INVALID_VALUE\n"
                                          "side by side: 1 2\nbeyond: CUDA_ERROR_INVALID_VALUE\n"
                                       << "" << 0;
        QTest::newRow("managed") << "5 0 0 14 0 14\n" << "" << 0;
        QTest::newRow("executable") << "0 0 0 0 0 0\ndoubled: 42\n" << "" << 0;
        QTest::newRow("graphs") << "captured: 0 0 0\nlaunched: 0 8 1\n" << "" << 0;
        QTest::newRow("refusals") << "machine code: CUDA_ERROR_NO_BINARY_FOR_GPU\nwords: CUDA_ERROR_INVALID_IMAGE\n"
                                     "with a log: CUDA_ERROR_NO_BINARY_FOR_GPU\nlog: 63 characters\n"
                                  << "lanescope: error: module: machine code only, and the simulator runs PTX: build "
                                     "with PTX in it, nvcc -gencode arch=compute_90,code=compute_90 (or "
                                     "-arch=compute_90)\n"
                                  << 2;
        QTest::newRow("names") << "cuMemAlloc: CUDA_SUCCESS, 0, there\ncuMemAlloc_v2: CUDA_SUCCESS, 0, there\n"
                                  "cuCtxCreate: CUDA_SUCCESS, 0, there\ncuMulticastCreate: CUDA_SUCCESS, 0, there\n"
                                  "cuNoSuchThing: CUDA_ERROR_NOT_FOUND, 1, not there\n"
                                  "exit: CUDA_ERROR_NOT_FOUND, 1, not there\ncalled: CUDA_ERROR_NOT_SUPPORTED\n"
                                  "called: CUDA_ERROR_NOT_SUPPORTED\nversion 13000, 1024 threads\n"
                               << "lanescope: error: the driver function cuMulticastCreate is not supported\n"
                               << 0;
    }
    void programsSeeADriver()
    {
        QFETCH(QString, output);
        QFETCH(QString, errors);
        QFETCH(int, code);
        const CommandResult run = m_command.run({"run", "--", kPrograms, QTest::currentDataTag()});
        QCOMPARE(run.output, output);
        QCOMPARE(run.errors, errors);
        QCOMPARE(run.code, code);
    }

    void fatBinariesAreUnpacked()
    {
        const CommandResult run = m_command.run({"run", "--", kPrograms, "fatBinaries"});
        QCOMPARE(run.output, QString("plain: 42\nzstd: 42\nlz4: 42\n"));
    }

    void sourceIsCompiledWhileTheProgramRuns()
    {
        const CommandResult run = m_command.run({"run", "--", kPrograms, "compile"});
        QCOMPARE(run.output, QString("compiled: NVRTC_SUCCESS\n_Z5scaleIfEvPT_PKS0_i\nscaled: 4 7\n"
                                     "wrong: NVRTC_ERROR_COMPILATION\nthe log says where: 1\n"));
        QCOMPARE(run.errors, QString());
    }

    void launchesAreRecorded()
    {
        const CommandResult record = m_command.run({"record", "-o", "add.lanes", "--", kPrograms, "vectorAdd"});
        QCOMPARE(record.errors, QString("lanescope: recorded 1 launch to add.lanes\n"));
        QCOMPARE(record.output, QString("scale: 0 4 252\n"));
        QCOMPARE(record.code, 0);
        const nlohmann::json info = m_command.json({"info", "add.lanes"});
        QCOMPARE(info["launches"][0]["kernel"].get<std::string>(), std::string("scale"));
        QCOMPARE(info["session"]["programExit"].get<int>(), 0);
    }

    void badAccessIsFound()
    {
        const CommandResult check = m_command.run({"check", "--", kPrograms, "vectorAdd", "65"});
        QVERIFY2(check.output.contains("out-of-bounds"), qPrintable(check.output + check.errors));
        // A PTX module without lines of its own is its own source.
        QVERIFY2(check.output.contains("module1.ptx:"), qPrintable(check.output + check.errors));
        QCOMPARE(check.code, 1);
        QCOMPARE(m_command.run({"check", "--", kPrograms, "vectorAdd"}).code, 0);
    }

    void findingsNameTheirOwnModule()
    {
        const CommandResult run = m_command.run({"run", "--", kPrograms, "mistakes"});
        const QRegularExpression copied("module2\\.ptx:\\d+:\\d+: error: read of .*uninitialised-read");
        QVERIFY2(run.errors.contains("module1.ptx:"), qPrintable(run.errors));
        QVERIFY2(copied.match(run.errors).hasMatch(), qPrintable(run.errors));
    }

    void eachProcessWritesItsTrace()
    {
        m_command.write("both.sh", kPrograms + " vectorAdd\n" + kPrograms + " modules\nexit 7\n");
        const CommandResult record = m_command.run({"record", "-o", "both.lanes", "--", "sh", "both.sh"});
        QCOMPARE(record.code, 7);
        const QRegularExpression told("^lanescope: recorded 5 launches to both\\.lanes, (both\\.\\d+\\.lanes)\n$");
        const QRegularExpressionMatch match = told.match(record.errors);
        QVERIFY2(match.hasMatch(), qPrintable(record.errors));
        QCOMPARE(m_command.json({"info", "both.lanes"})["launches"].size(), size_t(1));
        QCOMPARE(m_command.json({"info", match.captured(1)})["launches"].size(), size_t(4));
        m_command.write("second.sh", kPrograms + " vectorAdd\n" + kPrograms + " vectorAdd 65\n");
        const CommandResult check = m_command.run({"check", "--", "sh", "second.sh"});
        QVERIFY2(check.output.contains("no findings\n") && check.output.contains("2 errors\n"),
                 qPrintable(check.output));
        QCOMPARE(check.code, 1);
        const CommandResult document = m_command.run({"check", "--format", "json", "--", "sh", "second.sh"});
        const nlohmann::json parsed = nlohmann::json::parse(document.output.toStdString());
        QCOMPARE(parsed["processes"].size(), size_t{2});
        QCOMPARE(parsed["findings"].size(), size_t{2});
        for (const nlohmann::json& finding : parsed["findings"])
            QCOMPARE(finding["process"].get<int>(), 1);
        QCOMPARE(parsed["complete"].get<bool>(), true);
        QCOMPARE(document.code, 1);
    }

    /// An exception that nobody catches, say.
    void errorOfItsOwnIsNoAllClear()
    {
        m_command.write("fails.sh", kPrograms + " vectorAdd\nexit 3\n");
        const CommandResult check = m_command.run({"check", "--", "sh", "fails.sh"});
        QVERIFY2(
            check.output.endsWith("not checked: what the command would have done had it not ended with exit status 3\n"
                                  "no findings in what was checked\n"),
            qPrintable(check.output));
        QCOMPARE(check.errors,
                 QString("lanescope: error: the program ended with exit status 3, and no finding says why\n"));
        QCOMPARE(check.code, 2);
        m_command.write("fails.cu",
                        "__global__ void k() {}\nint main() { k<<<1, 1>>>(); return cudaDeviceSynchronize() + 3; }\n");
        const CommandResult own = m_command.run({"check", "fails.cu"});
        QCOMPARE(own.output,
                 QString("not checked: what the program would have done had it not ended with exit status 3\n"
                         "no findings in what was checked\n"));
        QCOMPARE(own.code, 2);
    }

    void commandWithoutCudaIsNoRecording()
    {
        const CommandResult record = m_command.run({"record", "-o", "none.lanes", "--", "true"});
        QCOMPARE(record.errors, QString("lanescope: error: the program did not use CUDA; nothing was recorded\n"));
        QCOMPARE(record.code, 2);
    }

    void compilerToInstallIsNamed()
    {
        m_command.write("a.mojo", "def main():\n    pass\n");
        const QString path = m_command.environment.value("PATH");
        m_command.environment.insert("PATH", "/nowhere");
        const CommandResult run = m_command.run({"run", "a.mojo"});
        m_command.environment.insert("PATH", path);
        QCOMPARE(run.errors, QString("lanescope: error: mojo: no such program in PATH; install Mojo's compiler: pip "
                                     "install mojo\n"));
        QCOMPARE(run.code, 2);
    }

    void runtimeThatIsLinkedInIsReplaced()
    {
        if (LANESCOPE_IS_SANITIZED)
            QSKIP("a sanitizer's library wants to be the first that is loaded");
        const CommandResult run = m_command.run({"run", "--", LANESCOPE_LINKED_PROGRAM});
        QCOMPARE(run.output, QString("devices: 1 (0), memory: some (0), own: 2\n"));
        QCOMPARE(run.code, 0);
    }

    void pythonLaunchesOnMemoryOfTheHost()
    {
        const QString python = QStandardPaths::findExecutable("python3");
        if (python.isEmpty() || LANESCOPE_IS_SANITIZED)
            QSKIP("needs python3, and a library that it can load");
        const QString program = QStringLiteral(LANESCOPE_DRIVER_FOLDER "/host_memory.py");
        const CommandResult run = m_command.run({"run", program, "6"});
        QCOMPARE(run.output, QString("1.0 2.0 6.0 8.0 10.0 12.0 14.0 16.0\nregistered: 1\nafter it is gone: 0\n"
                                     "cuMemHostGetDevicePointer: CUDA error 1\n"));
        const CommandResult check = m_command.run({"check", program, "7"});
        QVERIFY2(check.output.contains("write of param_0[2][0] is out of bounds"), qPrintable(check.output));
        QVERIFY2(check.output.contains("float[2][4]"), qPrintable(check.output));
        // Whoever leaves without a word leaves a whole trace.
        QCOMPARE(m_command.run({"record", "-o", "left.lanes", program, "6", "3"}).code, 3);
        const nlohmann::json info = m_command.json({"info", "left.lanes"});
        QCOMPARE(info["session"]["programExit"].get<int>(), 3);
        QCOMPARE(info["launches"].size(), size_t(1));
    }

    void modulesOfPythonAreChangedAsTheyAreImported()
    {
        if (QStandardPaths::findExecutable("python3").isEmpty())
            QSKIP("needs python3");
        // A Triton of one function, and what the user starts Python with.
        m_command.write("sitecustomize.py", "print('own')\n");
        QVERIFY(QDir().mkpath(m_command.path("triton")));
        m_command.write("triton/__init__.py", "");
        m_command.write("triton/testing.py", "def do_bench(function):\n    raise RuntimeError('measured')\n");
        m_command.write("benchmark.py",
                        "import triton.testing\n"
                        "runs = []\n"
                        "assert triton.testing.do_bench(lambda: runs.append(1)) >= 0\n"
                        "assert len(triton.testing.do_bench(lambda: runs.append(2), quantiles=[0.5, 0.2])) == 2\n"
                        "print(runs, triton.testing.__file__.split('/')[-1])\n");
        m_command.environment.insert("PYTHONPATH", m_command.path("."));
        const CommandResult run = m_command.run({"run", "benchmark.py"});
        m_command.environment.remove("PYTHONPATH");
        QCOMPARE(run.output, QString("own\n[1, 2] testing.py\n"));
    }

    void whatDoesNotApplyIsNamed()
    {
        const CommandResult run = m_command.run({"run", "--as-compiled", "--", kPrograms, "vectorAdd"});
        QCOMPARE(run.errors,
                 QString("lanescope: error: --as-compiled: is for programs that Lanescope compiles, not for a "
                         "command\n"));
        QCOMPARE(run.code, 2);
        const CommandResult missing = m_command.run({"run", "--", "./not-there"});
        QCOMPARE(missing.code, 2);
        QVERIFY2(missing.errors.startsWith("lanescope: error: ./not-there: cannot be started"),
                 qPrintable(missing.errors));
    }
};

QTEST_GUILESS_MAIN(TestDriver)
#include "tst_driver.moc"
