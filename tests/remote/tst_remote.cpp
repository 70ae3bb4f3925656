// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lanescope record --host`, through an sshd of the test's own.
#include <QDir>
#include <QFile>
#include <QProcessEnvironment>
#include <QTest>

#include <QProcess>
#include <QStandardPaths>
#include <arpa/inet.h>
#include <csignal>
#include <sys/socket.h>
#include <unistd.h>

#include "command.h"

using namespace lanescope::test;

namespace {

QString sshd()
{
    return QStandardPaths::findExecutable("sshd", {"/usr/sbin", "/usr/local/sbin", "/sbin"});
}

quint16 freePort()
{
    const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t bytes = sizeof address;
    if (::bind(listener, reinterpret_cast<const sockaddr*>(&address), bytes) != 0)
        qFatal("no free port");
    ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &bytes);
    ::close(listener);
    return ntohs(address.sin_port);
}

const char kEndless[] = R"(
#include <cstdio>
__global__ void once(int* x) { x[threadIdx.x] = 1; }
__global__ void forever(volatile int* x) { while (x[0] != 7) x[1] = x[1] + 1; }
int main()
{
    int* x;
    cudaMalloc(&x, 128);
    once<<<1, 32>>>(x);
    forever<<<1, 1>>>(x);
    std::printf("over: %d\n", cudaDeviceSynchronize());
}
)";

}  // namespace

class TestRemote : public QObject {
    Q_OBJECT

    Command m_command{Command::Runtime::Own};
    QProcess m_server;
    quint16 m_port = 0;

    void makeKey(const QString& name)
    {
        QCOMPARE(QProcess::execute("ssh-keygen", {"-q", "-t", "ed25519", "-N", "", "-f", m_command.path(name)}), 0);
    }
    QString config(const QString& key) const
    {
        return QString("Host there\n HostName 127.0.0.1\n Port %1\n IdentityFile %2\n IdentitiesOnly yes\n"
                       " UserKnownHostsFile %3\n StrictHostKeyChecking accept-new\n LogLevel ERROR\n")
            .arg(m_port)
            .arg(m_command.path(key), m_command.path("known"));
    }
    QStringList remote(const QStringList& more)
    {
        return QStringList{"record", "--host", "there", "--host-command", LANESCOPE_COMMAND} + more;
    }
    /// Whether the far side's recorder is still there.
    bool isFarSideBusy()
    {
        QProcess list;
        list.start("ps", {"-eo", "args"});
        list.waitForFinished();
        return list.readAll().contains("endless_for_remote");
    }

private slots:
    void initTestCase()
    {
        if (sshd().isEmpty())
            QSKIP("no sshd here (openssh-server)");
        makeKey("host_key");
        makeKey("user_key");
        makeKey("other_key");
        QFile::copy(m_command.path("user_key.pub"), m_command.path("authorized_keys"));
        m_port = freePort();
        const QString settings = m_command.write(
            "sshd_config",
            QString("Port %1\nListenAddress 127.0.0.1\nHostKey %2\nAuthorizedKeysFile %3\nPidFile none\n"
                    "PasswordAuthentication no\nKbdInteractiveAuthentication no\nUsePAM no\nStrictModes no\n")
                .arg(m_port)
                .arg(m_command.path("host_key"), m_command.path("authorized_keys")));
        m_command.write("ssh_config", config("user_key"));
        m_command.write("ssh_config_other", config("other_key"));
        if (geteuid() == 0)
            QDir().mkpath("/run/sshd");
        m_server.start(sshd(), {"-D", "-f", m_command.path("sshd_config"), "-E", m_command.path("sshd.log")});
        QVERIFY(m_server.waitForStarted());
        m_command.environment.insert("LANESCOPE_SSH", "ssh -F " + m_command.path("ssh_config"));
        QTRY_VERIFY_WITH_TIMEOUT(
            QProcess::execute("ssh", {"-F", m_command.path("ssh_config"), "-o", "BatchMode=yes", "there", "true"}) == 0,
            10000);
    }
    void cleanupTestCase()
    {
        m_server.kill();
        m_server.waitForFinished();
    }
    void init() { m_command.environment.insert("LANESCOPE_SSH", "ssh -F " + m_command.path("ssh_config")); }

    void programIsRecordedThere()
    {
        m_command.write("scale.h", "#pragma once\nconstexpr float kFactor = 3;\n");
        m_command.write("data.txt", "5");
        const QString program = m_command.write("scaled.cu", R"(
#include <cstdio>
#include "scale.h"
__global__ void scale(float* x) { x[threadIdx.x] = kFactor * threadIdx.x; }
int main(int argc, char** argv)
{
    int n = 0;
    FILE* file = std::fopen("data.txt", "r");
    if (!file || std::fscanf(file, "%d", &n) != 1)
        return 9;
    float *x, last;
    cudaMalloc(&x, n * sizeof(float));
    scale<<<1, n>>>(x);
    cudaMemcpy(&last, x + n - 1, sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(x);
    std::printf("%g %s\n", last, argc > 1 ? argv[1] : "");
    return 4;
}
)");
        const CommandResult run =
            m_command.run(remote({"-o", "far.lanes", "--send", "data.txt", program, "--", "two words"}));
        QCOMPARE(run.output, QString("12 two words\n"));
        QCOMPARE(run.errors, QString("lanescope: recorded on there to far.lanes\n"));
        QCOMPARE(run.code, 4);
        const nlohmann::json info = m_command.json({"info", "far.lanes"});
        QCOMPARE(info["launches"].size(), size_t(1));
        QVERIFY(QString::fromStdString(info["session"]["commandLine"].get<std::string>()).contains("--host there"));
        // The same as one that was recorded here.
        QCOMPARE(m_command.run({"record", "-o", "near.lanes", program}).code, 4);
        QCOMPARE(m_command.run({"diff", "near.lanes", "far.lanes"}).code, 0);
        const nlohmann::json near = m_command.json({"info", "near.lanes"});
        QCOMPARE(info["sources"].dump(), near["sources"].dump());
        QCOMPARE(info["buffers"].dump(), near["buffers"].dump());
    }

    void clangsMessagesNameFilesHere()
    {
        const QString program = m_command.write("wrong.cu", "__global__ void k() { wrong(); }\nint main() {}\n");
        const CommandResult run = m_command.run(remote({program}));
        QCOMPARE(run.code, 2);
        QVERIFY2(run.errors.contains(m_command.path("wrong.cu") + ":1:23: error"), qPrintable(run.errors));
    }

    void commandsThereAreRecorded()
    {
        const CommandResult run = m_command.run(remote({"-o", "none.lanes", "--", "sh", "-c", "echo ran; exit 3"}));
        QCOMPARE(run.output, QString("ran\n"));
        QCOMPARE(run.code, 3);
    }

    void endingItHereEndsItThere_data()
    {
        QTest::addColumn<int>("signal");
        QTest::newRow("asked") << SIGTERM;
        QTest::newRow("killed") << SIGKILL;
    }
    void endingItHereEndsItThere()
    {
        QFETCH(int, signal);
        m_command.write("endless_for_remote.cu", kEndless);
        QFile::remove(m_command.path("endless.lanes"));
        QProcess process;
        QProcessEnvironment environment = m_command.environment;
        environment.remove("LANESCOPE_PROGRESS");
        process.setProcessEnvironment(environment);
        process.setWorkingDirectory(m_command.path(""));
        process.start(LANESCOPE_COMMAND, remote({"-o", "endless.lanes", "endless_for_remote.cu"}));
        QVERIFY(process.waitForStarted());
        QByteArray told;  // it tells how far it is
        QTRY_VERIFY_WITH_TIMEOUT((told += process.readAllStandardError()).contains("blocks"), 30000);
        // What there is so far can be looked at here.
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(m_command.path("endless.lanes")), 30000);
        QTRY_COMPARE_WITH_TIMEOUT(m_command.json({"info", "endless.lanes"})["launches"].size(), size_t(2), 30000);
        ::kill(static_cast<pid_t>(process.processId()), signal);
        QVERIFY(process.waitForFinished(20000));
        QTRY_VERIFY_WITH_TIMEOUT(!isFarSideBusy(), 20000);
        QVERIFY(signal == SIGKILL || !QFile::exists(m_command.path("endless.lanes.part")));
        if (signal == SIGTERM)
            QCOMPARE(m_command.json({"info", "endless.lanes"})["launches"].size(), size_t(2));
    }

    void whatIsWrongIsSaid_data()
    {
        QTest::addColumn<QString>("config");
        QTest::addColumn<QString>("host");
        QTest::addColumn<QString>("command");
        QTest::addColumn<QString>("message");
        QTest::newRow("not there") << "ssh_config" << "there" << "/nowhere/lanescope"
                                   << "there: no lanescope there: install it, or say where it is: --host-command PATH";
        QTest::newRow("no key") << "ssh_config_other" << "there" << LANESCOPE_COMMAND
                                << "there: no key of yours opens it, and nobody can be asked for a password: "
                                   "ssh-copy-id there";
        QTest::newRow("another version") << "ssh_config" << "there"
                                         << R"(printf 'H\046\0\0\0\0\0\0\0{"protocol": 99, "version": "9.8.7\n"}  ' #)"
                                         << "there: its lanescope is of another version";
        QTest::newRow("something else") << "ssh_config" << "there" << "echo hello; true"
                                        << "there: what answers there is no lanescope that can record for others";
        QTest::newRow("no such machine") << "ssh_config" << "nowhere.invalid" << LANESCOPE_COMMAND
                                         << "nowhere.invalid: ssh cannot reach it; try ssh nowhere.invalid true";
        QTest::newRow("no machine") << "ssh_config" << "-oProxyCommand=false" << LANESCOPE_COMMAND
                                    << "is no name of a machine";
    }
    void whatIsWrongIsSaid()
    {
        QFETCH(QString, config);
        QFETCH(QString, host);
        QFETCH(QString, command);
        QFETCH(QString, message);
        m_command.environment.insert("LANESCOPE_SSH", "ssh -F " + m_command.path(config));
        const CommandResult run =
            m_command.run({"record", "--host=" + host, "--host-command", command, Command::kernel("01_map.cu")});
        QCOMPARE(run.code, 2);
        QVERIFY2(run.errors.startsWith("lanescope: error: "), qPrintable(run.errors));
        QVERIFY2(run.errors.contains(message), qPrintable(run.errors));
    }
};

QTEST_GUILESS_MAIN(TestRemote)
#include "tst_remote.moc"
