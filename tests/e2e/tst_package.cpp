// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `cmake --install` leaves, which is what packages hold: all that belongs there, nothing else, and it runs from
// there.
#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QTest>

#include "command.h"

using namespace lanescope::test;

class TestPackage : public QObject {
    Q_OBJECT

    QTemporaryDir m_root;  ///< the system's root, as a package sees it
    QProcessEnvironment m_environment = environmentWith({});

    [[nodiscard]] QString installed(const QString& path) const { return m_root.filePath("usr/" + path); }

    static QString textOf(const QString& path)
    {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    }

    /// Of the line "key=value".
    static QString valueOf(const QString& key, const QString& text)
    {
        return QRegularExpression("^" + key + "=(.*)$", QRegularExpression::MultilineOption).match(text).captured(1);
    }

    [[nodiscard]] ProcessResult run(const QStringList& arguments) const
    {
        return runProcess(installed("bin/lanescope"), arguments, m_environment, m_root.path());
    }

private slots:
    void initTestCase()
    {
        // It finds what it needs by where it lies.
        for (const char* name : {"LANESCOPE_INCLUDE", "LANESCOPE_LIBRARY", "LANESCOPE_KERNELS", "LANESCOPE_INSTRUMENT"})
            m_environment.remove(name);
        QProcessEnvironment environment = m_environment;
        environment.insert("DESTDIR", m_root.path());
        const ProcessResult install =
            runProcess(CMAKE_PROGRAM, {"--install", BUILD_FOLDER, "--prefix", "/usr"}, environment);
        QVERIFY2(install.code == 0, qPrintable(install.errors));
    }

    void isThere_data()
    {
        QTest::addColumn<QString>("path");
        for (const char* path : {"bin/lanescope",
                                 "bin/lanescope-nvcc",
                                 "lib/lanescope/liblanescope_runtime.so",
                                 "lib/lanescope/liblanescope_math.so",
                                 "lib/lanescope/liblanescope_mpi.so",
                                 "lib/lanescope/lanescope_start.o",
                                 "lib/lanescope/standins/libcuda.so.1",
                                 "lib/lanescope/standins/ptxas",
                                 "lib/lanescope/toolkit/bin/nvcc",
                                 "lib/lanescope/toolkit/include/cuda_runtime.h",
                                 "lib/lanescope/toolkit/lib64/libcudart.so",
                                 "lib/lanescope/toolkit/version.json",
                                 "share/applications/lanescope.desktop",
                                 "share/bash-completion/completions/lanescope",
                                 "share/doc/lanescope/changelog.gz",
                                 "share/doc/lanescope/copyright",
                                 "share/icons/hicolor/scalable/apps/lanescope.svg",
                                 "share/lanescope/include/cuda_runtime.h",
                                 "share/lanescope/kernels/14_matmul_tiled.cu",
                                 "share/lanescope/kernels/tensor.h",
                                 "share/lintian/overrides/lanescope",
                                 "share/man/man1/lanescope.1.gz",
                                 "share/man/man1/lanescope-nvcc.1.gz",
                                 "share/mime/packages/lanescope.xml"})
            QTest::newRow(path) << path;
    }
    void isThere()
    {
        QFETCH(QString, path);
        const QFileInfo file(installed(path));
        QVERIFY(file.isFile() && file.size() > 0);
    }

    /// Outside of folders of its own all files bear its name.
    void nothingElseIsThere()
    {
        QStringList others;
        QDirIterator files(m_root.path(), QDir::Files | QDir::Hidden | QDir::System, QDirIterator::Subdirectories);
        while (files.hasNext()) {
            const QString path = QDir(m_root.path()).relativeFilePath(files.next());
            const bool isOurs = path.startsWith("usr/lib/lanescope/") || path.startsWith("usr/share/lanescope/") ||
                                path.startsWith("usr/share/doc/lanescope/") || files.fileName().startsWith("lanescope");
            // What a build leaves in folders that are installed whole.
            if (!isOurs || path.contains("__pycache__") || path.endsWith(".cpp") || path.endsWith(".txt") ||
                path.endsWith("~"))
                others << path;
        }
        QVERIFY2(others.isEmpty(), qPrintable(others.join('\n')));
    }

    void linksStayWithinThePackage()
    {
        int count = 0;
        QDirIterator files(m_root.path(), QDir::Files | QDir::Dirs | QDir::System | QDir::NoDotAndDotDot,
                           QDirIterator::Subdirectories);
        while (files.hasNext()) {
            const QFileInfo file(files.next());
            if (!file.isSymLink())
                continue;
            ++count;
            QVERIFY2(file.exists() && file.canonicalFilePath().startsWith(QDir(m_root.path()).canonicalPath() + '/'),
                     qPrintable(file.filePath() + " leads to " + file.symLinkTarget()));
        }
        QVERIFY(count > 0);
    }

    void nothingNamesTheBuild()
    {
        QDirIterator files(m_root.path(), QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext()) {
            const QString path = files.next();
            if (files.fileInfo().size() < 100'000)  // texts, linker scripts
                QVERIFY2(!textOf(path).contains(BUILD_FOLDER), qPrintable(path));
        }
    }

    void desktopOpensWhatItsTypesName()
    {
        const QString desktop = textOf(installed("share/applications/lanescope.desktop"));
        QCOMPARE(valueOf("Exec", desktop), QString("lanescope view %f"));
        QCOMPARE(valueOf("Icon", desktop), QString("lanescope"));
        const QString types = textOf(installed("share/mime/packages/lanescope.xml"));
        for (const QString& type : valueOf("MimeType", desktop).split(';', Qt::SkipEmptyParts))
            QVERIFY2(types.contains("<mime-type type=\"" + type + "\">"), qPrintable(type));
    }

    void manualNamesEveryCommand()
    {
        const QString manual = runProcess("gzip", {"-dc", installed("share/man/man1/lanescope.1.gz")}).output;
        const QString help = run({"--help"}).output;
        auto commands = QRegularExpression("^  ([a-z]+) ", QRegularExpression::MultilineOption)
                            .globalMatch(help.mid(help.indexOf("\nSubcommands:")));
        QVERIFY(commands.hasNext());
        while (commands.hasNext()) {
            const QString command = commands.next().captured(1);
            QVERIFY2(manual.contains(
                         QRegularExpression("^\\.B .*\\b" + command + "\\b", QRegularExpression::MultilineOption)),
                     qPrintable(command));
        }
    }

    void runsFromThere()
    {
        QVERIFY(run({"--version"}).output.contains("0."));
        const ProcessResult doctor = run({"doctor"});
        QVERIFY2(doctor.code == 0, qPrintable(doctor.output));
        QVERIFY2(doctor.output.contains(installed("share/lanescope/kernels")), qPrintable(doctor.output));
        QVERIFY2(doctor.output.contains(installed("lib/lanescope/standins")), qPrintable(doctor.output));
    }

    void onlyRecordingNeedsACompiler()
    {
        const QString settings = textOf(BUILD_FOLDER "/CPackConfig.cmake");
        QVERIFY(settings.contains("set(CPACK_DEBIAN_PACKAGE_RECOMMENDS \"clang-19, g++\")"));
        QVERIFY(!settings.contains("CPACK_DEBIAN_PACKAGE_DEPENDS"));
    }
};

QTEST_GUILESS_MAIN(TestPackage)
#include "tst_package.moc"
