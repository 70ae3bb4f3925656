// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Joining clang's messages of the two sides.
#include <QTest>

#include "instrumented/compiler/diagnostics.h"

using lanescope::compiler::includedLibrary;
using lanescope::compiler::mergeDiagnostics;
using lanescope::compiler::missingFeature;
using lanescope::compiler::missingLibrary;

class TestDiagnostics : public QObject {
    Q_OBJECT

private slots:
    void sameMessageOfBothSidesIsShownOnce()
    {
        const std::string device =
            "a.cu:1:2: error: no\n    1 | x\n      | ^\n1 error generated when compiling for sm_90.\n";
        const std::string host =
            "a.cu:1:2: error: no\n    1 | x\n      | ^\n1 error generated when compiling for host.\n";
        QCOMPARE(mergeDiagnostics(device, host), std::string("a.cu:1:2: error: no\n    1 | x\n      | ^\n"));
    }

    void messageOfOneSideIsKept()
    {
        QCOMPARE(mergeDiagnostics("a.cu:1:2: warning: one\n", "a.cu:1:2: warning: one\na.cu:3:4: error: two\n"),
                 std::string("a.cu:1:2: warning: one\na.cu:3:4: error: two\n"));
        QCOMPARE(mergeDiagnostics("", "a.cu:3:4: error: two\n"), std::string("a.cu:3:4: error: two\n"));
        QCOMPARE(mergeDiagnostics("", ""), std::string());
    }

    void includeStackBelongsToItsMessage()
    {
        const std::string text = "In file included from a.cu:1:\nIn file included from b.h:1:\nc.h:1:1: error: x\n";
        QCOMPARE(mergeDiagnostics(text, text), text);
    }

    void libraryOnThisMachineIsNamed()
    {
        const std::string source =
            "#include <vector>\n#ifdef X\n#include <cufft.h>\n#endif\n # include <cublas_v2.h>\n";
        const std::set<std::string> read{"a.cu", "/usr/include/c++/12/vector", "/usr/include/cublas_v2.h"};
        QCOMPARE(includedLibrary("a.cu", source, read, "/ours"),
                 std::string("a.cu:5:12: #include <cublas_v2.h>: cuBLAS as it was given does not compile here"));
        QCOMPARE(includedLibrary("a.cu", source, {"/ours/cublas_v2.h"}, "/ours"), std::string());
    }

    void headerThatIsNotThereIsNamed()
    {
        const auto missing = [](const std::string& header) {
            return missingLibrary("a.cu:1:10: fatal error: '" + header + "' file not found\n");
        };
        QCOMPARE(missing("cufile.h"), std::string("a.cu:1:10: #include <cufile.h> is not supported: it needs cuFile"));
        QVERIFY(missing("thrust/shuffle.h").find("it needs Thrust, all of it (pip install nvidia-cuda-cccl") !=
                std::string::npos);
        QCOMPARE(missing("my_header.h"), std::string());
        // Whoever includes it uses it, and gives it by -I: what clang says is all there is to say.
        QCOMPARE(missing("cute/tensor.hpp"), std::string());
    }

    void missingPartsOfCudaAreNamed_data()
    {
        QTest::addColumn<QString>("messages");
        QTest::addColumn<QString>("line");
        QTest::newRow("unavailable")
            << "a.cu:1:2: error: no\na.cu:3:4: error: 'f<int, int>' is unavailable: too hard\n  x\n"
            << "a.cu:3:4: f: too hard";
        QTest::newRow("driver API") << "a.cu:3:4: error: use of undeclared identifier 'cuInit'\n"
                                    << "a.cu:3:4: cuInit: this part of the driver API is not supported";
        QTest::newRow("CUB") << "a.cu:3:4: error: use of undeclared identifier 'CUB_PTX_ARCH'\n"
                             << "a.cu:3:4: CUB_PTX_ARCH: this part of CUB is not supported";
        QTest::newRow("textures") << "a.cu:3:4: error: no template named 'texture'\n"
                                  << "a.cu:3:4: texture: texture references were removed from CUDA 12";
        QTest::newRow("dynamic parallelism")
            << "a.cu:3:4: error: reference to __global__ function 'k' in __global__ function\n"
            << "a.cu:3:4: k: kernels that launch kernels are not supported";
        QTest::newRow("typing error")
            << "a.cu:3:4: error: use of undeclared identifier 'cudaMaloc'; did you mean 'x'?\n"
            << "";
        QTest::newRow("the program's own") << "a.cu:3:4: error: use of undeclared identifier 'custom'\n" << "";
    }
    void missingPartsOfCudaAreNamed()
    {
        QFETCH(QString, messages);
        QFETCH(QString, line);
        QCOMPARE(QString::fromStdString(missingFeature(messages.toStdString())), line);
    }
};

QTEST_APPLESS_MAIN(TestDiagnostics)
#include "tst_diagnostics.moc"
