// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every program in this folder prints exactly its .expected file, at -O0 and optimised.
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QIODevice>
#include <QTest>

#include "command.h"
#include "tests/support/sampling.h"

using namespace lanescope::test;

class TestConformance : public QObject {
    Q_OBJECT

    Command m_command;  ///< one cache: what clang made of the headers is kept

    static QString textOf(const QString& path)
    {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    }

    void addPrograms(const QStringList& folders)
    {
        QTest::addColumn<QString>("path");
        for (const QString& folder : folders) {
            QDirIterator programs(QStringLiteral(LANESCOPE_CONFORMANCE "/") + folder, {"*.cu"}, QDir::Files);
            while (programs.hasNext()) {
                const QString path = programs.next();
                if (!lanescope::test::sampled())
                    continue;
                QTest::newRow(qPrintable(QDir(LANESCOPE_CONFORMANCE).relativeFilePath(path))) << path;
            }
        }
    }

    void runs(const QStringList& options, const QString& path)
    {
        const QString expected = textOf(path.chopped(3) + ".expected");
        QVERIFY2(!expected.isEmpty(), "no .expected file");
        const CommandResult run = m_command.run(QStringList{"run"} + options + QStringList{path});
        QCOMPARE(run.output, expected);
        QCOMPARE(run.code, 0);
        QVERIFY2(!run.errors.contains("Lanescope's own were read"), qPrintable(run.errors));
    }

private slots:
    void printsWhatAGpuPrints_data() { addPrograms({"api", "headers"}); }
    void printsWhatAGpuPrints()
    {
        QFETCH(QString, path);
        runs({}, path);
        if (!QTest::currentTestFailed())
            runs({"--as-compiled"}, path);
    }

    /// With Thrust, CUB, libcu++, half and cuRAND of an installed toolkit instead of ours.
    void printsTheSameWithAToolkit_data()
    {
        addPrograms({"with_toolkit"});
        const QString headers = QStringLiteral(LANESCOPE_CONFORMANCE "/headers/");
        for (const char* name : {"cub", "cub_more", "thrust", "thrust_sets", "narrow_pairs", "small_numbers",
                                 "tiny_floats", "../api/random"})
            if (lanescope::test::sampled())
                QTest::newRow(name) << headers + name + ".cu";
    }
    void printsTheSameWithAToolkit()
    {
        QFETCH(QString, path);
        const QString toolkit = QStringLiteral(LANESCOPE_TOOLKIT);
        if (!QFile::exists(toolkit + "/include/cuda_fp16.h"))
            QSKIP("no CUDA toolkit here");
        runs({"--cuda-path", toolkit}, path);
    }
};

QTEST_GUILESS_MAIN(TestConformance)
#include "tst_conformance.moc"
