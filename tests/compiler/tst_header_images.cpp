// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Images of cuda_runtime.h: made once, used while they mean what the text means, and done without otherwise.
#include <QTemporaryDir>
#include <QTest>

#include <filesystem>

#include "instrumented/compiler/header_images.h"
#include "instrumented/compiler/process.h"

using namespace lanescope;
using namespace lanescope::compiler;
namespace fs = std::filesystem;

class TestHeaderImages : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    Installation m_installation;
    CompileRequest m_request;

    std::string path(const std::string& name) const { return m_folder.path().toStdString() + '/' + name; }

    HeaderImages images() const
    {
        return headerImages(Cache::open().value(), findClang().value(), m_request, m_installation, {});
    }

    /// What clang says when it compiles the request's device side with \p images.
    std::pair<int, std::string> compileWith(const HeaderImages& images) const
    {
        Variant variant;
        variant.images = images;
        ProcessRequest process;
        process.command = deviceCommand(findClang().value(), m_request, m_installation, variant, path("device.bc"));
        process.outputFile = path("messages.txt");
        const int code = waitForProcess(startProcess(process).value()).code;
        return {code, textOf(process.outputFile)};
    }

private slots:
    void init()
    {
        QVERIFY(m_folder.isValid());
        qputenv("XDG_CACHE_HOME", path("").c_str());
        fs::remove_all(path("lanescope"));
        fs::create_directories(path("include/fallback"));
        QVERIFY(writeFile(path("include/cuda_runtime.h"), "#pragma once\n#include \"values.h\"\n").ok());
        QVERIFY(writeFile(path("include/values.h"), "static const int kValue = 41;\n").ok());
        QVERIFY(writeFile(path("program.cu"), "static_assert(kValue == 41);\n").ok());
        m_installation.include = path("include");
        m_request = {};
        m_request.source = path("program.cu");
    }

    void areMadeOnce()
    {
        const HeaderImages first = images();
        QVERIFY(fs::exists(first.device) && fs::exists(first.host) && first.device != first.host);
        const auto made = fs::last_write_time(first.device);
        QCOMPARE(images().device, first.device);
        QVERIFY(fs::last_write_time(first.device) == made);
        QCOMPARE(compileWith(first), std::make_pair(0, std::string()));
        const std::string read = textOf(path("device.bc.d"));
        QVERIFY2(read.find("values.h") != std::string::npos, "the program depends on what is in the image");
    }

    void areMadeAgainForChangedHeaders()
    {
        const HeaderImages before = images();
        QVERIFY(writeFile(path("include/values.h"), "static const int kValue = 42;\n").ok());
        const HeaderImages after = images();
        QVERIFY(!after.device.empty() && after.device != before.device && after.host != before.host);
        QVERIFY(compileWith(after).second.find("41 == 41") == std::string::npos);
        QVERIFY(writeFile(path("program.cu"), "static_assert(kValue == 42);\n").ok());
        QCOMPARE(compileWith(after), std::make_pair(0, std::string()));
    }

    void outliveATouchedHeader()
    {
        const HeaderImages before = images();
        for (const char* header : {"include/values.h", "include/cuda_runtime.h"})
            fs::last_write_time(path(header), fs::file_time_type::clock::now() + std::chrono::hours(1));
        QCOMPARE(images().device, before.device);
        QCOMPARE(compileWith(before), std::make_pair(0, std::string()));
        // That it was read once is still known.
        QVERIFY(writeFile(path("program.cu"), "#include <cuda_runtime.h>\nstatic_assert(kValue == 41);\n").ok());
        QCOMPARE(compileWith(before), std::make_pair(0, std::string()));
    }

    void dependOnFlags()
    {
        const HeaderImages plain = images();
        m_request.asCompiled = true;
        const HeaderImages optimised = images();
        QVERIFY(optimised.device != plain.device);
        QCOMPARE(optimised.host, plain.host);
    }

    void areNotUsedWhereMacrosOrFoldersMatter()
    {
        m_request.definitions = {"kValue=7"};
        QVERIFY(images().device.empty() && images().host.empty());
        m_request.definitions = {"kVal=7", "values(x)=x"};
        QVERIFY(images().device.empty() && images().host.empty());
        m_request.definitions = {};
        const HeaderImages plain = images();
        fs::create_directories(path("other"));
        m_request.includeDirectories = {path("other")};
        QCOMPARE(images().device, plain.device);
        QVERIFY(writeFile(path("other/values.h"), "static const int kValue = 43;\n").ok());
        QVERIFY(images().device.empty() && images().host.empty());
    }

    void areUsedWithTheProgramsOwnMacros()
    {
        const HeaderImages plain = images();
        m_request.definitions = {"kVal=5", "FIXED"};
        QCOMPARE(images().device, plain.device);
        QVERIFY(
            writeFile(path("program.cu"), "#ifdef FIXED\nstatic_assert(kVal + 36 == kValue);\n#else\n#error\n#endif\n")
                .ok());
        QCOMPARE(compileWith(plain), std::make_pair(0, std::string()));
    }

    void areNotMadeOfABrokenHeader()
    {
        QVERIFY(writeFile(path("include/values.h"), "static const int kValue = ;\n").ok());
        QVERIFY(images().device.empty() && images().host.empty());
        QVERIFY(fs::is_empty(path("lanescope/work")));
    }

    void damageIsNoticed()
    {
        const HeaderImages sound = images();
        QVERIFY(writeFile(sound.device, textOf(sound.device).substr(0, 5000)).ok());
        const auto [code, messages] = compileWith(sound);
        QVERIFY(code != 0);
        QVERIFY2(complainsAboutImage(messages), messages.c_str());
    }
};

QTEST_GUILESS_MAIN(TestHeaderImages)
#include "tst_header_images.moc"
