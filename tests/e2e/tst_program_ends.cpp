// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// However a program ends, what was found before is told by `check`, `record` and `run`, and so is how it ended.
#include <csignal>

#include <unistd.h>

#include <QFile>
#include <QProcess>
#include <QProcessEnvironment>
#include <QTest>

#include "command.h"

using namespace lanescope::test;

namespace {

/// Writes past its buffer, launches a second kernel, then ends as its argument says.
const char* const kEnds = "#include <cassert>\n"
                          "#include <csignal>\n"
                          "#include <cstdlib>\n"
                          "#include <cstring>\n"
                          "#include <stdexcept>\n"
                          "#include <unistd.h>\n"
                          "__global__ void over(float* x) { x[threadIdx.x + 1] = 1; }\n"
                          "__global__ void fine(float* x) { x[threadIdx.x] = 2; }\n"
                          "int main(int argc, char** argv)\n"
                          "{\n"
                          "    const char* how = argv[1];\n"
                          "    float* x;\n"
                          "    cudaMalloc(&x, 128);\n"
                          "    if (argc < 3)\n"
                          "        over<<<1, 32>>>(x);\n"
                          "    fine<<<1, 32>>>(x);\n"
                          "    cudaDeviceSynchronize();\n"
                          "    if (!strcmp(how, \"assert\"))\n"
                          "        assert(x == nullptr);\n"
                          "    if (!strcmp(how, \"throw\"))\n"
                          "        throw std::runtime_error(\"wrong\");\n"
                          "    if (!strcmp(how, \"segv\"))\n"
                          "        *(volatile int*)16 = 3;\n"
                          "    if (!strcmp(how, \"_exit\"))\n"
                          "        _exit(0);\n"
                          "    if (!strcmp(how, \"quick\"))\n"
                          "        quick_exit(5);\n"
                          "    if (!strcmp(how, \"kill\"))\n"
                          "        kill(getpid(), SIGKILL);\n"
                          "    if (!strcmp(how, \"int\"))\n"
                          "        raise(SIGINT);\n"
                          "    cudaFree(x);\n"
                          "    return how[0] - '0';\n"
                          "}\n";

/// One long block, which writes past its buffer at once.
const char* const kLong = "__global__ void over(float* x)\n"
                          "{\n"
                          "    x[threadIdx.x + 1] = 1;\n"
                          "    float sum = 0;\n"
                          "    for (long i = 0; i < 1000000000000; ++i)\n"
                          "        sum = sum * 0.5f + i;\n"
                          "    x[0] = sum;\n"
                          "}\n"
                          "int main()\n"
                          "{\n"
                          "    float* x;\n"
                          "    cudaMalloc(&x, 128);\n"
                          "    over<<<1, 32>>>(x);\n"
                          "    return cudaDeviceSynchronize();\n"
                          "}\n";

/// A launch that no GPU would survive, of the kind that the argument says, then one with a mistake of its own.
const char* const kGoesOn = "#include <cassert>\n"
                            "#include <cstdio>\n"
                            "__global__ void bad(float* x, int how)\n"
                            "{\n"
                            "    if (how == 0)\n"
                            "        *(float*)8 = 1;\n"
                            "    if (how == 1)\n"
                            "        assert(threadIdx.x > 40);\n"
                            "    if (how == 2)\n"
                            "        __trap();\n"
                            "    if (how == 3 && threadIdx.x < 8)\n"
                            "        while (*(volatile float*)x == 0)\n"
                            "            ;\n"
                            "    if (how == 4)\n"
                            "        *(float*)((char*)x + 2) = 1;\n"
                            "}\n"
                            "__global__ void next(float* x) { x[threadIdx.x + 1] = 1; }\n"
                            "__global__ void sum(const float* x, float* s)\n"
                            "{\n"
                            "    float all = 0;\n"
                            "    for (int i = 0; i < 32; ++i)\n"
                            "        all += x[i];\n"
                            "    *s = all;\n"
                            "}\n"
                            "int main(int argc, char** argv)\n"
                            "{\n"
                            "    float *x, *s, result = 0;\n"
                            "    cudaMalloc(&x, 128);\n"
                            "    cudaMalloc(&s, 4);\n"
                            "    if (argv[1][0] == '3')\n"
                            "        cudaMemset(x, 0, 128);\n"
                            "    bad<<<1, 32>>>(x, argv[1][0] - '0');\n"
                            "    next<<<1, 32>>>(x);\n"
                            "    sum<<<1, 1>>>(x, s);\n"
                            "    const cudaError_t error = cudaMemcpy(&result, s, 4, cudaMemcpyDeviceToHost);\n"
                            "    std::printf(\"%s\\n\", cudaGetErrorName(error));\n"
                            "}\n";

std::vector<std::string> kindsIn(const nlohmann::json& check)
{
    std::vector<std::string> kinds;
    for (const nlohmann::json& finding : check["findings"])
        if (finding["severity"] != "advice")
            kinds.push_back(finding["kind"]);
    return kinds;
}

}  // namespace

class TestProgramEnds : public QObject {
    Q_OBJECT

    Command m_command{Command::Runtime::Own};

    void startLong(QProcess& process, const QStringList& arguments)
    {
        m_command.write("long.cu", kLong);
        process.setWorkingDirectory(m_command.path(""));
        QProcessEnvironment environment = m_command.environment;
        environment.remove("LANESCOPE_PROGRESS");
        process.setProcessEnvironment(environment);
        process.setChildProcessModifier([] { setsid(); });
        process.start(QStringLiteral(LANESCOPE_COMMAND), arguments);
        QVERIFY(process.waitForStarted());
    }

    bool hasFinding(const QString& trace)
    {
        if (!QFile::exists(m_command.path(trace)))
            return false;
        const CommandResult info = m_command.run({"info", trace, "--format", "json"});
        return info.code == 0 && nlohmann::json::parse(info.output.toStdString())["findings"] == 1;
    }

private slots:
    void initTestCase()
    {
        // A crash is the program's own affair.
        m_command.environment.insert("ASAN_OPTIONS", "detect_leaks=0:handle_segv=0");
    }

    void findingsSurvive_data()
    {
        QTest::addColumn<QString>("how");
        QTest::addColumn<int>("code");     // of record and run
        QTest::addColumn<QString>("end");  // programEnd, in JSON
        QTest::addColumn<bool>("complete");
        QTest::newRow("return 0") << "0" << 0 << "{\"how\":\"exited\",\"status\":0}" << true;
        QTest::newRow("return 2") << "2" << 2 << "{\"how\":\"exited\",\"status\":2}" << true;
        QTest::newRow("return 3") << "3" << 3 << "{\"how\":\"exited\",\"status\":3}" << true;
        QTest::newRow("assert") << "assert" << 128 + SIGABRT << "{\"how\":\"signal\",\"signal\":\"SIGABRT\"}" << false;
        QTest::newRow("throw") << "throw" << 128 + SIGABRT << "{\"how\":\"signal\",\"signal\":\"SIGABRT\"}" << false;
        QTest::newRow("segv") << "segv" << 128 + SIGSEGV << "{\"how\":\"signal\",\"signal\":\"SIGSEGV\"}" << false;
        QTest::newRow("_exit") << "_exit" << 0 << "{\"how\":\"exited\",\"status\":0}" << true;
        QTest::newRow("quick_exit") << "quick" << 5 << "{\"how\":\"exited\",\"status\":5}" << true;
        QTest::newRow("kill -9") << "kill" << 128 + SIGKILL << "{\"how\":\"signal\",\"signal\":\"SIGKILL\"}" << false;
        QTest::newRow("SIGINT") << "int" << 128 + SIGINT << "{\"how\":\"interrupted\",\"signal\":\"SIGINT\"}" << false;
    }
    void findingsSurvive()
    {
        QFETCH(QString, how);
        QFETCH(int, code);
        QFETCH(QString, end);
        QFETCH(bool, complete);
        m_command.write("ends.cu", kEnds);
        const CommandResult check = m_command.run({"check", "ends.cu", "--format", "json", "--", how});
        QCOMPARE(check.code, 1);
        const auto document = nlohmann::json::parse(check.output.toStdString());
        QCOMPARE(kindsIn(document), std::vector<std::string>{"out-of-bounds"});
        QVERIFY2(document["programEnd"] == nlohmann::json::parse(end.toStdString()),
                 document["programEnd"].dump().c_str());
        QCOMPARE(document["complete"].get<bool>(), complete);
        QCOMPARE(document["notChecked"].empty(), complete);

        const CommandResult record = m_command.run({"record", "ends.cu", "--", how});
        QCOMPARE(record.code, code);
        QVERIFY2(record.errors.contains("[out-of-bounds]"), qPrintable(record.errors));
        const nlohmann::json info = m_command.json({"info", "ends.lanes"});
        QVERIFY(info["session"]["programEnd"] == document["programEnd"]);
        QCOMPARE(info["launches"].size(), size_t{2});
        for (const nlohmann::json& launch : info["launches"])
            QVERIFY(launch["complete"] == true);
        QVERIFY(kindsIn(m_command.json({"check", "ends.lanes"})) == kindsIn(document));

        const CommandResult run = m_command.run({"run", "ends.cu", "--", how});
        QCOMPARE(run.code, code);
        QCOMPARE(run.errors.count("[out-of-bounds]"), 1);
    }

    void crashWithoutFindingIsNoAllClear()
    {
        m_command.write("ends.cu", kEnds);
        const CommandResult check = m_command.run({"check", "ends.cu", "--", "segv", "clean"});
        QCOMPARE(check.code, 2);
        QVERIFY2(check.output.contains("no findings in what was checked"), qPrintable(check.output));
        QVERIFY2(check.output.contains("not checked: what the program would have done after it was ended by SIGSEGV"),
                 qPrintable(check.output));
        const CommandResult clean = m_command.run({"check", "ends.cu", "--", "0", "clean"});
        QCOMPARE(clean.output, QString("no findings\n"));
        QCOMPARE(clean.code, 0);
    }

    void launchUnderWaySurvivesKill()
    {
        QProcess process;
        startLong(process, {"record", "long.cu", "-o", "killed.lanes"});
        QTRY_VERIFY_WITH_TIMEOUT(hasFinding("killed.lanes"), 60'000);
        // Command and program at once: nobody is left to say anything.
        kill(-static_cast<pid_t>(process.processId()), SIGKILL);
        QVERIFY(process.waitForFinished());
        const nlohmann::json check = m_command.json({"check", "killed.lanes"});
        QCOMPARE(kindsIn(check), std::vector<std::string>{"out-of-bounds"});
        QVERIFY(check["programEnd"].is_null() && check["complete"] == false);
    }

    void interruptedLaunchTellsWhatItFound()
    {
        QProcess process;
        startLong(process, {"check", "long.cu", "--format", "json"});
        // People are told how far it is.
        QByteArray errors;
        QTRY_VERIFY_WITH_TIMEOUT((errors += process.readAllStandardError()).contains("launch 0, over: 0 of 1 blocks"),
                                 60'000);
        kill(-static_cast<pid_t>(process.processId()), SIGINT);  // as a terminal does
        QVERIFY(process.waitForFinished(20'000));
        QCOMPARE(process.exitCode(), 1);
        const auto check = nlohmann::json::parse(process.readAllStandardOutput().toStdString());
        QCOMPARE(kindsIn(check), std::vector<std::string>{"out-of-bounds"});
        QVERIFY(check["programEnd"]["how"] == "interrupted");
        QCOMPARE(check["notChecked"].size(), size_t{2});
    }

    void nextLaunchIsLookedAt_data()
    {
        QTest::addColumn<QString>("how");
        QTest::addColumn<QString>("kind");
        QTest::addColumn<QString>("error");
        QTest::newRow("illegal address") << "0" << "out-of-bounds" << "cudaErrorIllegalAddress";
        QTest::newRow("assertion") << "1" << "assert-failed" << "cudaErrorAssert";
        QTest::newRow("trap") << "2" << "assert-failed" << "cudaErrorLaunchFailure";
        QTest::newRow("livelock") << "3" << "livelock" << "cudaErrorLaunchFailure";
        QTest::newRow("misaligned") << "4" << "misaligned" << "cudaErrorMisalignedAddress";
    }
    void nextLaunchIsLookedAt()
    {
        QFETCH(QString, how);
        QFETCH(QString, kind);
        QFETCH(QString, error);
        m_command.write("goes_on.cu", kGoesOn);
        const CommandResult check = m_command.run({"check", "goes_on.cu", "--format", "json", "--", how});
        QVERIFY2(check.errors.contains(error), qPrintable(check.errors));
        // The second launch's own mistake, and nothing that follows from the first.
        QCOMPARE(kindsIn(nlohmann::json::parse(check.output.toStdString())),
                 (std::vector<std::string>{kind.toStdString(), "out-of-bounds"}));
    }

    void refusedLaunchIsSaid()
    {
        m_command.write("k.h", "__global__ void k(float* x)\n{\n    x[threadIdx.x] = 1;\n}\n");
        m_command.write("refused.cu", "#include \"k.h\"\nint main()\n{\n    float* x;\n    cudaMalloc(&x, 128);\n"
                                      "    k<<<0, 32>>>(x);\n    k<<<1, 64>>>(x);\n    cudaDeviceSynchronize();\n}\n");
        const CommandResult run = m_command.run({"run", "refused.cu"});
        QVERIFY2(run.errors.contains("refused.cu:6:6: warning: this kernel launch failed with "
                                     "cudaErrorInvalidConfiguration (a grid of 0 x 1 x 1 blocks"),
                 qPrintable(run.errors));
        // In the file that it is in.
        QVERIFY2(run.errors.contains("k.h:3:5: error: write of x[32] is out of bounds"), qPrintable(run.errors));
    }
};

QTEST_GUILESS_MAIN(TestProgramEnds)
#include "tst_program_ends.moc"
