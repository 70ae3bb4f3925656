// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lanescope record` and `run`: exit codes, messages, what they leave behind, bad input.
#include <QtTest>

#include "command.h"

using namespace lanescope::test;

class TestRecord : public QObject {
    Q_OBJECT

    Command m_command{Command::Runtime::Own};

private slots:
    void programsExitStatusPassesThrough()
    {
        m_command.write("exit7.cu", "__global__ void k() {}\nint main() { k<<<1, 1>>>(); return 7; }\n");
        const CommandResult record = m_command.run({"record", "exit7.cu"});
        QCOMPARE(record.errors, QString("lanescope: recorded 1 launch to exit7.lanes\n"));
        QCOMPARE(record.code, 7);
        QCOMPARE(m_command.json({"info", "exit7.lanes"})["session"]["programExit"].get<int>(), 7);
    }

    void programsArgumentsComeAfterDashes()
    {
        m_command.write("args.cu", "#include <cstdio>\nint main(int argc, char** argv)\n"
                                   "{\n    for (int i = 1; i < argc; ++i)\n        std::puts(argv[i]);\n}\n");
        QCOMPARE(m_command.run({"run", "args.cu", "--", "-x", "two words", "--format"}).output,
                 QString("-x\ntwo words\n--format\n"));
    }

    void programIsCalledByItsOwnName()
    {
        m_command.write("name.cu", "#include <cstdio>\nint main(int, char** argv) { std::puts(argv[0]); }\n");
        QCOMPARE(m_command.run({"run", "name.cu"}).output, QString("./name\n"));
        const QString path = m_command.path("name");
        QCOMPARE(m_command.run({"run", path + ".cu"}).output, path + '\n');
    }

    void secondRecordSkipsTheCompiler()
    {
        m_command.write("cached.cu", "__global__ void k() {}\nint main() { k<<<1, 1>>>(); }\n");
        QCOMPARE(m_command.run({"record", "cached.cu"}).code, 0);
        QElapsedTimer timer;
        timer.start();
        QCOMPARE(m_command.run({"record", "cached.cu"}).code, 0);
        QVERIFY2(timer.elapsed() < 400, qPrintable(QString::number(timer.elapsed())));  // 25 ms on an idle machine
    }

    void changedSourceIsCompiledAgain()
    {
        m_command.write("change.cu", "int main() { return 3; }\n");
        QCOMPARE(m_command.run({"run", "change.cu"}).code, 3);
        m_command.write("change.cu", "int main() { return 4; }\n");
        QCOMPARE(m_command.run({"run", "change.cu"}).code, 4);
        QCOMPARE(m_command.run({"run", "-D", "main=other(){return 0;} int main", "change.cu"}).code, 4);
    }

    void changedHeaderIsCompiledAgain()
    {
        QDir(m_command.path("")).mkdir("inc");
        m_command.write("inc/value.h", "#define VALUE 3\n");
        m_command.write("header.cu", "#include \"value.h\"\nint main() { return VALUE + EXTRA; }\n");
        QCOMPARE(m_command.run({"run", "-I", "inc", "-D", "EXTRA=1", "header.cu"}).code, 4);
        m_command.write("inc/value.h", "#define VALUE 50\n");
        QCOMPARE(m_command.run({"run", "-Iinc", "-DEXTRA=2", "header.cu"}).code, 52);
    }

    void headersOfAToolkit()
    {
        QDir(m_command.path("")).mkpath("toolkit/include/thrust");
        m_command.write("toolkit/include/only_there.h", "#define FROM_TOOLKIT 5\n");
        m_command.write("toolkit/include/cuda_runtime.h", "#error ours describes the runtime\n");
        m_command.write("toolkit/include/cuda_fp16.h", "#define HALF 20\n");
        m_command.write("toolkit/include/thrust/both.h", "#include <thrust/neighbour.h>\n");
        m_command.write("toolkit/include/thrust/neighbour.h", "#include <cuda_runtime.h>\n#define THRUST 100\n");
        m_command.write("uses.cu", "#include <cuda_fp16.h>\n#include <only_there.h>\n#include <thrust/both.h>\n"
                                   "int main() { return FROM_TOOLKIT + HALF + THRUST; }\n");
        QCOMPARE(m_command.run({"run", "--cuda-path", "toolkit", "uses.cu"}).code, 125);
        QCOMPARE(m_command.run({"run", "uses.cu"}).code, 2);
        // Where clang cannot read them, ours are.
        m_command.write("toolkit/include/cuda_fp16.h", "#error not this one\n");
        m_command.write(
            "half.cu", "#include <cuda_fp16.h>\nint main() { cudaGetLastError(); return int(float(__half(7.0f))); }\n");
        const CommandResult ours = m_command.run({"run", "--cuda-path", "toolkit", "half.cu"});
        QCOMPARE(ours.code, 7);
        QVERIFY2(ours.errors.contains("Lanescope's own were read"), qPrintable(ours.errors));
        QVERIFY2(ours.errors.contains("cuda_fp16.h:1:2: error: not this one"), qPrintable(ours.errors));
        const CommandResult wrong = m_command.run({"run", "--cuda-path", "nowhere", "uses.cu"});
        QVERIFY2(wrong.errors.contains("nowhere holds no folder 'include'"), qPrintable(wrong.errors));
    }

    /// The one of an include folder, parsed once for all programs; ours where it does not compile.
    void aCcclThatIsThere()
    {
        QDir(m_command.path("")).mkpath("cccl/thrust");
        QDir(m_command.path("")).mkpath("cccl/cub");
        m_command.write("cccl/thrust/version.h", "#pragma once\n#define THRUST_VERSION 200802\n");
        m_command.write("cccl/cub/version.cuh", "#define CUB_VERSION 200802\n");
        m_command.write("cccl/thrust/sort.h", "#ifdef SIZE\n#error SIZE\n#endif\n#include <thrust/version.h>\n");
        const QString text = "#include <thrust/sort.h>\n"
                             "__global__ void kernel() {}\n"
                             "int main() { kernel<<<1, 1>>>(); return THRUST_VERSION / 100000; }\n";
        m_command.write("sorts.cu", text);
        m_command.write("sized.cu", "#define SIZE 4\n" + text);
        m_command.write("more.cu", "#include <thrust/version.h>\n#define SIZE 4\nint main() { return SIZE; }\n");
        for (const char* option : {"-I", "-D"}) {  // -D: by the environment
            if (option[1] == 'D')
                m_command.environment.insert("LANESCOPE_CCCL", m_command.path("cccl"));
            const QStringList given =
                option[1] == 'I' ? QStringList{"-I", "cccl"} : QStringList{"-D", "BY_ENVIRONMENT"};
            QCOMPARE(m_command.run(QStringList{"record", "-o", "sorts.lanes", "sorts.cu"} + given).code, 2);
            QVERIFY(QString::fromStdString(m_command.json({"info", "sorts.lanes"})["session"]["libraries"])
                        .startsWith("CCCL 2.8.2 of "));
            QCOMPARE(m_command.run(QStringList{"run", "more.cu"} + given).code, 4);
        }
        const CommandResult ours = m_command.run({"record", "-o", "sized.lanes", "sized.cu"});
        QVERIFY2(ours.errors.contains("Lanescope's own were read"), qPrintable(ours.errors));
        QVERIFY2(ours.errors.contains("sort.h:2:2: error: SIZE"), qPrintable(ours.errors));
        QCOMPARE(m_command.json({"info", "sized.lanes"})["session"]["libraries"], "Lanescope's own");
        m_command.environment.insert("LANESCOPE_CCCL", "none");
    }

    void buildMakesAnExecutableThatRecords()
    {
        QCOMPARE(m_command.run({"build", Command::kernel("01_map.cu"), "-o", "map"}).code, 0);
        QProcessEnvironment environment = m_command.environment;
        environment.insert("LANESCOPE_TRACE", m_command.path("built.lanes"));
        QCOMPARE(runProcess(m_command.path("map"), {}, environment, m_command.path("")).code, 0);
        QCOMPARE(m_command.json({"info", "built.lanes"})["launches"].size(), size_t(1));
    }

    void missingClangNamesThePackage()
    {
        Command command;
        command.environment.insert("PATH", "/nonexistent");
        command.environment.remove("LANESCOPE_CLANG");
        const CommandResult record = command.run({"record", Command::kernel("01_map.cu")});
        QCOMPARE(record.errors,
                 QString("lanescope: error: clang 19 is needed to compile CUDA programs and 'clang++-19' "
                         "is not in PATH; install it with: apt install clang-19\n"));
        QCOMPARE(record.code, 2);
    }

    void syntaxErrorHasFileLineAndColumnOnce()
    {
        m_command.write("syntax.cu", "int main()\n{\n    return 0\n}\n");
        const CommandResult record = m_command.run({"record", "syntax.cu"});
        QVERIFY2(record.errors.startsWith("syntax.cu:3:13: error: expected ';'"), qPrintable(record.errors));
        QCOMPARE(record.errors.count("error: expected"), 1);
        QVERIFY(record.errors.endsWith("lanescope: error: syntax.cu does not compile\n"));
        QCOMPARE(record.code, 2);
        QVERIFY(!QFile::exists(m_command.path("syntax.lanes")));
    }

    void noKernelLaunchedIsAnError()
    {
        m_command.write("nothing.cu", "int main() {}\n");
        const CommandResult record = m_command.run({"record", "nothing.cu"});
        QCOMPARE(record.errors, QString("lanescope: error: the program launched no kernel; nothing was recorded\n"));
        QCOMPARE(record.code, 2);
        QVERIFY(!QFile::exists(m_command.path("nothing.lanes")));
        QCOMPARE(m_command.run({"run", "nothing.cu"}).code, 0);
    }

    void noValidLaunchSaysWhy()
    {
        m_command.write("refused.cu", "__global__ void k() {}\nint main() { k<<<1, 2048>>>(); }\n");
        const CommandResult record = m_command.run({"record", "refused.cu"});
        QVERIFY2(record.errors.startsWith("refused.cu:2:15: warning: this kernel launch failed"),
                 qPrintable(record.errors));
        QVERIFY2(
            record.errors.endsWith("\nlanescope: error: the program launched no kernel that could run (the last one "
                                   "failed with cudaErrorInvalidConfiguration); nothing was recorded\n"),
            qPrintable(record.errors));
        QCOMPARE(record.code, 2);
    }

    void missingSourceIsAnError()
    {
        const CommandResult record = m_command.run({"record", "nowhere.cu"});
        QCOMPARE(record.errors, QString("lanescope: error: nowhere.cu: No such file or directory\n"));
        QCOMPARE(record.code, 2);
    }

    void stepLimitKeepsTheTrace()
    {
        m_command.write("endless.cu", "__global__ void k(volatile int* a) { while (a[0] == 0) {} }\n"
                                      "int main()\n{\n    int* a;\n    cudaMalloc(&a, 4);\n    cudaMemset(a, 0, 4);\n"
                                      "    k<<<1, 32>>>(a);\n    return cudaDeviceSynchronize() != cudaSuccess;\n}\n");
        const CommandResult record = m_command.run({"record", "--max-steps", "5000", "endless.cu"});
        QVERIFY2(record.errors.contains("step-limit"), qPrintable(record.errors));
        QCOMPARE(record.code, 3);
        const nlohmann::json info = m_command.json({"info", "endless.lanes"});
        QVERIFY(info["session"]["stopReason"].get<std::string>().rfind("step-limit", 0) == 0);
        const nlohmann::json check = m_command.json({"check", "endless.lanes"});
        QCOMPARE(check["findings"][0]["kind"].get<std::string>(), std::string("step-limit"));
    }

    void hostDereferenceNamesTheBuffer()
    {
        m_command.write("deref.cu", "#include <cstdio>\n__global__ void k(float* a) { a[0] = 1; }\nint main()\n{\n"
                                    "    float* x;\n    cudaMalloc(&x, 36);\n    k<<<1, 1>>>(x);\n"
                                    "    std::puts(\"before\");\n    std::printf(\"%g\\n\", x[3]);\n}\n");
        const CommandResult record = m_command.run({"record", "deref.cu"});
        QCOMPARE(record.output, QString("before\n"));
        QVERIFY2(record.errors.contains("deref.cu:9: host code read device memory: address 0x"),
                 qPrintable(record.errors));
        QVERIFY2(record.errors.contains("is buffer 'a' (36 bytes, cudaMalloc #1), element 3; use cudaMemcpy"),
                 qPrintable(record.errors));
        QCOMPARE(record.code, 128 + 11);
        const nlohmann::json check = m_command.json({"check", "deref.lanes"});
        QCOMPARE(check["findings"].size(), size_t(1));
        QCOMPARE(check["findings"][0]["kind"].get<std::string>(), std::string("host-access-of-device-memory"));
        QCOMPARE(check["findings"][0]["buffer"].get<std::string>(), std::string("a"));
    }

    void outOfBoundsIsFoundAtItsLine()
    {
        m_command.write("oob.cu", "__global__ void k(float* a)\n{\n    a[threadIdx.x] = 1;\n}\nint main()\n{\n"
                                  "    float* x;\n    cudaMalloc(&x, 12);\n    k<<<1, 8>>>(x);\n"
                                  "    cudaDeviceSynchronize();\n    cudaFree(x);\n}\n");
        const CommandResult run = m_command.run({"run", "oob.cu"});
        QVERIFY2(run.errors.contains("oob.cu:3:"), qPrintable(run.errors));
        QVERIFY2(run.errors.contains("[out-of-bounds]"), qPrintable(run.errors));
        const nlohmann::json check = m_command.json({"check", "oob.cu"});
        QCOMPARE(check["findings"].size(), size_t(1));
        const nlohmann::json& finding = check["findings"][0];
        QCOMPARE(finding["kind"].get<std::string>(), std::string("out-of-bounds"));
        QCOMPARE(finding["buffer"].get<std::string>(), std::string("a"));
        QCOMPARE(finding["accesses"][0]["line"].get<int>(), 3);
        QCOMPARE(m_command.run({"check", "oob.cu"}).code, 1);
        QCOMPARE(m_command.run({"check", Command::kernel("01_map.cu")}).code, 0);
    }

    void unknownFunctionStopsWithItsLine()
    {
        m_command.write("unknown.cu", "extern \"C\" __device__ int mystery(int);\n__global__ void k(int* a)\n{\n"
                                      "    a[0] = mystery(1);\n}\nint main()\n{\n    int* x;\n    cudaMalloc(&x, 4);\n"
                                      "    k<<<1, 1>>>(x);\n    return cudaDeviceSynchronize() != cudaSuccess;\n}\n");
        const CommandResult record = m_command.run({"record", "unknown.cu"});
        QVERIFY2(record.errors.contains("unknown.cu:4:"), qPrintable(record.errors));
        QVERIFY2(record.errors.contains("mystery"), qPrintable(record.errors));
        QCOMPARE(record.code, 2);
    }

    void selectedBlocksAreRecordedAndTheRestCounted()
    {
        QCOMPARE(
            m_command.run({"record", "-o", "b.lanes", "--blocks", "1:3,2", Command::kernel("14_matmul_tiled.cu")}).code,
            0);
        const nlohmann::json launch = m_command.json({"info", "b.lanes"})["launches"][0];
        QCOMPARE(launch["blocksRecorded"].get<int>(), 2);
        QCOMPARE(launch["blocksDropped"].get<int>(), 7);
    }

    /// Who is recorded runs beside the others of its block, who is not in their place, one after the other.
    void blocksThatAreRecordedAmongOthersRunRight()
    {
        m_command.write("rows.cu", "#include <cstdio>\n"
                                   "__global__ void k(int* out, int n)\n{\n"
                                   "    int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                   "    int y = blockIdx.y * blockDim.y + threadIdx.y;\n"
                                   "    out[y * n + x] = y * n + x;\n}\n"
                                   "int main()\n{\n    const int n = 64;\n    int *out, wrong = 0;\n"
                                   "    static int host[n * n];\n    cudaMalloc(&out, sizeof host);\n"
                                   "    k<<<dim3(2, 8), dim3(32, 8)>>>(out, n);\n"
                                   "    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);\n"
                                   "    for (int i = 0; i < n * n; ++i)\n        wrong += host[i] != i;\n"
                                   "    printf(\"%d wrong\\n\", wrong);\n}\n");
        for (const QStringList& options : {QStringList{}, QStringList{"--as-compiled"}}) {
            const CommandResult record =
                m_command.run(QStringList{"record", "-q", "-o", "rows.lanes", "--threads", "1", "--blocks", "1,2:6"} +
                              options + QStringList{"rows.cu"});
            QCOMPARE(record.output, "0 wrong\n");
            QCOMPARE(record.code, 0);
        }
    }

    void badArgumentsAreErrors_data()
    {
        QTest::addColumn<QStringList>("arguments");
        const QString program = Command::kernel("01_map.cu");
        QTest::newRow("unknown command") << QStringList{"recrod"};
        QTest::newRow("no program") << QStringList{"record"};
        QTest::newRow("schedule") << QStringList{"record", "--schedule", "random", program};
        QTest::newRow("blocks") << QStringList{"record", "--blocks", "3:1", program};
        QTest::newRow("bytes") << QStringList{"record", "--max-bytes", "many", program};
        QTest::newRow("device") << QStringList{"record", "--device", "tpu", program};
        QTest::newRow("cuda") << QStringList{"record", "--device", "cuda", program};
        QTest::newRow("no folder") << QStringList{"record", "-o", "no/such/folder/t.lanes", program};
        QTest::newRow("folder") << QStringList{"record", "."};
        QTest::newRow("no trace") << QStringList{"info", "nowhere.lanes"};
        QTest::newRow("not a trace") << QStringList{"state", program};
        QTest::newRow("format") << QStringList{"info", "nowhere.lanes", "--format", "xml"};
    }
    void badArgumentsAreErrors()
    {
        QFETCH(QStringList, arguments);
        const CommandResult result = m_command.run(arguments);
        QVERIFY2(result.errors.startsWith("lanescope: error: "), qPrintable(result.errors));
        QCOMPARE(result.errors.count('\n'), 1);
        QCOMPARE(result.output, QString());
        QCOMPARE(result.code, 2);
    }

    void sandboxTakesWritesAway()
    {
        Command command;
        command.write("writes.cu",
                      "#include <cstdio>\n#include <cstdlib>\n#include <string>\n"
                      "int main()\n{\n"
                      "    const std::string scratch = std::getenv(\"TMPDIR\");\n"
                      "    std::printf(\"%d \", std::fopen((scratch + \"/inside\").c_str(), \"w\") != nullptr);\n"
                      "    std::printf(\"%d\\n\", std::fopen(\"outside\", \"w\") != nullptr);\n}\n");
        const CommandResult run = command.run({"run", "--sandbox", "writes.cu"});
        if (run.errors.contains("on this system"))
            QSKIP("the kernel allows no sandbox");
        QCOMPARE(run.output, QString("1 0\n"));
        QVERIFY(!QFile::exists(command.path("outside")));
    }
};

QTEST_GUILESS_MAIN(TestRecord)
#include "tst_record.moc"
