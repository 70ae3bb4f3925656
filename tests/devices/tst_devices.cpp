// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs that use several devices (LANESCOPE_DEVICES).
#include <QFile>
#include <QIODevice>
#include <QTest>

#include "command.h"

using namespace lanescope::test;

class TestDevices : public QObject {
    Q_OBJECT

    Command m_command{Command::Runtime::Own};  ///< one cache

    static QString program(const QString& name) { return QStringLiteral(LANESCOPE_DEVICES_FOLDER "/programs/") + name; }
    static QString textOf(const QString& path)
    {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    }

private slots:
    void init() { m_command.environment.remove("LANESCOPE_DEVICES"); }

    void runtimeAnswersForEach()
    {
        const CommandResult run = m_command.run({"run", "--devices", "3", program("answers.cu")});
        QCOMPARE(run.output, textOf(program("answers.expected")));
        QCOMPARE(run.code, 0);
    }

    void projectsOfSeveralDevicesAreClean_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("devices");
        QTest::newRow("halo, one host thread") << "halo_exchange.cu" << QStringList() << "4";
        QTest::newRow("halo, one device") << "halo_exchange.cu" << QStringList() << "1";
        QTest::newRow("collectives") << "collectives.cu" << QStringList() << "4";
        QTest::newRow("ring of copies, a thread each") << "ring_all_reduce.cu" << QStringList() << "4";
        QTest::newRow("ring of kernels, a thread each") << "ring_all_reduce.cu" << QStringList("kernels") << "3";
    }
    void projectsOfSeveralDevicesAreClean()
    {
        QFETCH(QString, name);
        QFETCH(QStringList, arguments);
        QFETCH(QString, devices);
        m_command.environment.insert("LANESCOPE_DEVICES", devices);
        const CommandResult check = m_command.run(QStringList{"check", program(name), "--"} + arguments);
        QVERIFY2(check.output.contains(devices + (name == "collectives.cu" ? " ranks, rank 1 " : " devices, 0 ")),
                 qPrintable(check.output + check.errors));
        QVERIFY2(check.code == 0, qPrintable(check.output + check.errors));
    }

    void kernelsThatWaitForEachOtherRun_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("output");
        const QStringList four{"--devices", "4"};
        QTest::newRow("flags in peer memory") << "peer_flags.cu" << four
                                              << "cudaSuccess\ncudaSuccess\ncudaSuccess\ncudaSuccess\n"
                                                 "4 devices: 1536.0\n";
        QTest::newRow("a barrier of all grids") << "grid_of_devices.cu" << four << "3072 3072 3072 3072 cudaSuccess\n";
        QTest::newRow("a ring between streams") << "stream_ring.cu" << QStringList() << "4950 cudaSuccess\n";
        QTest::newRow("what is ordered behind") << "behind_a_flag.cu" << QStringList()
                                                << "cudaErrorNotReady cudaErrorNotReady cudaSuccess, host -1\n"
                                                   "twice is done\ncudaSuccess cudaSuccess\nhost 62\n";
        QTest::newRow("a copy sets the flag") << "flag_by_copy.cu" << QStringList() << "cudaSuccess 8\n";
        QTest::newRow("the host sets it") << "host_flag.cu" << QStringList() << "cudaSuccess 300\n";
        QTest::newRow("another thread does") << "waiting_threads.cu" << QStringList() << "cudaSuccess\n";
    }
    void kernelsThatWaitForEachOtherRun()
    {
        QFETCH(QString, name);
        QFETCH(QStringList, arguments);
        QFETCH(QString, output);
        const CommandResult check = m_command.run(QStringList("check") + arguments + QStringList(program(name)));
        QCOMPARE(check.output, output + "no findings\n");
        QVERIFY2(check.code == 0, qPrintable(check.errors));
        const CommandResult unchecked =
            m_command.run(QStringList{"run", "--no-checks"} + arguments + QStringList(program(name)));
        QCOMPARE(unchecked.output, output);
        for (const char* trace : {"a.lanes", "b.lanes"})
            QCOMPARE(m_command.run(QStringList{"record", "-o", trace} + arguments + QStringList(program(name))).code,
                     0);
        const CommandResult same = m_command.run({"diff", "a.lanes", "b.lanes"});
        QVERIFY2(same.output.contains("equal"), qPrintable(same.output + same.errors));
    }

    void hostsThatWaitWithoutACallGetTheirAnswers()
    {
        const CommandResult check = m_command.run({"check", program("host_flag.cu"), "--", "spin"});
        QCOMPARE(check.output, QString("cudaSuccess 300\nno findings\n"));
    }

    void racesBetweenKernelsSideBySideAreTold()
    {
        const CommandResult check = m_command.run({"check", program("flag_too_early.cu")});
        QCOMPARE(check.code, 1);
        QVERIFY2(check.output.contains("error: race on data[64]: thread (0,0,0) of block (0,0,0) of the kernel produce "
                                       "(launch 1) writes it, thread (0,0,0) of block (0,0,0) of consume reads it"),
                 qPrintable(check.output + check.errors));
        QVERIFY2(check.output.endsWith("\n1 error\n"), qPrintable(check.output));
    }

    void collectivesGiveWhatNcclGives()
    {
        const CommandResult run = m_command.run({"run", "--devices", "4", program("collectives.cu")});
        QCOMPARE(run.output, QString("sum: 100 100\naverage: 2\nbroadcast: 3\ngather: 1 4\nscatter: 1 4\nleast: 1\n"
                                     "4 ranks, rank 1 on device 1\nthreads: 20 20\n"));
        m_command.environment.insert("OMPI_COMM_WORLD_SIZE", "2");
        const CommandResult refused = m_command.run({"run", "--devices", "4", program("collectives.cu")});
        m_command.environment.remove("OMPI_COMM_WORLD_SIZE");
        QVERIFY2(refused.errors.contains("ncclCommInitRank: ranks in several processes are not supported"),
                 qPrintable(refused.errors));
    }

    void traceHasADeviceForEachLaunch()
    {
        QCOMPARE(m_command.run({"record", "--devices", "2", "-o", "two.lanes", program("halo_exchange.cu")}).code, 0);
        const nlohmann::json info = m_command.json({"info", "two.lanes"});
        QCOMPARE(info["launches"].size(), size_t(12));
        for (size_t i = 0; i < info["launches"].size(); ++i)
            QCOMPARE(info["launches"][i]["device"].get<size_t>(), i % 2);
        const QString text = m_command.run({"info", "two.lanes"}).output;
        QVERIFY2(text.contains(", device 1\n"), qPrintable(text));
        // The same line on another device is the same line.
        const nlohmann::json report = m_command.json({"report", "two.lanes"});
        QCOMPARE(report["launches"][0]["lines"].size(), report["launches"][1]["lines"].size());
        QCOMPARE(m_command.run({"record", "--devices", "1", "-o", "one.lanes", program("halo_exchange.cu")}).code, 0);
        QVERIFY(!m_command.run({"info", "one.lanes"}).output.contains(", device "));
    }

    void wrongNumbersOfDevicesAreRefused()
    {
        const CommandResult many = m_command.run({"run", "--devices", "17", program("answers.cu")});
        QCOMPARE(many.code, 2);
        m_command.environment.insert("LANESCOPE_DEVICES", "all");
        const CommandResult none = m_command.run({"run", program("answers.cu")});
        QCOMPARE(none.code, 2);
        QVERIFY2(none.errors.contains("LANESCOPE_DEVICES is no number of devices, expected 1 to 16"),
                 qPrintable(none.errors));
    }

    void driverHasContextsOfEach()
    {
        const CommandResult run =
            m_command.run({"run", "--devices", "2", "--", QStringLiteral(LANESCOPE_DRIVER_PROGRAMS), "devices"});
        QCOMPARE(run.output, QString("2 devices\nbeyond: CUDA_ERROR_INVALID_DEVICE\ndevice 0: 0 3 189\n"
                                     "device 1: 0 3 189\ncurrent: device 1, of a pointer: device 0\n"
                                     "of another context: CUDA_ERROR_INVALID_HANDLE\nsame device: "
                                     "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED\npeer: CUDA_SUCCESS\ncopied: 189\n"
                                     "the runtime's choice: device 0\n"));
        QCOMPARE(run.errors, QString());
        QCOMPARE(run.code, 0);
    }
};

QTEST_GUILESS_MAIN(TestDevices)
#include "tst_devices.moc"
