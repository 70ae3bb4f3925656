// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `lanescope check` prints: text, JSON, SARIF, suppressions, exit codes. What it finds: tests/check.
#include <QRegularExpression>
#include <QtTest>

#include "command.h"

using namespace lanescope::test;
using nlohmann::json;

class TestCheck : public QObject {
    Q_OBJECT

    Command m_command;

    /// Writes past `out` on line 5, seven times; \p comment stands at the end of that line.
    QString program(const QString& name, const QString& comment = {})
    {
        return m_command.write(name, "#include <cstdio>\n"
                                     "__global__ void past(int* out)\n"
                                     "{\n"
                                     "\tint i = threadIdx.x;\n"
                                     "\tout[i + 1] = i;" +
                                         comment +
                                         "\n"
                                         "}\n"
                                         "int main()\n"
                                         "{\n"
                                         "    int* p;\n"
                                         "    cudaMalloc(&p, 4);\n"
                                         "    past<<<1, 7>>>(p);\n"
                                         "    cudaDeviceSynchronize();\n"
                                         "    cudaFree(p);\n"
                                         "}\n");
    }

private slots:
    void bothSidesOfARaceHaveTheirStep()
    {
        m_command.write(
            "shift.cu",
            "__global__ void shift(int* out)\n{\n    __shared__ int s[32];\n    s[threadIdx.x] = threadIdx.x;\n"
            "    __syncthreads();\n    if (threadIdx.x < 31)\n        s[threadIdx.x] = s[threadIdx.x + 1];\n"
            "    __syncthreads();\n    out[threadIdx.x] = s[threadIdx.x];\n}\n"
            "int main()\n{\n    int* out;\n    cudaMalloc(&out, 128);\n    shift<<<1, 32>>>(out);\n"
            "    cudaFree(out);\n}\n");
        const nlohmann::json found = m_command.json({"check", "shift.cu"})["findings"];
        QCOMPARE(found.size(), size_t(1));
        const nlohmann::json& sides = found[0]["accesses"];
        QCOMPARE(sides.size(), size_t(2));
        QVERIFY(sides[0]["step"] > 0);
        QVERIFY(sides[0]["step"] < sides[1]["step"]);
        QCOMPARE(sides[0]["epoch"], 1);
    }

    /// It has not been given what it asked for, and did not look.
    void whatTheHostDoesBehindALimitIsNoFinding()
    {
        m_command.write("limit.cu",
                        "__global__ void turn(volatile int* x)\n{\n    while (*x < 9)\n        x[1] = x[1] + 1;\n}\n"
                        "int main()\n{\n    int *x, *list;\n    cudaMalloc(&x, 8);\n"
                        "    cudaMemset(x, 0, 8);\n    cudaMallocHost(&list, 4096);\n"
                        "    cudaFreeHost(list);\n    turn<<<1, 1>>>(x);\n"
                        "    cudaMallocHost(&list, 4096);\n    list[0] = 1;\n}\n");
        // The program dies of that write; a sanitizer must leave it to the runtime to tell.
        const QProcessEnvironment before = m_command.environment;
        m_command.environment.insert("ASAN_OPTIONS", "detect_leaks=0:handle_segv=0");
        const nlohmann::json check = m_command.json({"check", "--max-steps", "20000", "limit.cu"});
        m_command.environment = before;
        QCOMPARE(check["findings"].size(), size_t(1));
        QCOMPARE(check["findings"][0]["kind"].get<std::string>(), std::string("step-limit"));
        QVERIFY(!check["complete"].get<bool>());
    }

    /// Wherever the compiler has put them: called at -O0, inlined in what it optimises.
    void libraryHeadersNameTheLineThatLedThere_data()
    {
        QTest::addColumn<QString>("mode");
        QTest::newRow("-O0") << "--strict";
        QTest::newRow("as compiled") << "--as-compiled";
    }
    void libraryHeadersNameTheLineThatLedThere()
    {
        QFETCH(QString, mode);
        const QTemporaryDir library;
        QFile header(library.filePath("library.h"));
        QVERIFY(header.open(QIODevice::WriteOnly));
        header.write("__device__ inline int inner(const int* a, int i)\n{\n    return a[i];\n}\n"
                     "__device__ inline int outer(const int* a, int i)\n{\n    return inner(a, i + 1);\n}\n");
        header.close();
        m_command.write("uses.cu",
                        "#include <library.h>\n__global__ void sum(const int* a, int* b)\n{\n"
                        "    b[threadIdx.x] = outer(a, threadIdx.x);\n}\n"
                        "int main()\n{\n    int *a, *b;\n    cudaMalloc(&a, 128);\n    cudaMalloc(&b, 128);\n"
                        "    cudaMemset(a, 0, 128);\n    sum<<<1, 32>>>(a, b);\n    cudaFree(a);\n"
                        "    cudaFree(b);\n}\n");
        const nlohmann::json found = m_command.json({"check", mode, "-I", library.path(), "uses.cu"})["findings"];
        QCOMPARE(found.size(), size_t(1));
        QVERIFY(QString::fromStdString(found[0]["accesses"][0]["file"]).endsWith("library.h"));
        QCOMPARE(found[0]["accesses"][0]["line"], 3);
        QCOMPARE(found[0]["calls"].size(), size_t(1));
        QCOMPARE(found[0]["calls"][0]["line"], 4);
        QVERIFY(m_command.run({"check", "-I", library.path(), "uses.cu"}).output.contains("the program's line"));
    }

    /// Which limit a launch broke, with the number that broke it.
    void refusedLaunchSaysWhy_data()
    {
        QTest::addColumn<QString>("launch");
        QTest::addColumn<QString>("why");
        QTest::newRow("block") << "set<<<1, dim3(64, 32)>>>()"
                               << "64 x 32 x 1 threads per block, at most 1024 in all and 1024 x 1024 x 64";
        QTest::newRow("grid") << "set<<<dim3(1, 70000), 1>>>()"
                              << "a grid of 1 x 70000 x 1 blocks, at most 2147483647 x 65535 x 65535";
        QTest::newRow("empty") << "set<<<0, 1>>>()" << "a grid of 0 x 1 x 1 blocks of 1 x 1 x 1 threads is empty";
        QTest::newRow("bounds") << "small<<<1, 128>>>()"
                                << "128 threads per block, at most 64 by the kernel's __launch_bounds__";
        QTest::newRow("dynamic") << "set<<<1, 1, 50000>>>()"
                                 << "50000 bytes of dynamic shared memory, at most 49152 unless cudaFuncSetAttribute "
                                    "allows more";
        QTest::newRow("static") << "large<<<1, 1>>>()" << "60000 bytes of __shared__ variables, at most 49152";
    }
    void refusedLaunchSaysWhy()
    {
        QFETCH(QString, launch);
        QFETCH(QString, why);
        m_command.write("refused.cu", "__device__ int sum;\n"
                                      "__global__ void set() { sum = 1; }\n"
                                      "__global__ void __launch_bounds__(64) small() { sum = 1; }\n"
                                      "__global__ void large()\n{\n    __shared__ int s[15000];\n"
                                      "    s[threadIdx.x] = 1;\n    sum = s[threadIdx.x];\n}\n"
                                      "int main()\n{\n    set<<<1, 1>>>();\n    " +
                                          launch + ";\n    cudaDeviceSynchronize();\n}\n");
        const nlohmann::json found = m_command.json({"check", "refused.cu"})["findings"];
        QCOMPARE(found.size(), size_t(1));
        const QString message = QString::fromStdString(found[0]["message"].get<std::string>());
        QVERIFY2(message.contains("(" + why + "), and nobody looked at it"), qPrintable(message));
    }

    /// Also of calls that leave all they do to a function that others share.
    void ignoredErrorNamesTheCall_data()
    {
        QTest::addColumn<QString>("call");
        for (const char* call : {"cudaMemcpy(p, nullptr, 4, cudaMemcpyHostToDevice)",
                                 "cudaMemcpyAsync(p, nullptr, 4, cudaMemcpyHostToDevice)", "cudaMemset(nullptr, 0, 4)",
                                 "cudaStreamSynchronize((cudaStream_t)99)", "cudaEventQuery((cudaEvent_t)99)"})
            QTest::newRow(call) << QString(call);
    }
    void ignoredErrorNamesTheCall()
    {
        QFETCH(QString, call);
        m_command.write("ignored.cu",
                        "__global__ void set(int* p) { *p = 1; }\n"
                        "int main()\n{\n    int* p;\n    cudaMalloc(&p, 4);\n    set<<<1, 1>>>(p);\n    " +
                            call + ";\n    cudaDeviceSynchronize();\n    cudaFree(p);\n}\n");
        const nlohmann::json found = m_command.json({"check", "ignored.cu"})["findings"];
        QCOMPARE(found.size(), size_t(1));
        const QString message = QString::fromStdString(found[0]["message"].get<std::string>());
        QVERIFY2(message.startsWith(call.section('(', 0, 0) + " failed with "), qPrintable(message));
    }

    void programWithoutKernelsIsFineUnlessItFails()
    {
        m_command.write("none.cu", "int main(int count, char**)\n{\n    return count - 1;\n}\n");
        const CommandResult fine = m_command.run({"check", "none.cu"});
        QCOMPARE(fine.output, QString("no findings: the program launched no kernel\n"));
        QCOMPARE(fine.code, 0);
        QVERIFY(m_command.json({"check", "none.cu"})["findings"].empty());
        const CommandResult failed = m_command.run({"check", "none.cu", "--", "more"});
        QVERIFY(failed.errors.contains("the program launched no kernel; nothing was checked"));
        QCOMPARE(failed.code, 2);
    }

    void sameFindingsAndMemoryWithAnyNumberOfThreads()
    {
        // Blocks overwrite what their neighbours read: what is found must not depend on which of them ran first here.
        m_command.write(
            "neighbours.cu",
            "__global__ void smooth(float* a, int n)\n{\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
            "    if (i > 0 && i < n - 1)\n        a[i] = (a[i - 1] + a[i] + a[i + 1]) / 3;\n}\n"
            "int main()\n{\n    static float h[4096];\n    for (int i = 0; i < 4096; ++i) h[i] = i * i % 97;\n"
            "    float* a;\n    cudaMalloc(&a, sizeof h);\n    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);\n"
            "    smooth<<<64, 64>>>(a, 4096);\n    cudaFree(a);\n}\n");
        const auto findings = [&](const char* threads) {
            return m_command.json({"check", "neighbours.cu", "--threads", threads}).dump();
        };
        const auto state = [&](const char* threads) {
            m_command.run({"record", "neighbours.cu", "--threads", threads, "-o", "neighbours.lanes"});
            return m_command.json({"state", "neighbours.lanes", "--at", "last"}).dump();
        };
        const std::string foundByOne = findings("1");
        QVERIFY(foundByOne.find("global-race") != std::string::npos);
        const std::string leftByOne = state("1");
        for (const char* threads : {"2", "5", "2"}) {
            QCOMPARE(findings(threads), foundByOne);
            QCOMPARE(state(threads), leftByOne);
        }
    }

    void textShowsTheExpression()
    {
        const CommandResult check = m_command.run({"check", program("past.cu")});
        QCOMPARE(
            check.output,
            QString("past.cu:5:2: error: write of out[1] is out of bounds: out is int[1], allocated in line 10 as p "
                    "[out-of-bounds]\n"
                    "    5 | \tout[i + 1] = i;\n"
                    "      | \t^~~~~~~~~~ write by block (0,0,0) thread (0,0,0), epoch 0, step 2\n"
                    "  in past, launch 0; 7 times\n"
                    "  why:  the cell belongs to another object or to none: a GPU reads or overwrites whatever "
                    "lies there, often without an error\n"
                    "  help: compare the index with the size before the access, or allocate what the largest "
                    "index needs\n"
                    "\n"
                    "1 error\n"));
        QCOMPARE(check.errors, QString());
        QCOMPARE(check.code, 1);
    }

    void aBufferHasItsNameOnTheHostToo()
    {
        m_command.write("names.cu",
                        "__global__ void copy(int* out, const int* in) { out[threadIdx.x] = in[threadIdx.x]; }\n"
                        "int main()\n{\n    int *image, *result;\n"
                        "    cudaMalloc(&image, 64 * 4); cudaMalloc((void**)&result, 40);\n"
                        "    cudaMemset(image, 0, 64 * 4);\n    copy<<<1, 11>>>(result, image);\n"
                        "    cudaFree(image);\n    cudaFree(result);\n}\n");
        const json findings = m_command.json({"check", "names.cu"})["findings"];
        QCOMPARE(findings.size(), size_t{1});
        QCOMPARE(findings[0]["message"].get<std::string>(),
                 std::string("write of out[10] is out of bounds: out is int[10], allocated in line 5 as result"));
    }

    void aRaceNamesTheBufferAsTheHostDoes()
    {
        m_command.write("races.cu", "__global__ void pair(int* out, int* same) { out[threadIdx.x / 2] = threadIdx.x; "
                                    "same[0] = threadIdx.x; }\n"
                                    "int main()\n{\n    int *d_out, *same;\n    cudaMalloc(&d_out, 128);\n"
                                    "    cudaMalloc(&same, 128);\n    pair<<<1, 32>>>(d_out, same);\n"
                                    "    cudaFree(d_out);\n    cudaFree(same);\n}\n");
        const QString text = m_command.run({"check", "races.cu"}).output;
        QVERIFY(text.contains("(write after write); out is d_out of line 5 [global-race]"));
        QVERIFY(!text.contains("same is"));
    }

    void kernelsOfLibrariesNameTheCallOnTheHost()
    {
        m_command.write("negate.cu", "#include <thrust/device_vector.h>\n#include <thrust/execution_policy.h>\n"
                                     "#include <thrust/transform.h>\nint main()\n{\n    int *a, *b;\n"
                                     "    cudaMalloc(&a, 40); cudaMalloc(&b, 32);\n    cudaMemset(a, 0, 40);\n"
                                     "    thrust::transform(thrust::device, a, a + 10, b, thrust::negate<int>());\n"
                                     "    cudaFree(a); cudaFree(b);\n}\n");
        const json findings = m_command.json({"check", "negate.cu"})["findings"];
        QCOMPARE(findings.size(), size_t{1});
        QCOMPARE(findings[0]["calls"][0]["line"].get<int>(), 9);
        const QString text = m_command.run({"run", "negate.cu"}).errors;
        QVERIFY2(text.contains(", by way of negate.cu:9"), qPrintable(text));
    }

    /// The compiler names files below the folder it runs in by what comes after it, our own headers as well.
    void callsAreFoundWhereverItRuns()
    {
        m_command.write("leaks.cu", "int main()\n{\n    int* p;\n    cudaMalloc(&p, 4);\n}\n");
        Command above;
        above.workingFolder = QStringLiteral(LANESCOPE_KERNELS_FOLDER "/..");
        const json finding = above.json({"check", m_command.path("leaks.cu")})["findings"][0];
        QCOMPARE(finding["kind"].get<std::string>(), std::string("leak"));
        QCOMPARE(finding["accesses"][0]["line"].get<int>(), 4);
    }

    void jsonHoldsTheContract()
    {
        const json document = m_command.json({"check", program("json.cu")});
        QCOMPARE(document["schema"].get<int>(), 1);
        QCOMPARE(document["device"].get<std::string>(), std::string("simulator"));
        QCOMPARE(document["programExit"].get<int>(), 0);
        QCOMPARE(document["dropped"].get<int>(), 0);
        QVERIFY(document["unsupported"].empty());
        QCOMPARE(document["findings"].size(), size_t(1));
        json finding = document["findings"][0];
        finding.erase("message");
        QVERIFY(finding == json::parse(R"({"kind": "out-of-bounds", "severity": "error", "count": 7, "kernel": "past",
            "launch": 0, "buffer": "out", "cell": [1], "accesses": [{"file": "json.cu", "line": 5, "column": 2,
            "expression": "out[i + 1]", "access": "write", "block": [0, 0, 0], "thread": [0, 0, 0], "epoch": 0,
            "step": 2}]})"));
    }

    /// a[0][8] of float[4][8]: in the array's own dimensions, though memory has it at a[1][0].
    void indicesOutsideTheirDimensionAreTheCell()
    {
        m_command.write("shape.cu", "__global__ void past(float* out)\n{\n    __shared__ float a[4][8];\n"
                                    "    a[threadIdx.x][0] = 1;\n    __syncwarp();\n    if (threadIdx.x == 0)\n"
                                    "        *out = a[0][threadIdx.x + 8];\n}\n"
                                    "int main()\n{\n    float* p;\n    cudaMalloc(&p, 4);\n    past<<<1, 4>>>(p);\n"
                                    "    return cudaDeviceSynchronize() + cudaFree(p);\n}\n");
        const json finding = m_command.json({"check", m_command.path("shape.cu")})["findings"][0];
        QCOMPARE(finding["kind"].get<std::string>(), std::string("index-out-of-shape"));
        QCOMPARE(finding["buffer"].get<std::string>(), std::string("a"));
        QVERIFY(finding["cell"] == json::parse("[0, 8]"));
    }

    void traceGivesWhatTheRunGave()
    {
        const QString source = program("same.cu");
        m_command.run({"record", "-o", "same.lanes", source});
        const json fromRun = m_command.json({"check", source});
        QVERIFY(fromRun["findings"] == m_command.json({"check", "same.lanes"})["findings"]);
        QVERIFY(fromRun == m_command.json({"check", source}));
    }

    /// Nothing was found, but not all was checked.
    void aProgramThatCrashesIsNotClean()
    {
        const QString source = m_command.write("crash.cu", "__global__ void nothing() {}\n"
                                                           "int main()\n"
                                                           "{\n"
                                                           "    nothing<<<1, 1>>>();\n"
                                                           "    cudaDeviceSynchronize();\n"
                                                           "    __builtin_trap();\n"
                                                           "}\n");
        const CommandResult check = m_command.run({"check", source});
        QCOMPARE(check.code, 2);
        QVERIFY2(check.errors.contains("the program was ended by signal "), qPrintable(check.errors));
    }

    void sarifHasWhatTheStandardWants()
    {
        const CommandResult check = m_command.run({"check", "--format", "sarif", program("a b.cu")});
        QCOMPARE(check.code, 1);
        const json document = json::parse(check.output.toStdString());
        QCOMPARE(document["version"].get<std::string>(), std::string("2.1.0"));
        QVERIFY(document["$schema"].get<std::string>().find("sarif-2.1.0.json") != std::string::npos);
        QCOMPARE(document["runs"].size(), size_t(1));
        const json& run = document["runs"][0];
        const json& driver = run["tool"]["driver"];
        QVERIFY(!driver["name"].get<std::string>().empty());
        QVERIFY(run["invocations"][0]["executionSuccessful"].get<bool>());
        QCOMPARE(run["results"].size(), size_t(1));
        for (const json& result : run["results"]) {
            const json& rule = driver["rules"][result["ruleIndex"].get<size_t>()];
            QVERIFY(rule["id"] == result["ruleId"]);
            QVERIFY(!rule["shortDescription"]["text"].get<std::string>().empty());
            QVERIFY(result["level"] == "error" && !result["message"]["text"].get<std::string>().empty());
            QCOMPARE(result["occurrenceCount"].get<int>(), 7);
            QVERIFY(!result["partialFingerprints"].empty());
            const json& place = result["locations"][0]["physicalLocation"];
            QCOMPARE(place["artifactLocation"]["uri"].get<std::string>(), std::string("a%20b.cu"));
            QCOMPARE(place["region"]["startLine"].get<int>(), 5);
            QCOMPARE(place["region"]["startColumn"].get<int>(), 2);
        }
    }

    void commentAllowsAFinding()
    {
        const QString source = program("allowed.cu", "  // lanescope: allow out-of-bounds (on purpose)");
        const CommandResult check = m_command.run({"check", source});
        QCOMPARE(check.output, QString("no findings (1 suppressed)\n"));
        QCOMPARE(check.code, 0);
        const CommandResult sarif = m_command.run({"check", "--format", "sarif", source});
        const json result = json::parse(sarif.output.toStdString())["runs"][0]["results"][0];
        QVERIFY(result["suppressions"] == json::parse(R"([{"kind": "inSource", "justification": "on purpose"}])"));
    }

    void unusedSuppressionsAreReported()
    {
        m_command.write("allow.txt", "# known\nout-of-bounds a*.cu:5 (seen)\nshared-race in past\n");
        const CommandResult check = m_command.run(
            {"check", "--suppressions", "allow.txt", program("anywhere.cu", " // lanescope: allow leak")});
        QCOMPARE(check.output, QString("anywhere.cu:5: note: unused suppression: allow leak\n"
                                       "allow.txt:3: note: unused suppression: shared-race in past\n"
                                       "no findings (1 suppressed)\n"));
        QCOMPARE(check.code, 0);
    }

    void badSuppressionsFileIsAnError()
    {
        m_command.write("bad.txt", "out-of-bounds\nout-of-bonds x.cu\n");
        const CommandResult check = m_command.run({"check", "--suppressions", "bad.txt", program("any.cu")});
        QCOMPARE(check.errors, QString("lanescope: error: bad.txt:2: found 'out-of-bonds x.cu', expected KIND, KIND "
                                       "FILE[:LINE] or KIND in KERNEL\n"));
        QCOMPARE(check.code, 2);
    }
};

QTEST_GUILESS_MAIN(TestCheck)
#include "tst_check.moc"
