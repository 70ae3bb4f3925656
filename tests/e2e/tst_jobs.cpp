// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Jobs of many processes and campaigns in parts: under Open MPI, under a Slurm of this machine alone, and by hand.
#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QIODevice>
#include <QProcess>
#include <QProcessEnvironment>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QSysInfo>
#include <QTest>

#include "command.h"

using namespace lanescope::test;

namespace {

/// Ranks from the first one that is named on write behind the array.
constexpr const char* kRanks = R"(#include <cstdio>
#include <cstdlib>
__global__ void fill(int* x, int n)
{
    if (threadIdx.x < n) x[threadIdx.x] = threadIdx.x;
}
int main(int argc, char** argv)
{
    const char* ompi = getenv("OMPI_COMM_WORLD_RANK");
    const char* slurm = getenv("SLURM_PROCID");
    int rank = atoi(ompi ? ompi : slurm ? slurm : "0");
    int* x;
    cudaMalloc(&x, 40);
    fill<<<1, 32>>>(x, rank >= atoi(argv[1]) ? 11 : 10);
    cudaDeviceSynchronize();
    cudaFree(x);
    if (argc > 2 && rank == atoi(argv[2])) abort();
}
)";

/// The last block to come wins.
constexpr const char* kWinner = R"(__global__ void win(int* x) { x[0] = blockIdx.x; }
int main()
{
    int* x;
    cudaMalloc(&x, 4);
    win<<<4, 1>>>(x);
    cudaDeviceSynchronize();
    cudaFree(x);
}
)";

constexpr const char* kSlurm = R"(ClusterName=one
SlurmctldHost=%1(127.0.0.1)
SlurmUser=%3
SlurmdUser=%3
AuthType=auth/none
CredType=cred/none
SlurmctldPort=%4
SlurmdPort=%5
StateSaveLocation=%2
SlurmdSpoolDir=%2/spool
SlurmctldPidFile=%2/slurmctld.pid
SlurmdPidFile=%2/slurmd.pid
SlurmctldLogFile=%2/slurmctld.log
SlurmdLogFile=%2/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/linear
SchedulerType=sched/builtin
ReturnToService=2
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
NodeName=%1 NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=main Nodes=%1 Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:8
)";

/// The shell script of the document that begins with \p line.
QString scriptOf(const QString& document, const QString& line)
{
    QFile file(document);
    if (!file.open(QIODevice::ReadOnly))
        return {};
    const QString text = QString::fromUtf8(file.readAll());
    const qsizetype begin = text.indexOf("```sh\n" + line) + 6;
    return begin < 6 ? QString() : text.mid(begin, text.indexOf("```", begin) - begin);
}

}  // namespace

class TestJobs : public QObject {
    Q_OBJECT

private:
    Command m_command{Command::Runtime::Own};
    QProcess m_controller;
    QProcess m_node;

    /// \p words in the folder that the command runs in, with it in PATH.
    CommandResult runThere(const QStringList& words)
    {
        QProcessEnvironment environment = m_command.environment;
        environment.insert("PATH", QFileInfo(LANESCOPE_COMMAND).path() + ":" + environment.value("PATH"));
        return runProcess(words.first(), words.mid(1), environment, m_command.path("."));
    }

    CommandResult underMpi(int ranks, const QStringList& words)
    {
        return runThere(QStringList{"mpirun", "--oversubscribe", "-n", QString::number(ranks)} + words);
    }

    static bool isMissing(const QString& program) { return QStandardPaths::findExecutable(program, {}).isEmpty(); }

    /// A controller and a node of this machine, with files in the folder that commands run in.
    bool startSlurm()
    {
        const QString folder = m_command.path("slurm");
        QDir().mkpath(folder + "/spool");
        const int port = 20000 + static_cast<int>(QCoreApplication::applicationPid() % 20000);
        m_command.write("slurm.conf", QString(kSlurm)
                                          .arg(QSysInfo::machineHostName().section('.', 0, 0), folder,
                                               QString::fromUtf8(qgetenv("USER").isEmpty() ? "root" : qgetenv("USER")))
                                          .arg(port)
                                          .arg(port + 1));
        m_command.environment.insert("SLURM_CONF", m_command.path("slurm.conf"));
        for (auto [process, words] : {std::pair(&m_controller, QStringList{"slurmctld", "-D", "-c", "-i"}),
                                      std::pair(&m_node, QStringList{"slurmd", "-D", "-c"})}) {
            process->setProcessEnvironment(m_command.environment);
            process->setStandardOutputFile(QProcess::nullDevice());
            process->setStandardErrorFile(QProcess::nullDevice());
            process->start(words.first(), words.mid(1));
            if (!process->waitForStarted())
                return false;
        }
        for (int tries = 0; tries < 300; ++tries) {
            if (runThere({"sinfo", "-h", "-o", "%T"}).output == "idle\n")
                return true;
            QTest::qWait(100);
        }
        return false;
    }

private slots:
    void initTestCase()
    {
        // On this machine alone, and as whoever runs the tests.
        for (const auto& [name, value] : {std::pair("OMPI_ALLOW_RUN_AS_ROOT", "1"),
                                          {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
                                          {"OMPI_MCA_plm", "isolated"},
                                          {"OMPI_MCA_btl_vader_single_copy_mechanism", "none"}})
            m_command.environment.insert(name, value);
        m_command.write("ranks.cu", kRanks);
        m_command.write("winner.cu", kWinner);
        // So that ranks do not all compile it at once.
        QCOMPARE(m_command.run({"build", "ranks.cu", "-o", "ranks"}).code, 0);
    }

    void cleanupTestCase()
    {
        for (QProcess* process : {&m_node, &m_controller})
            if (process->state() != QProcess::NotRunning) {
                process->terminate();
                if (!process->waitForFinished())
                    process->kill();
            }
    }

    void eachRankWritesItsTrace()
    {
        if (isMissing("mpirun"))
            QSKIP("Open MPI is not installed");
        m_command.write("run.7.lanes", "of a larger job before");
        const CommandResult record = m_command.run(
            {"record", "-o", "run.%r.lanes", "--", "mpirun", "--oversubscribe", "-n", "3", "./ranks", "1"});
        QVERIFY2(record.code == 0, qPrintable(record.errors));
        QVERIFY(!QFile::exists(m_command.path("run.7.lanes")));
        const QStringList traces{"run.0.lanes", "run.1.lanes", "run.2.lanes"};
        for (int rank = 0; rank < 3; ++rank) {
            const nlohmann::json session = m_command.json({"info", traces[rank]})["session"];
            QCOMPARE(session["rank"].dump(), QString(R"({"of":3,"rank":%1})").arg(rank).toStdString());
        }
        const CommandResult text = m_command.run(QStringList{"check"} + traces);
        QCOMPARE(text.code, 1);
        QVERIFY2(text.output.contains("  in ranks 1, 2 of 3\n") && text.output.endsWith("\n1 error\n"),
                 qPrintable(text.output));
        const nlohmann::json json = m_command.json(QStringList{"check"} + traces);
        QCOMPARE(json["findings"].size(), size_t{1});
        QCOMPARE(json["findings"][0]["ranks"].dump(), std::string("[1,2]"));
        QCOMPARE(json["findings"][0]["count"].get<int>(), 2);
        QCOMPARE(json["processes"].size(), size_t{3});
        QCOMPARE(json["processes"][2]["rank"].get<int>(), 2);
        QVERIFY(json["complete"].get<bool>());
    }

    void ranksThatLeftNoTraceAreNotChecked()
    {
        if (isMissing("mpirun"))
            QSKIP("Open MPI is not installed");
        const CommandResult text = m_command.run({"check", "run.2.lanes", "run.0.lanes"});
        QVERIFY2(text.output.contains("not checked: rank 0: 1 of the job's 3 ranks: they left no trace here\n"),
                 qPrintable(text.output));
    }

    void ranksRecordByThemselves()
    {
        if (isMissing("mpirun"))
            QSKIP("Open MPI is not installed");
        const CommandResult record =
            underMpi(2, {"lanescope", "record", "-q", "-o", "own.%r.lanes", "ranks.cu", "--", "0"});
        QVERIFY2(record.code == 0, qPrintable(record.errors));
        const CommandResult text = m_command.run({"check", "own.0.lanes", "own.1.lanes"});
        QVERIFY2(text.output.contains("  in all 2 ranks\n"), qPrintable(text.output));
    }

    /// The others are ended by mpirun, which is no way for their findings to get lost.
    void findingsOfARankThatDiesAreKept()
    {
        if (isMissing("mpirun"))
            QSKIP("Open MPI is not installed");
        const CommandResult check =
            m_command.run({"check", "--", "mpirun", "--oversubscribe", "-n", "2", "./ranks", "1", "1"});
        QVERIFY2(check.code == 1 && check.output.contains("out of bounds") && check.output.contains("in rank 1 of 2"),
                 qPrintable(check.output + check.errors));
    }

    /// One that mpirun kills early leaves an empty trace, or the beginning of one.
    void whatKilledRanksLeaveHidesNoOthers()
    {
        m_command.write("killed.sh", ": >\"$LANESCOPE_TRACE\"\n"
                                     "echo SQLite >\"${LANESCOPE_TRACE%.lanes}.1.lanes\"\n"
                                     "OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=3 ./ranks 1\n");
        const CommandResult check = m_command.run({"check", "--", "sh", "killed.sh"});
        QVERIFY2(check.code == 1 && check.output.contains("out of bounds"), qPrintable(check.output + check.errors));
        QVERIFY2(check.output.contains("not checked: 2 of the job's 3 ranks: they left no trace here\n"
                                       "not checked: what a process did: its trace cannot be read (not a lanescope "
                                       "trace)\n"),
                 qPrintable(check.output));
        m_command.write("all_killed.sh", ": >\"$LANESCOPE_TRACE\"\nexit 2\n");
        const CommandResult none = m_command.run({"check", "--", "sh", "all_killed.sh"});
        QVERIFY2(none.code == 2 && none.errors.contains("error: the program was ended before it had recorded anything"),
                 qPrintable(none.output + none.errors));
    }

    /// The MPI library itself knows nothing of the simulator's device memory.
    void mpiTakesBuffersOfTheDevice_data()
    {
        QTest::addColumn<QStringList>("start");
        QTest::addColumn<QStringList>("compiler");
        QTest::newRow("Open MPI") << QStringList{"mpirun.openmpi", "--oversubscribe"}
                                  << QStringList{"mpicxx.openmpi", "--showme"};
        QTest::newRow("MPICH") << QStringList{"mpirun.mpich"} << QStringList{"mpicxx.mpich", "-show"};
    }
    void mpiTakesBuffersOfTheDevice()
    {
        QFETCH(QStringList, start);
        QFETCH(QStringList, compiler);
        if (isMissing(start.first()) || isMissing(compiler.first()))
            QSKIP("this MPI is not installed");
        const QStringList flags = runThere(compiler)
                                      .output.split(QRegularExpression("\\s+"), Qt::SkipEmptyParts)
                                      .filter(QRegularExpression("^-[ILl]"));
        const CommandResult built = m_command.run(
            QStringList{"nvcc", "-o", "device_ranks", QStringLiteral(LANESCOPE_E2E "/device_ranks.cu")} + flags);
        QVERIFY2(built.code == 0, qPrintable(built.errors));
        const auto checked = [&](const char* what) {
            return m_command.run(QStringList{"check", "--"} + start + QStringList{"-n", "2", "./device_ranks", what});
        };
        const CommandResult all = checked("all");
        QVERIFY2(all.code == 0, qPrintable(all.output + all.errors));
        QVERIFY2(all.output.startsWith("120 120 140 140 324 200 103 140 0\n20 20 140 140 324 203 100 140 10\n"),
                 qPrintable(all.output));
        const CommandResult shortOne = checked("short");
        QVERIFY2(shortOne.output.contains("this call reads bytes 0 to 19 of buffer 'x' (16 bytes") &&
                     shortOne.output.contains("MPI_Allreduce(mine, other, 5,"),
                 qPrintable(shortOne.output));
        const CommandResult unset = checked("unset");
        QVERIFY2(unset.output.contains("nobody has written any of them"), qPrintable(unset.output + unset.errors));
        const CommandResult put = checked("put");
        // Of the trace: what a rank wrote last may be lost by the one that ends it.
        QVERIFY2(put.code == 2 && put.output.contains(
                                      "stopped: MPI_Win_create: buffers of the device are not supported in this call"),
                 qPrintable(put.output + put.errors));
    }

    void outsideOfAJobTheRankIsZero()
    {
        QCOMPARE(m_command.run({"record", "-q", "-o", "alone.%r.lanes", "ranks.cu", "--", "9"}).code, 0);
        QVERIFY(QFile::exists(m_command.path("alone.0.lanes")));
        QVERIFY(!m_command.json({"info", "alone.0.lanes"})["session"].contains("rank"));
    }

    void partsOfACampaignMakeOneReport()
    {
        for (const char* part : {"1/3", "2/3", "3/3"}) {
            const CommandResult check = m_command.run(
                {"check", "winner.cu", "--explore", "7", "--shard", part, "-o", QString("part%1.json").arg(part[0])});
            QCOMPARE(check.code, 1);
            QCOMPARE(check.output, QString());
        }
        const CommandResult text = m_command.run({"merge", "part1.json", "part2.json", "part3.json"});
        QCOMPARE(text.code, 1);
        QCOMPARE(text.output.count("[global-race]"), 1);
        QVERIFY2(text.output.contains("    1 | __global__ void win(int* x) { x[0] = blockIdx.x; }\n"),
                 qPrintable(text.output));
        QVERIFY2(!text.output.contains("not checked"), qPrintable(text.output));
        const nlohmann::json merged = m_command.json({"merge", "part1.json", "part2.json", "part3.json"});
        const nlohmann::json whole = m_command.json({"check", "winner.cu", "--explore", "7"});
        QCOMPARE(merged["explored"]["schedules"].size(), size_t{7});
        QCOMPARE(merged["findings"].size(), whole["findings"].size());
        for (size_t i = 0; i < whole["findings"].size(); ++i) {
            nlohmann::json finding = merged["findings"][i];
            QVERIFY(finding.contains("shards"));
            finding.erase("shards");
            nlohmann::json expected = whole["findings"][i];
            // Which schedule showed it first is the part's own.
            if (expected["kind"] == "result-depends-on-schedule")
                for (nlohmann::json* one : {&finding, &expected})
                    one->erase("message");
            QCOMPARE(finding.dump(), expected.dump());
        }
        // A report of reports is one of them again.
        m_command.run({"merge", "part1.json", "part3.json", "-o", "both.json"});
        QCOMPARE(m_command.json({"merge", "both.json", "part2.json"})["findings"].size(), merged["findings"].size());
    }

    void aPartThatIsMissingIsNotChecked()
    {
        const CommandResult text = m_command.run({"merge", "part1.json", "part3.json"});
        QVERIFY2(text.output.contains("not checked: shard 2: its report is not there\n"), qPrintable(text.output));
    }

    void reportsThatAreNotOfOneCampaignAreRefused()
    {
        const auto refusal = [&](const QStringList& words) {
            const CommandResult result = m_command.run(words);
            return result.code == 2 ? result.errors : QString("accepted");
        };
        QVERIFY(
            refusal({"merge", "part1.json", "part1.json"}).contains("part1.json: another report is of the same part"));
        m_command.run({"check", "winner.cu", "--explore", "2", "--shard", "2/2", "-o", "other.json"});
        QVERIFY(refusal({"merge", "part1.json", "other.json"}).contains("one of 2 parts"));
        m_command.run({"check", "ranks.cu", "-o", "ranks.json", "--", "9"});
        QVERIFY(refusal({"merge", "part1.json", "ranks.json"}).contains("is of "));
        QVERIFY(refusal({"check", "winner.cu", "--explore", "2", "--shard", "3/2"}).contains("--shard: found '3/2'"));
        QVERIFY(refusal({"check", "winner.cu", "--shard", "1/2"}).contains("--shard: 2 parts of nothing"));
        QVERIFY(refusal({"merge", "none.json"}).contains("none.json: no such file"));
    }

    void damagedReportsAreRefused()
    {
        QFile file(m_command.path("part1.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString whole = QString::fromUtf8(file.readAll());
        for (const QString name : {"findings", "accesses", "column", "count", "cell", "programEnd", "explored"}) {
            for (const QString value : {"null", "[3]", "{}", "-1", "\"x\""}) {
                QString damaged = whole;
                damaged.replace('"' + name + "\": ", '"' + name + "\": " + value + ", \"was\": ");
                m_command.write("damaged.json", damaged);
                const CommandResult result = m_command.run({"merge", "damaged.json"});
                QVERIFY2(result.code >= 0 && result.code <= 2, qPrintable(name + " " + value));
                QVERIFY2(result.code < 2 || result.errors.startsWith("lanescope: error: damaged.json: "),
                         qPrintable(result.errors));
            }
        }
        m_command.write("damaged.json", whole.left(whole.size() / 2));
        QCOMPARE(m_command.run({"merge", "damaged.json"}).code, 2);
    }

    void partsOfALaunchAreHeldTogether_data()
    {
        QTest::addColumn<QString>("kernel");
        QTest::addColumn<QString>("dependence");
        QTest::newRow("each its own") << "x[t] = x[t] + 1;" << "";
        QTest::newRow("sums") << "atomicAdd(&sum[0], x[t]);" << "";
        QTest::newRow("a neighbour's") << "sum[t] = x[(t + 32) % 64]; x[t] = 2;"
                                       << "part 1 writes x[0], which part 2 reads";
        QTest::newRow("one place") << "x[t] = 2; sum[0] = 1;" << "parts 1 and 2 both write sum[0]";
        QTest::newRow("a sum and a store") << "if (t >= 32) atomicAdd(&sum[0], 1); else sum[0] = 1;"
                                           << "part 1 writes sum[0], to which part 2 adds";
    }
    void partsOfALaunchAreHeldTogether()
    {
        QFETCH(QString, kernel);
        QFETCH(QString, dependence);
        m_command.write("parts.cu", QString(R"(#include <cstdio>
__global__ void before(int* x) { x[threadIdx.x] = 0; }
__global__ void k(int* x, int* sum) { const int t = blockIdx.x * blockDim.x + threadIdx.x; %1 }
int main()
{
    int *x, *sum;
    cudaMalloc(&x, 65 * 4);
    cudaMalloc(&sum, 65 * 4);
    cudaMemset(sum, 0, 65 * 4);
    before<<<1, 65>>>(x);
    k<<<8, 8>>>(x, sum);
    cudaDeviceSynchronize();
    std::puts("afterwards");
}
)")
                                        .arg(kernel));
        for (const char* part : {"1/2", "2/2"}) {
            const CommandResult check = m_command.run({"check", "parts.cu", "--launch", "1", "--blocks", "all",
                                                       "--shard", part, "-o", QString("half%1.json").arg(part[0])});
            QVERIFY2(check.code == 0, qPrintable(check.output + check.errors));
            QVERIFY(!check.output.contains("afterwards"));
        }
        const CommandResult merged = m_command.run({"merge", "half1.json", "half2.json"});
        QVERIFY2(merged.code == (dependence.isEmpty() ? 0 : 2), qPrintable(merged.output + merged.errors));
        QVERIFY2(merged.output.contains(dependence), qPrintable(merged.output));
        QVERIFY2(merged.output.contains("not checked: what the program does after launch 1"),
                 qPrintable(merged.output));
    }

    void partsOfALaunchFindWhatItFinds()
    {
        m_command.write("off.cu", "__global__ void k(int* x) { x[blockIdx.x * 8 + threadIdx.x] = 1; }\n"
                                  "int main() { int* x; cudaMalloc(&x, 60 * 4); k<<<8, 8>>>(x);\n"
                                  "return cudaDeviceSynchronize(); }\n");
        const nlohmann::json whole = m_command.json({"check", "off.cu"});
        for (const char* part : {"1/4", "2/4", "3/4", "4/4"})
            m_command.run(
                {"check", "off.cu", "--blocks", "all", "--shard", part, "-o", QString("off%1.json").arg(part[0])});
        const nlohmann::json merged = m_command.json({"merge", "off1.json", "off2.json", "off3.json", "off4.json"});
        QCOMPARE(merged["findings"][0]["kind"].dump(), whole["findings"][0]["kind"].dump());
        QCOMPARE(merged["findings"][0]["count"].dump(), whole["findings"][0]["count"].dump());
        QCOMPARE(merged["findings"][0]["shards"].dump(), std::string("[4]"));
        const CommandResult missing = m_command.run({"merge", "off1.json", "off4.json"});
        QVERIFY(missing.output.contains("not checked: shard 2: its report is not there\n"));
        const CommandResult other = m_command.run({"merge", "off1.json", "half1.json"});
        QCOMPARE(other.code, 2);
    }

    void partsOfALaunchWhoseBlocksTalkAreRefused()
    {
        m_command.write("talk.cu", "__global__ void k(int* x) { x[1 + atomicAdd(&x[0], 1)] = 1; }\n"
                                   "int main() { int* x; cudaMalloc(&x, 80); cudaMemset(x, 0, 80); k<<<8, 1>>>(x);\n"
                                   "return cudaDeviceSynchronize(); }\n");
        const CommandResult check = m_command.run({"check", "talk.cu", "--blocks", "all", "--shard", "1/2"});
        QCOMPARE(check.code, 2);
        QVERIFY2((check.output + check.errors).contains("blocks of this launch depend on each other"),
                 qPrintable(check.output + check.errors));
        const CommandResult none =
            m_command.run({"check", "talk.cu", "--launch", "7", "--blocks", "all", "--shard", "1/2"});
        QCOMPARE(none.code, 2);
        QVERIFY(none.errors.contains("did not come to the end of launch 7"));
    }

    void underSlurm()
    {
        if (isMissing("slurmctld") || isMissing("slurmd") || isMissing("srun"))
            QSKIP("Slurm is not installed");
        if (!startSlurm())
            QSKIP("Slurm does not start on this machine");
        const CommandResult record = runThere({"srun", "-n", "2", "--overcommit", "lanescope", "record", "-q", "-o",
                                               "slurm.%r.lanes", "--", "./ranks", "1"});
        QVERIFY2(record.code == 0, qPrintable(record.errors));
        const CommandResult text = m_command.run({"check", "slurm.0.lanes", "slurm.1.lanes"});
        QVERIFY2(text.output.contains("  in rank 1 of 2\n"), qPrintable(text.output + text.errors));

        m_command.write("campaign.sh", scriptOf(LANESCOPE_DOCS "/clusters.md", "#!/bin/sh\n#SBATCH"));
        const CommandResult campaign =
            runThere({"env", "PROGRAM=winner.cu", "SCHEDULES=8", "sbatch", "--wait", "--overcommit", "campaign.sh"});
        QVERIFY2(campaign.code == 0, qPrintable(campaign.errors));
        const nlohmann::json merged =
            m_command.json({"merge", "shard-1.json", "shard-2.json", "shard-3.json", "shard-4.json"});
        QCOMPARE(merged["explored"]["schedules"].size(), size_t{8});
        QVERIFY(merged["complete"].get<bool>());

        m_command.write("blocks.sh", scriptOf(LANESCOPE_DOCS "/clusters.md", "#!/bin/sh\n#SBATCH --array=1-4\n: "));
        const CommandResult blocks =
            runThere({"env", "PROGRAM=off.cu", "sbatch", "--wait", "--overcommit", "blocks.sh"});
        QVERIFY2(blocks.code == 0, qPrintable(blocks.errors));
        const CommandResult parts =
            m_command.run({"merge", "blocks-1.json", "blocks-2.json", "blocks-3.json", "blocks-4.json"});
        QCOMPARE(parts.code, 1);
        QVERIFY2(parts.output.contains("[out-of-bounds]"), qPrintable(parts.output));
    }
};

QTEST_GUILESS_MAIN(TestJobs)
#include "tst_jobs.moc"
