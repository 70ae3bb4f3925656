// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs that use libraries of headers, as CuTe is one: the program's own lines are as at -O0, with all their
// variables, and the library's code is told by them.
#include <QDir>
#include <QTest>

#include <set>

#include "command.h"

using namespace lanescope::test;
using nlohmann::json;

namespace {

/// Shapes in types, and everything forced inline, as such libraries are.
const char* const kTiles = R"(#pragma once
template <int Rows, int Cols> struct Tile {
    float* data;
    __device__ __forceinline__ float& operator()(int row, int col) const { return data[row * Cols + col]; }
};
template <int N> struct Steps {
    template <class F> static __device__ __forceinline__ void each(F f) { Steps<N - 1>::each(f); f(N - 1); }
};
template <> struct Steps<0> {
    template <class F> static __device__ __forceinline__ void each(F) {}
};
template <int Rows, int Cols>
__device__ __forceinline__ void fill(const Tile<Rows, Cols>& tile, int row, float value)
{
    const float twice = value + value;
    Steps<Cols>::each([&](int col) { tile(row, col) = twice; });
}
__device__ inline int depth(int n) { return n <= 0 ? 0 : 1 + depth(n - 1); }
)";

const char* const kProgram = R"(#include <cstdio>
#include "tiles.h"
__global__ void kernel(float* out, int n)
{
    __shared__ float memory[4 * 8];
    Tile<4, 8> tile{memory};
    float start = 1.5f;
    fill(tile, threadIdx.x, start + threadIdx.x);
    __syncthreads();
    float sum = 0;
    for (int col = 0; col < 8; ++col)
        sum += tile(threadIdx.x, col);
    if (threadIdx.x < n)
        out[threadIdx.x] = sum + memory[0] + depth(n);
}
int main()
{
    float *out, host[4];
    cudaMalloc(&out, sizeof host);
    kernel<<<1, 4>>>(out, 3);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    std::printf("%g %g %g\n", host[0], host[1], host[2]);
}
)";

}  // namespace

class TestLibraries : public QObject {
    Q_OBJECT

    Command m_command;

    static std::set<int> linesOf(const json& report, const std::string& file, const std::string& access)
    {
        std::set<int> lines;
        for (const json& line : report["launches"][0]["lines"])
            if (line["file"] == file && line["access"] == access)
                lines.insert(line["line"].get<int>());
        return lines;
    }

private slots:
    void initTestCase()
    {
        QVERIFY(QDir().mkpath(m_command.path("lib")));
        m_command.write("lib/tiles.h", kTiles);
        m_command.write("tiles.cu", kProgram);
        QCOMPARE(m_command.run({"record", "tiles.cu", "-I", "lib", "-o", "own.lanes"}).output, QString("30 46 62\n"));
    }

    void accessesAreToldByTheProgramsLines()
    {
        const json report = m_command.json({"report", "own.lanes"});
        for (const json& line : report["launches"][0]["lines"])
            if (line["line"].get<int>() != 19 || line["access"] != "read")
                QCOMPARE(line["file"].get<std::string>(), std::string("tiles.cu"));
        QCOMPARE(linesOf(report, "tiles.cu", "write"), (std::set<int>{6, 8, 14}));
        QVERIFY(linesOf(report, "tiles.cu", "read").contains(12));
    }

    void ownVariablesAreThereAndTheLibrarysAreNot()
    {
        const json state = m_command.json({"state", "own.lanes", "--at", "last"});
        std::set<std::string> names;
        for (const auto& [name, value] : state["threads"][0]["variables"].items())
            names.insert(name);
        for (const char* own : {"start", "sum", "col", "n", "out"})
            QVERIFY2(names.contains(own), own);
        QVERIFY(!names.contains("twice"));
        QVERIFY(!names.contains("value"));
    }

    void resultsAreThoseOfUnoptimisedCode()
    {
        // Without an include folder the header is the program's own.
        m_command.write("plain.cu", QString(kProgram).replace("\"tiles.h\"", "\"lib/tiles.h\""));
        QCOMPARE(m_command.run({"record", "plain.cu", "-o", "plain.lanes"}).output, QString("30 46 62\n"));
        QCOMPARE(m_command.run({"diff", "--cells", "own.lanes", "plain.lanes"}).code, 0);
        const json report = m_command.json({"report", "plain.lanes"});
        QVERIFY(!linesOf(report, "lib/tiles.h", "write").empty());
    }

    void foldersThatAreNotThereAreTold()
    {
        const CommandResult result = m_command.run({"record", "tiles.cu", "-I", "libs", "-o", "none.lanes"});
        QCOMPARE(result.code, 2);
        QVERIFY2(result.errors.contains("-I libs: no such folder"), qPrintable(result.errors));
        QVERIFY2(result.errors.contains("'tiles.h' file not found"), qPrintable(result.errors));
    }

    void headersWithKernelsAreTheProgramsOwn()
    {
        m_command.write("lib/kernel.h", "#pragma once\n__global__ void kernel(int* out)\n{\n"
                                        "    int mine = threadIdx.x;\n    out[threadIdx.x] = mine;\n}\n");
        m_command.write("kernel.cu", "#include \"kernel.h\"\nint main()\n{\n    int* out;\n"
                                     "    cudaMalloc(&out, 128);\n    kernel<<<1, 32>>>(out);\n"
                                     "    return cudaDeviceSynchronize();\n}\n");
        QCOMPARE(m_command.run({"record", "kernel.cu", "-I", "lib", "-o", "kernel.lanes"}).code, 0);
        const json state = m_command.json({"state", "kernel.lanes", "--at", "last"});
        QCOMPARE(state["threads"][5]["variables"]["mine"].get<int>(), 5);
    }

    void whatIsNamedIsSteppedInto()
    {
        const QString optimised = m_command.run({"info", "own.lanes"}).output;
        QVERIFY2(optimised.contains("is optimised (--step-into " + m_command.path("lib")), qPrintable(optimised));
        for (const char* path : {"lib", "lib/tiles.h"}) {
            QCOMPARE(m_command.run({"record", "tiles.cu", "-I", "lib", "--step-into", path, "-o", "into.lanes"}).output,
                     QString("30 46 62\n"));
            QVERIFY(!linesOf(m_command.json({"report", "into.lanes"}), "lib/tiles.h", "write").empty());
        }
        QVERIFY(m_command.run({"info", "into.lanes"}).output.contains("is optimised"));  // but for that file
    }
};

QTEST_GUILESS_MAIN(TestLibraries)
#include "tst_libraries.moc"
