// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random kernels, run at -O0 and optimised: both must agree with the host, and with each other, and nothing is found.
// LANESCOPE_FUZZ_SEED and LANESCOPE_FUZZ_PROGRAMS choose others than CI's; a failing program is kept and named.
#include <QDir>
#include <QFile>
#include <QTest>

#include "command.h"
#include "kernel_generator.h"
#include "tests/support/sampling.h"

using namespace lanescope::test;

class TestKernelFuzz : public QObject {
    Q_OBJECT

    Command m_command;

    static int chosen(const char* name, int usual)
    {
        bool given = false;
        const int value = qEnvironmentVariableIntValue(name, &given);
        return given ? value : usual;
    }

    /// Where the reader of a failure finds the program.
    QString keep(const QString& file, int seed)
    {
        const QString kept = QDir::temp().filePath(QStringLiteral("lanescope-fuzz-%1.cu").arg(seed));
        QFile::remove(kept);
        QFile::copy(m_command.path(file), kept);
        return kept;
    }

private slots:
    void programsAgreeWithTheHost_data()
    {
        QTest::addColumn<int>("seed");
        const int first = chosen("LANESCOPE_FUZZ_SEED", 1);
        for (int seed = first; seed < first + chosen("LANESCOPE_FUZZ_PROGRAMS", 4); ++seed)
            if (sampled())
                QTest::addRow("seed %d", seed) << seed;
    }
    void programsAgreeWithTheHost()
    {
        QFETCH(int, seed);
        constexpr int kKernels = 12;
        const QString file =
            m_command.write("fuzz.cu", QString::fromStdString(generateProgram(static_cast<uint64_t>(seed), kKernels)));
        const CommandResult plain = m_command.run({"check", file, "--format", "json"});
        const CommandResult slow = m_command.run({"run", file});
        const CommandResult fast = m_command.run({"run", file, "--as-compiled"});
        const QByteArray where =
            QStringLiteral("%1\n%2\n%3\n%4").arg(keep(file, seed), slow.output, slow.errors, fast.errors).toUtf8();
        QVERIFY2(slow.code == 0 && slow.output.count("\n") == kKernels && !slow.output.contains("instead"), where);
        QVERIFY2(fast.code == 0, where);
        QVERIFY2(fast.output == slow.output, where);
        QVERIFY2(plain.code == 0, plain.output.toUtf8() + where);
        QFile::remove(keep(file, seed));
    }

    void equalSeedsGiveEqualPrograms()
    {
        QCOMPARE(generateProgram(7, 3), generateProgram(7, 3));
        QVERIFY(generateProgram(7, 3) != generateProgram(8, 3));
    }
};

QTEST_GUILESS_MAIN(TestKernelFuzz)
#include "tst_kernel_fuzz.moc"
