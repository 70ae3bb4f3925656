// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs every program in cases/ in the simulator and compares its output with the expected text: at -O0 and as
// compiled, under every schedule, and with the handlers of every instruction set. Extra output fails.
#include <QDir>
#include <QFile>
#include <QIODevice>
#include <QPair>
#include <QTemporaryDir>
#include <QTest>

#include "tests/support/process.h"
#include "tests/support/sampling.h"

class KernelCasesTest : public QObject {
    Q_OBJECT

private slots:
    void printsWhatIsExpected_data();
    void printsWhatIsExpected();
    void unsupportedCodeIsNamedWithItsLine();
    void stepLimitStopsAnEndlessKernel();
    void livelockNamesWhoGoesRoundAndWhoWaits_data();
    void livelockNamesWhoGoesRoundAndWhoWaits();
    void waitingForTheClockIsNoLivelock();
    void barrierOfManyBlocksMadeByHand();
    void outOfBoundsNamesBufferAndLine();
    void structsWithoutATagAreNamedByTheirTypedef();
    void whatIsGoneIsToldFromWhatNobodyWrote();
    void lanesSpinningOnANeighboursLockMakeProgress();
    void divergentBarrierDoesNotHang();

private:
    using Outcome = lanescope::test::ProcessResult;
    Outcome run(const QString& program, const QStringList& options, const QString& isa = {});
    Outcome runText(const char* source, const QStringList& options = {});
    QTemporaryDir m_folder;
};

namespace {

const QString kCases = QStringLiteral(SOURCE_DIR "/tests/simt/cases/");

QString textOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

}  // namespace

KernelCasesTest::Outcome KernelCasesTest::run(const QString& program, const QStringList& options, const QString& isa)
{
    return lanescope::test::runProcess(LANESCOPE_EXE, QStringList{"run", program} + options,
                                       lanescope::test::environmentWith({{"LANESCOPE_ISA", isa}}));
}

KernelCasesTest::Outcome KernelCasesTest::runText(const char* source, const QStringList& options)
{
    QString path = m_folder.filePath("program.cu");
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly))
        return {};
    file.write(source);
    file.close();
    return run(path, options);
}

void KernelCasesTest::printsWhatIsExpected_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<QString>("isa");
    const QList<QPair<QString, QStringList>> modes{{"-O0", {}},
                                                   {"as compiled", {"--as-compiled"}},
                                                   {"sequential", {"--schedule", "sequential"}},
                                                   {"reverse", {"--schedule", "reverse"}},
                                                   {"random", {"--schedule", "random:7"}}};
    for (const QString& file : QDir(kCases).entryList({"*.expected"})) {
        QString name = file.chopped(9);
        for (const auto& [mode, options] : modes)
            if (lanescope::test::sampled())
                QTest::newRow(qPrintable(name + " " + mode)) << name << options << "";
        QTest::newRow(qPrintable(name + " without AVX")) << name << QStringList{} << "base";
        QTest::newRow(qPrintable(name + " AVX2")) << name << QStringList{"--as-compiled"} << "avx2";
    }
    // Whose lanes poll for each other across blocks; of other cases some say which lanes came together.
    QTest::newRow("clusters lane by lane") << "clusters" << QStringList{"--schedule", "lanes:7"} << "";
}

void KernelCasesTest::printsWhatIsExpected()
{
    QFETCH(QString, name);
    QFETCH(QStringList, options);
    QFETCH(QString, isa);
    Outcome outcome = run(kCases + name + ".cu", options, isa);
    QCOMPARE(outcome.errors, QString());
    QCOMPARE(outcome.output, textOf(kCases + name + ".expected"));
    QCOMPARE(outcome.code, 0);
}

void KernelCasesTest::unsupportedCodeIsNamedWithItsLine()
{
    Outcome outcome = runText("__global__ void kernel(int* out) {\n"
                              "    asm volatile(\"tcgen05.wait::ld.sync.aligned;\");\n"
                              "    out[0] = 1;\n"
                              "}\n"
                              "int main() { int* p; cudaMalloc(&p, 4); kernel<<<1, 1>>>(p); return 0; }\n");
    QCOMPARE(outcome.code, 2);
    QVERIFY2(outcome.errors.contains("program.cu:2:5") && outcome.errors.contains("'tcgen05.wait::ld.sync.aligned'"),
             qPrintable(outcome.errors));
}

void KernelCasesTest::stepLimitStopsAnEndlessKernel()
{
    Outcome outcome = runText("__global__ void kernel(int* out) { while (out[0] == 0) out[1] += 1; }\n"
                              "int main() { int* p; cudaMalloc(&p, 8); cudaMemset(p, 0, 8); kernel<<<1, 1>>>(p);\n"
                              "    return cudaDeviceSynchronize() == cudaSuccess; }\n",
                              {"--max-steps", "100000"});
    QCOMPARE(outcome.code, 3);
    QVERIFY2(outcome.errors.contains(
                 "step-limit: more than 100000 warp instructions in one launch (--max-steps): 1 thread at line 1"),
             qPrintable(outcome.errors));
}

void KernelCasesTest::livelockNamesWhoGoesRoundAndWhoWaits_data()
{
    QTest::addColumn<QString>("body");
    QTest::addColumn<QString>("expected");
    QTest::newRow("a flag nobody sets") << "if (threadIdx.x == 3)\n        while (a[0] == 0) {}\n    __syncthreads();"
                                        << "1 thread goes round at line 2; 63 threads wait at line 3";
    QTest::newRow("lanes wait for others of their warp")
        << "if (threadIdx.x % 2)\n        while (a[0] == 0) {}\n    __syncwarp();"
        << "32 threads go round at line 2; 32 threads wait at line 3";
    QTest::newRow("round through barriers")
        << "do {\n        __syncthreads();\n    } while (__syncthreads_or(a[0]) == 0);"
        << "64 threads go round at line 3";
    QTest::newRow("no memory at all") << "unsigned x = threadIdx.x;\n    do {\n        x = (x * 5 + 1) % 256;\n"
                                         "    } while (x < 256 + a[0]);"
                                      << "64 threads go round at line 4";
    QTest::newRow("a lock taken twice") << "if (threadIdx.x == 0) {\n        while (atomicCAS(lock, 0, 1)) {}\n        "
                                           "while (atomicCAS(lock, 0, 1)) {}\n"
                                           "    }"
                                        << "1 thread goes round at line 3";
    QTest::newRow("stores that change nothing") << "while (a[0] == 0)\n        a[1 + threadIdx.x] = 7;"
                                                << "64 threads go round at line 1";
}

void KernelCasesTest::livelockNamesWhoGoesRoundAndWhoWaits()
{
    QFETCH(QString, body);
    QFETCH(QString, expected);
    for (const QStringList& options :
         {QStringList{}, QStringList{"--as-compiled"}, QStringList{"--schedule", "reverse"}}) {
        const QString program =
            "__global__ void kernel(volatile int* a, int* lock) { " + body +
            " a[100] = 1; }\n"
            "int main() { int* p; cudaMalloc(&p, 512); cudaMemset(p, 0, 512); kernel<<<3, 64>>>(p, p + 90);\n"
            "    return cudaDeviceSynchronize() == cudaSuccess; }\n";
        const Outcome outcome = runText(qPrintable(program), options);
        QCOMPARE(outcome.code, 3);
        QVERIFY2(outcome.errors.contains("livelock: no thread changes anything any more; " + expected),
                 qPrintable(outcome.errors));
    }
}

void KernelCasesTest::waitingForTheClockIsNoLivelock()
{
    Outcome outcome = runText("#include <cstdio>\n"
                              "__global__ void kernel(int* out) {\n"
                              "    long long begin = clock64();\n"
                              "    while (clock64() - begin < 50000000) {}\n"
                              "    out[threadIdx.x] = 1;\n"
                              "}\n"
                              "int main() { int* p; cudaMalloc(&p, 32); kernel<<<1, 8>>>(p);\n"
                              "    std::puts(cudaGetErrorString(cudaDeviceSynchronize())); }\n");
    QCOMPARE(outcome.output, QString("no error\n"));
    QCOMPARE(outcome.code, 0);
}

/// Hundreds of blocks under way, each of which waits for all others, again and again.
void KernelCasesTest::barrierOfManyBlocksMadeByHand()
{
    Outcome outcome = runText("#include <cstdio>\n"
                              "__device__ unsigned arrived;\n"
                              "__device__ volatile unsigned opened;\n"
                              "__global__ void kernel(unsigned* out) {\n"
                              "    for (unsigned i = 0; i < 10; ++i) {\n"
                              "        if (atomicAdd(&arrived, 1) == gridDim.x - 1) {\n"
                              "            arrived = 0;\n"
                              "            __threadfence();\n"
                              "            opened = i + 1;\n"
                              "        }\n"
                              "        while (opened <= i) {}\n"
                              "    }\n"
                              "    atomicAdd(out, 1);\n"
                              "}\n"
                              "int main() { unsigned *p, h; cudaMalloc(&p, 4); cudaMemset(p, 0, 4);\n"
                              "    kernel<<<500, 1>>>(p); cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost);\n"
                              "    std::printf(\"%u\\n\", h); }\n");
    QCOMPARE(outcome.output, QString("500\n"));
    QCOMPARE(outcome.code, 0);
}

void KernelCasesTest::outOfBoundsNamesBufferAndLine()
{
    Outcome outcome = runText("__global__ void kernel(int* out, const int* in) {\n"
                              "    __shared__ int tile[2][3];\n"
                              "    tile[threadIdx.x / 3][threadIdx.x % 3] = 0;\n"
                              "    out[threadIdx.x] = in[threadIdx.x + 1];\n"
                              "}\n"
                              "int main() { int *p, *q; cudaMalloc(&p, 32); cudaMalloc(&q, 32); cudaMemset(q, 0, 32);\n"
                              "    kernel<<<1, 8>>>(p, q); return 0; }\n");
    QVERIFY2(outcome.errors.contains("program.cu:3:5"), qPrintable(outcome.errors));
    QVERIFY2(outcome.errors.contains("write of tile[2][0] is out of bounds: tile is int[2][3]"),
             qPrintable(outcome.errors));
    QVERIFY2(outcome.errors.contains("program.cu:4:24"), qPrintable(outcome.errors));
    QVERIFY2(outcome.errors.contains("read of in[8] is out of bounds: in is int[8]"), qPrintable(outcome.errors));
}

void KernelCasesTest::structsWithoutATagAreNamedByTheirTypedef()
{
    Outcome outcome = runText("typedef struct { int id; float cost; } Task;\n"
                              "__global__ void kernel(int* out, const Task* tasks) {\n"
                              "    out[threadIdx.x] = tasks[threadIdx.x + 1].id;\n"
                              "}\n"
                              "int main() { int* p; Task* q; cudaMalloc(&p, 32); cudaMalloc(&q, 64);\n"
                              "    cudaMemset(q, 0, 64); kernel<<<1, 8>>>(p, q); return 0; }\n");
    QVERIFY2(outcome.errors.contains("read of tasks[8] is out of bounds: tasks is Task[8]"),
             qPrintable(outcome.errors));
}

void KernelCasesTest::whatIsGoneIsToldFromWhatNobodyWrote()
{
    const QString program = "__device__ void use(float* out, float v) { out[threadIdx.x] = v + 1; }\n"
                            "__global__ void kernel(float* out, int n) {\n"
                            "    const float* p = out;\n"
                            "    for (int i = 0; i < n; ++i) {\n"
                            "        float own[4];\n"
                            "        p = own;\n"
                            "        if (i < n - 1) own[2] = i;\n"
                            "        %1\n"
                            "    }\n"
                            "    %2\n"
                            "}\n"
                            "int main() { float* p; cudaMalloc(&p, 128); kernel<<<1, 8>>>(p, 3); return 0; }\n";
    const QString read = "use(out, p[2]);";
    const Outcome inside = runText(qPrintable(program.arg(read, "")));
    QVERIFY2(inside.errors.contains("read of own[2], which nobody has written; "), qPrintable(inside.errors));
    const Outcome behind = runText(qPrintable(program.arg("", read)));
    QVERIFY2(behind.errors.contains("read of own[2] after the end of the scope that declares own (line 5): nothing is "
                                    "there any more; "),
             qPrintable(behind.errors));
}

void KernelCasesTest::lanesSpinningOnANeighboursLockMakeProgress()
{
    Outcome outcome =
        runText("#include <cstdio>\n"
                "__global__ void kernel(int* lock, int* count) {\n"
                "    while (atomicCAS(lock, 0, 1) != 0) {}\n"
                "    *count += 1;\n"
                "    atomicExch(lock, 0);\n"
                "}\n"
                "int main() { int* p; cudaMalloc(&p, 8); cudaMemset(p, 0, 8); kernel<<<1, 4>>>(p, p + 1);\n"
                "    int out[2]; cudaMemcpy(out, p, 8, cudaMemcpyDeviceToHost); printf(\"%d\\n\", out[1]); }\n");
    QCOMPARE(outcome.output, QString("4\n"));
    QCOMPARE(outcome.code, 0);
}

void KernelCasesTest::divergentBarrierDoesNotHang()
{
    Outcome outcome = runText(
        "#include <cstdio>\n"
        "__global__ void kernel(int* out) {\n"
        "    if (threadIdx.x < 3) __syncthreads();\n"
        "    out[threadIdx.x] = 1;\n"
        "    __syncthreads();\n"
        "}\n"
        "int main() { int* p; cudaMalloc(&p, 32); kernel<<<1, 8>>>(p);\n"
        "    int out[8]; cudaMemcpy(out, p, 32, cudaMemcpyDeviceToHost); printf(\"%d\\n\", out[0] + out[7]); }\n");
    QCOMPARE(outcome.output, QString("2\n"));
}

QTEST_GUILESS_MAIN(KernelCasesTest)
#include "tst_kernel_cases.moc"
