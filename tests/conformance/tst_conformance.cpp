// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every program in this folder prints exactly its .expected file, at -O0 and optimised.
#include <QDirIterator>
#include <QtTest>

#include "command.h"
#include "tests/support/sampling.h"

using namespace lanescope::test;

class TestConformance : public QObject {
    Q_OBJECT

    static QString textOf(const QString& path)
    {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    }

private slots:
    void printsWhatAGpuPrints_data()
    {
        QTest::addColumn<QString>("path");
        QDirIterator programs(QStringLiteral(LANESCOPE_CONFORMANCE), {"*.cu"}, QDir::Files,
                              QDirIterator::Subdirectories);
        while (programs.hasNext()) {
            const QString path = programs.next();
            if (!lanescope::test::sampled())
                continue;
            QTest::newRow(qPrintable(QDir(LANESCOPE_CONFORMANCE).relativeFilePath(path))) << path;
        }
    }
    void printsWhatAGpuPrints()
    {
        QFETCH(QString, path);
        Command command;
        const QString expected = textOf(path.chopped(3) + ".expected");
        QVERIFY2(!expected.isEmpty(), "no .expected file");
        for (const QStringList& mode : {QStringList{}, QStringList{"--as-compiled"}}) {
            const CommandResult run = command.run(QStringList{"run"} + mode + QStringList{path});
            QCOMPARE(run.output, expected);
            QCOMPARE(run.code, 0);
        }
    }
};

QTEST_GUILESS_MAIN(TestConformance)
#include "tst_conformance.moc"
