// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which Thrust, CUB and libcu++ a program gets, and what is kept parsed of them.
#include <QTemporaryDir>
#include <QTest>

#include <filesystem>

#include "instrumented/compiler/cache.h"
#include "instrumented/compiler/cccl.h"
#include "instrumented/compiler/included_libraries.h"

using namespace lanescope;
using namespace lanescope::compiler;
namespace fs = std::filesystem;

class TestCccl : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    [[nodiscard]] std::string path(const std::string& name) const
    {
        return fs::canonical(m_folder.path().toStdString()).string() + '/' + name;
    }

    void write(const std::string& name, const std::string& text) const
    {
        fs::create_directories(fs::path(path(name)).parent_path());
        QVERIFY(writeFile(path(name), text).ok());
    }

    /// Thrust and CUB, of version 2.8.2, in a folder.
    void install(const std::string& folder) const
    {
        write(folder + "/thrust/version.h", "#define THRUST_VERSION 200802\n");
        write(folder + "/cub/version.cuh", "#define CUB_VERSION 200802\n");
    }

private slots:
    void init()
    {
        QVERIFY(m_folder.isValid());
        qputenv("LANESCOPE_CCCL", "none");
        qunsetenv("VIRTUAL_ENV");
        qunsetenv("CONDA_PREFIX");
    }

    void isThatOfAnIncludeFolder()
    {
        install("given");
        CompileRequest request;
        QCOMPARE(findCccl(request), std::string());
        request.systemDirectories = {path("nothing"), path("given")};
        QCOMPARE(findCccl(request), path("given"));
        request.systemDirectories.clear();
        request.includeDirectories = {path("given")};
        QCOMPARE(findCccl(request), path("given"));
    }

    void isThatOfAToolkitsFolder()
    {
        install("toolkit/include/cccl");
        CompileRequest request;
        request.includeDirectories = {path("toolkit/include")};
        QCOMPARE(findCccl(request), path("toolkit/include/cccl"));
    }

    void isNoneBesideAPartOfOne()
    {
        install("chosen");
        qputenv("LANESCOPE_CCCL", path("chosen").c_str());
        write("part/cub/version.cuh", "#define CUB_VERSION 101702\n");
        CompileRequest request;
        QCOMPARE(findCccl(request), path("chosen"));
        request.includeDirectories = {path("part")};
        QCOMPARE(findCccl(request), std::string());
        request.includeDirectories.clear();
        request.toolkit = path("toolkit");
        QCOMPARE(findCccl(request), std::string());
    }

    void isPipsInTheActiveEnvironment_data()
    {
        QTest::addColumn<QString>("place");
        QTest::newRow("of CUDA 12") << "venv/lib/python3.11/site-packages/nvidia/cuda_cccl/include";
        QTest::newRow("of CUDA 13") << "venv/lib/python3.13/site-packages/nvidia/cu13/include/cccl";
    }
    void isPipsInTheActiveEnvironment()
    {
        QFETCH(QString, place);
        fs::remove_all(path("venv"));
        install(place.toStdString());
        qunsetenv("LANESCOPE_CCCL");
        qputenv("VIRTUAL_ENV", path("venv").c_str());
        QCOMPARE(findCccl({}), path(place.toStdString()));
    }

    void isToldWithItsVersion()
    {
        install("told");
        write("ours/thrust/sort.h", "");
        const std::string ours = path("ours");
        QCOMPARE(ccclIn({path("program.cu")}, ours), std::string());
        QCOMPARE(ccclIn({path("told/thrust/detail/config.h"), path("told/cub/cub.cuh")}, ours),
                 "CCCL 2.8.2 of " + path("told"));
        QCOMPARE(ccclIn({path("ours/thrust/sort.h")}, ours), std::string("Lanescope's own"));
    }

    void librariesAreFoundThroughTheProgramsFiles()
    {
        write("app/main.cu", "#define BEFORE 1\n#include \"sorts.h\"\n#define AFTER 1\n");
        write("app/sorts.h", "#include <inner.h>\n  # include <thrust/sort.h>\n");
        write("include/inner.h", "#include <cub/cub.cuh>\n#define INNER(x) x\n#include \"../app/main.cu\"\n");
        const IncludedLibraries found = includedLibraries(path("app/main.cu"), {path("include")});
        QVERIFY(found.image == LibraryImage::Thrust);
        QCOMPARE(found.macrosBefore, (std::set<std::string>{"BEFORE", "INNER"}));
        write("app/alone.cu", "#include <cub/block/block_scan.cuh>\n");
        QVERIFY(includedLibraries(path("app/alone.cu"), {}).image == LibraryImage::Cub);
        QVERIFY(includedLibraries(path("nothing.cu"), {}).image == LibraryImage::None);
    }
};

QTEST_GUILESS_MAIN(TestCccl)
#include "tst_cccl.moc"
