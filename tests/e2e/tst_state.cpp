// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `state`, `report` and `info` say about the tiled matmul.
#include <QTest>

#include "command.h"

using namespace lanescope::test;
using nlohmann::json;

class TestState : public QObject {
    Q_OBJECT

    Command m_command;

    static json values(const json& state, const std::string& name)
    {
        for (const json& buffer : state["buffers"])
            if (buffer["name"] == name)
                return buffer["values"];
        return {};
    }

    /// The 3x3 tile of factor * iota(9x9) whose first element is (row, col).
    static json tile(int row, int col, int factor)
    {
        json rows = json::array();
        for (int i = 0; i < 3; ++i) {
            rows.push_back(json::array());
            for (int j = 0; j < 3; ++j)
                rows[i].push_back(factor * ((row + i) * 9 + col + j));
        }
        return rows;
    }

private slots:
    void initTestCase()
    {
        QCOMPARE(m_command.run({"record", "-o", "t.lanes", Command::kernel("14_matmul_tiled.cu")}).code, 0);
    }

    void ofVeryLongBlocksItSaysWhatIsShown()
    {
        const json whole = m_command.json({"state", "t.lanes"});
        QCOMPARE(whole["recordedSteps"].get<int>(), whole["steps"].get<int>());
        m_command.environment.insert("LANESCOPE_STEPS_SHOWN", "10");
        const CommandResult state = m_command.run({"state", "t.lanes", "--at", "step=100%"});
        const CommandResult beyond = m_command.run({"state", "t.lanes", "--at", "step=11"});
        m_command.environment.remove("LANESCOPE_STEPS_SHOWN");
        QCOMPARE(state.code, 0);
        QVERIFY2(state.output.contains("10 of 10 steps"), qPrintable(state.output));
        QVERIFY(state.output.contains(
            QStringLiteral("\n%1 steps were recorded; the first 10 are shown").arg(whole["recordedSteps"].get<int>())));
        QCOMPARE(beyond.code, 2);
        QVERIFY2(beyond.errors.contains("step 11, expected at most 10"), qPrintable(beyond.errors));
    }

    void firstBarrierHasBothTilesInEveryBlock()
    {
        const json document = m_command.json({"state", "t.lanes", "--at", "epoch=1", "--all-blocks"});
        QCOMPARE(document["schema"].get<int>(), 1);
        QCOMPARE(document["states"].size(), size_t(9));
        for (const json& state : document["states"]) {
            const int x = state["block"][0];
            const int y = state["block"][1];
            QCOMPARE(state["epoch"].get<int>(), 1);
            QVERIFY(values(state, "a_shared") == tile(3 * y, 0, 1));
            QVERIFY(values(state, "b_shared") == tile(0, 3 * x, 2));
        }
    }

    void lastStepHasTheWholeResult()
    {
        const json state = m_command.json({"state", "t.lanes", "--at", "last"});
        const json out = values(state, "out");
        QCOMPARE(out.size(), size_t(9));
        QCOMPARE(out[0][0].get<double>(), 3672.0);
        QCOMPARE(out[4][4].get<double>(), 29880.0);
        QCOMPARE(out[8][8].get<double>(), 61272.0);
    }

    void firstStepHasNothingWritten()
    {
        const json state = m_command.json({"state", "t.lanes", "--at", "first"});
        QVERIFY(values(state, "a_shared") == json::parse("[[null,null,null],[null,null,null],[null,null,null]]"));
        QVERIFY(values(state, "a")[8][8] == 80);
    }

    void variablesOfEveryThreadAreThere()
    {
        const json state = m_command.json({"state", "t.lanes", "--at", "block=1,2,0 epoch=1"});
        QCOMPARE(state["threads"].size(), size_t(9));
        const json& thread = state["threads"][5];  // (2,1,0)
        QCOMPARE(thread["variables"]["row"].get<int>(), 7);
        QCOMPARE(thread["variables"]["col"].get<int>(), 5);
        QCOMPARE(thread["variables"]["size"].get<int>(), 9);
        QCOMPARE(state["warps"].size(), size_t(1));
        QCOMPARE(state["warps"][0]["active"].size(), size_t(9));
    }

    void unreachableEpochIsAnError()
    {
        const CommandResult state = m_command.run({"state", "t.lanes", "--at", "epoch=99"});
        QCOMPARE(state.errors, QString("lanescope: error: focus: epoch 99, expected at most 6\n"));
        QCOMPARE(state.code, 2);
    }

    void reportCountsAccessesPerLine()
    {
        const json report = m_command.json({"report", "t.lanes"});
        const json& launch = report["launches"][0];
        // Per thread: 3 tiles x (2 loads + 2 shared stores + 3 x 2 shared loads) + 1 store.
        QCOMPARE(launch["accesses"].get<int>(), 81 * (3 * (2 + 2 + 6) + 1));
        int sharedReads = 0;
        for (const json& line : launch["lines"])
            if (line["space"] == "shared" && line["access"] == "read")
                sharedReads += line["accesses"].get<int>();
        QCOMPARE(sharedReads, 81 * 3 * 6);
    }

    void diffOfTwoSchedulesIsEmptyAndOfTwoProgramsIsNot()
    {
        const QString tiled = Command::kernel("14_matmul_tiled.cu");
        QCOMPARE(m_command.run({"record", "-o", "r.lanes", "--schedule", "reverse", tiled}).code, 0);
        const CommandResult same = m_command.run({"diff", "t.lanes", "r.lanes"});
        QCOMPARE(same.output, QString("81 threads and 2511 accesses compared: equal\n"));
        QCOMPARE(same.code, 0);
        m_command.write("one.cu", "__global__ void k(int* a) { a[threadIdx.x] = 1; }\nint main()\n{\n    int* x;\n"
                                  "    cudaMalloc(&x, 8);\n    k<<<1, 2>>>(x);\n}\n");
        m_command.write("two.cu", "__global__ void k(int* a) { a[threadIdx.x] = 1 + threadIdx.x; }\nint main()\n{\n"
                                  "    int* x;\n    cudaMalloc(&x, 8);\n    k<<<1, 2>>>(x);\n}\n");
        QCOMPARE(m_command.run({"record", "one.cu"}).code, 0);
        QCOMPARE(m_command.run({"record", "two.cu"}).code, 0);
        const CommandResult other = m_command.run({"diff", "one.lanes", "two.lanes"});
        QCOMPARE(other.output,
                 QString("launch 0 block (0,0,0) thread (1,0,0) access 0: write a+4 = 0x00000001 (line 1) and "
                         "write a+4 = 0x00000002 (line 1)\n"
                         "2 threads and 2 accesses compared: 1 differences\n"));
        QCOMPARE(other.code, 1);
    }

    /// As two compilers make them of one source.
    void diffOfCellsTakesOnlyWhatAThreadReadsAndLeaves()
    {
        const auto record = [&](const QString& name, const QString& body) {
            m_command.write(name + ".cu", "__global__ void k(int* a, int4* b) { int i = threadIdx.x; " + body +
                                              " }\nint main()\n{\n    int* x;\n    int4* y;\n    cudaMalloc(&x, 32);\n"
                                              "    cudaMalloc(&y, 32);\n    cudaMemset(y, 7, 32);\n"
                                              "    k<<<1, 2>>>(x, y);\n}\n");
            QCOMPARE(m_command.run({"record", name + ".cu"}).code, 0);
        };
        record("vector", "int4 v = b[i]; a[i] = v.x + v.y + v.z + v.w;");
        record("scalars", "int* s = (int*)(b + i); a[i] = s[3]; a[i] += s[0]; a[i] += s[2] + s[1];");
        record("narrower", "int* s = (int*)(b + i); a[i] = 3 * s[0] + s[1];");
        record("wrong", "int4 v = b[i]; a[i] = v.x + v.y + v.z - v.w;");
        QCOMPARE(m_command.run({"diff", "vector.lanes", "scalars.lanes"}).code, 1);
        const CommandResult same = m_command.run({"diff", "--cells", "vector.lanes", "scalars.lanes"});
        QCOMPARE(same.output, QString("2 threads and 40 bytes compared: equal\n"));
        QCOMPARE(same.code, 0);
        QCOMPARE(m_command.run({"diff", "--cells", "vector.lanes", "narrower.lanes"}).output,
                 QString("launch 0 block (0,0,0) thread (0,0,0) b+8: read and untouched\n"
                         "launch 0 block (0,0,0) thread (1,0,0) b+24: read and untouched\n"
                         "2 threads and 40 bytes compared: 2 differences\n"));
        QVERIFY(
            m_command.run({"diff", "--cells", "vector.lanes", "wrong.lanes"})
                .output.startsWith("launch 0 block (0,0,0) thread (0,0,0) a+0: written = 0x1c and written = 0x0e\n"));
    }

    void diffTakesArgumentsByTheirPlace()
    {
        const auto record = [&](const QString& name, const QString& first, const QString& second) {
            const QString kernel("__global__ void k(int* %1, int* %2) { %1[threadIdx.x] = %2[threadIdx.x]; }\n");
            m_command.write(name + ".cu", kernel.arg(first, second) +
                                              "int main()\n{\n    int *x, *y;\n    cudaMalloc(&x, 8);\n"
                                              "    cudaMalloc(&y, 8);\n    cudaMemset(y, 0, 8);\n"
                                              "    k<<<1, 2>>>(x, y);\n}\n");
            QCOMPARE(m_command.run({"record", name + ".cu"}).code, 0);
        };
        record("named", "a", "b");
        record("renamed", "out", "in");
        record("swapped", "b", "a");
        QCOMPARE(m_command.run({"diff", "named.lanes", "renamed.lanes"}).code, 0);
        QCOMPARE(m_command.run({"diff", "named.lanes", "swapped.lanes"}).code, 0);
        m_command.write("other.cu", "__global__ void k(int* a, int* b) { b[threadIdx.x] = a[threadIdx.x]; }\n"
                                    "int main()\n{\n    int *x, *y;\n    cudaMalloc(&x, 8);\n"
                                    "    cudaMalloc(&y, 8);\n    cudaMemset(x, 0, 8);\n    k<<<1, 2>>>(x, y);\n}\n");
        QCOMPARE(m_command.run({"record", "other.cu"}).code, 0);
        // As swapped.cu by the names, but the other way round by the places.
        QCOMPARE(m_command.run({"diff", "swapped.lanes", "other.lanes"}).code, 1);
    }

    void infoNamesBuffersAsTheProgramDoes()
    {
        const json info = m_command.json({"info", "t.lanes"});
        std::vector<std::string> names;
        for (const json& buffer : info["buffers"])
            names.push_back(buffer["name"]);
        QVERIFY(names == (std::vector<std::string>{"a", "b", "out", "a_shared", "b_shared"}));
        QCOMPARE(info["launches"][0]["kernel"].get<std::string>(), std::string("matmul_tiled"));
    }
};

QTEST_GUILESS_MAIN(TestState)
#include "tst_state.moc"
