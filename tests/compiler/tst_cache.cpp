// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compile cache: found again while nothing changed, and not after.
#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <set>

#include "instrumented/compiler/cache.h"
#include "instrumented/compiler/host_side.h"

using namespace lanescope;
using namespace lanescope::compiler;
namespace fs = std::filesystem;

class TestCache : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::string m_header;

    static std::string makeProgram(const Cache& cache, const std::string& content)
    {
        const std::string work = cache.workFolder().value();
        (void)writeFile(work + "/program", content);
        fs::permissions(work + "/program", fs::perms::owner_all);
        return work;
    }

private slots:
    void init()
    {
        QVERIFY(m_folder.isValid());
        qputenv("XDG_CACHE_HOME", m_folder.path().toUtf8());
        fs::remove_all(m_folder.path().toStdString() + "/lanescope");
        m_header = m_folder.path().toStdString() + "/header.h";
        QVERIFY(writeFile(m_header, "int x;\n").ok());
    }

    void hashIsFnv1a128()
    {
        QCOMPARE(contentHash(""), std::string("6c62272e07bb014262b821756295c58d"));
        QCOMPARE(contentHash("a"), std::string("d228cb696f1a8caf78912b704e4a8964"));
    }

    void storedProgramIsFound()
    {
        const Cache cache = Cache::open().value();
        QVERIFY(!cache.find("request", "program"));
        const std::string folder = cache.store("request", {m_header}, makeProgram(cache, "one"), "program").value();
        QCOMPARE(cache.find("request", "program").value(), folder);
        QCOMPARE(readFile(folder + "/program").value(), std::string("one"));
    }

    void changedDependencyIsNotFound()
    {
        const Cache cache = Cache::open().value();
        QVERIFY(cache.store("request", {m_header}, makeProgram(cache, "one"), "program").ok());
        QVERIFY(writeFile(m_header, "int y;\n").ok());
        QVERIFY(!cache.find("request", "program"));
        fs::remove(m_header);
        QVERIFY(!cache.find("request", "program"));
    }

    void dependenciesAreReadAsTheyWereWritten()
    {
        const std::set<std::string> files{"/a b/c.h", "/x#1/$y.h", "/plain.h"};
        const std::string path = m_folder.path().toStdString() + "/files.d";
        QVERIFY(writeFile(path, dependencyText("host.o", files)).ok());
        std::set<std::string> read;
        readDependencies(path, read);
        QVERIFY(read == files);
    }

    /// Names in debug information begin where the working directory and the source part; other paths may begin there.
    void workingDirectoryMattersWhereNamesComeFromIt()
    {
        const fs::path before = fs::current_path();
        fs::current_path(m_folder.path().toStdString());
        const std::string here = fs::current_path().string(), above = fs::current_path().parent_path().string();
        CompileRequest request;
        request.source = "/elsewhere/program.cu";
        QCOMPARE(workingPlace(request), std::string("/"));
        request.source = above + "/program.cu";
        QCOMPARE(workingPlace(request), above);
        for (const std::string& source : {std::string("program.cu"), here + "/program.cu"}) {
            request.source = source;
            QCOMPARE(workingPlace(request), here);
        }
        request.source = "/elsewhere/program.cu";
        request.toolkit = "toolkit";
        QCOMPARE(workingPlace(request), here);
        request.toolkit.clear();
        request.includeDirectories = {"include"};
        QCOMPARE(workingPlace(request), here);
        fs::current_path(before);
    }

    void touchedDependencyIsFound()
    {
        const Cache cache = Cache::open().value();
        QVERIFY(cache.store("request", {m_header}, makeProgram(cache, "one"), "program").ok());
        fs::last_write_time(m_header, fs::file_time_type::clock::now() + std::chrono::hours(1));
        QVERIFY(cache.find("request", "program"));
    }

    void sameProgramStoredTwiceIsOne()
    {
        const Cache cache = Cache::open().value();
        const std::string first = cache.store("request", {m_header}, makeProgram(cache, "one"), "program").value();
        QCOMPARE(cache.store("request", {m_header}, makeProgram(cache, "one"), "program").value(), first);
        QVERIFY(fs::is_empty(m_folder.path().toStdString() + "/lanescope/work"));
    }

    void removedProgramIsNotFound()
    {
        const Cache cache = Cache::open().value();
        const std::string folder = cache.store("request", {m_header}, makeProgram(cache, "one"), "program").value();
        fs::remove_all(folder);
        QVERIFY(!cache.find("request", "program"));
    }

    void damagedRequestIsNotFound()
    {
        const Cache cache = Cache::open().value();
        QVERIFY(cache.store("request", {m_header}, makeProgram(cache, "one"), "program").ok());
        const std::string entry = m_folder.path().toStdString() + "/lanescope/requests/request";
        const std::string text = readFile(entry).value();
        for (size_t size = 0; size + 1 < text.size(); ++size) {
            QVERIFY(writeFile(entry, text.substr(0, size)).ok());
            (void)cache.find("request",
                             "program");  // must not crash; a cut list may still name a program that is there
        }
        QVERIFY(writeFile(entry, "garbage\n\n\xff\xfe").ok());
        QVERIFY(!cache.find("request", "program"));
    }
};

QTEST_APPLESS_MAIN(TestCache)
#include "tst_cache.moc"
