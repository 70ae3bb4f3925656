// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranks as launchers of parallel jobs tell them, and in the names of traces.
#include "core/trace/process_rank.h"

#include <QTest>

using namespace lanescope::trace;

class TestProcessRank : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        for (const char* name : {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK", "PMI_RANK",
                                 "PMI_SIZE", "PMIX_RANK", "SLURM_PROCID", "SLURM_STEP_ID", "SLURM_STEP_NUM_TASKS"})
            qunsetenv(name);
    }

    void outsideOfAJobThereIsNone() { QVERIFY(!processRank()); }

    void slurmTellsIt()
    {
        qputenv("SLURM_PROCID", "3");
        QVERIFY(!processRank());  // a batch script
        qputenv("SLURM_STEP_ID", "0");
        qputenv("SLURM_STEP_NUM_TASKS", "8");
        QVERIFY(processRank() == (ProcessRank{3, 8}));
    }

    void mpirunKnowsBetterThanItsBatchScript()
    {
        qputenv("SLURM_PROCID", "0");
        qputenv("SLURM_STEP_ID", "0");
        qputenv("OMPI_COMM_WORLD_RANK", "5");
        qputenv("OMPI_COMM_WORLD_SIZE", "6");
        QVERIFY(processRank() == (ProcessRank{5, 6}));
    }

    void nonsenseIsNoRank()
    {
        qputenv("SLURM_STEP_ID", "0");
        qputenv("SLURM_PROCID", "three");
        QVERIFY(!processRank());
        qputenv("SLURM_PROCID", "-1");
        QVERIFY(!processRank());
    }

    void namesOfTraces()
    {
        QCOMPARE(pathOfRank("/a%r/run.%r.lanes", {12, 16}), std::string("/a%r/run.12.lanes"));
        QCOMPARE(pathOfRank("run.lanes", {12, 16}), std::string("run.lanes"));
        QVERIFY(isOfRanks("x/run.%r.lanes"));
        QVERIFY(!isOfRanks("%r/run.lanes"));
        QVERIFY(isPathOfRank("x/run.12.lanes", "x/run.%r.lanes"));
        QVERIFY(!isPathOfRank("x/run.12.3.lanes", "x/run.%r.lanes"));
        QVERIFY(!isPathOfRank("x/run.a.lanes", "x/run.%r.lanes"));
        QVERIFY(!isPathOfRank("x/run.", "x/run.%r.lanes"));
        QVERIFY(!isPathOfRank("y/run.1.lanes", "x/run.%r.lanes"));
    }

    void textsAreReadBack()
    {
        for (const ProcessRank rank : {ProcessRank{0, 4}, ProcessRank{7, 0}})
            QVERIFY(rankFrom(rankText(rank)) == rank);
        for (const char* text : {"", "/", "3/", "/4", "a/4", "3/b", "3/4/5", "-1/2"})
            QVERIFY2(!rankFrom(text), text);
    }
};

QTEST_APPLESS_MAIN(TestProcessRank)
#include "tst_process_rank.moc"
