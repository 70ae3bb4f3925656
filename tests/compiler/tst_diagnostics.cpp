// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Joining clang's messages of the two sides.
#include <QtTest>

#include "instrumented/compiler/diagnostics.h"

using lanescope::compiler::mergeDiagnostics;

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
};

QTEST_APPLESS_MAIN(TestDiagnostics)
#include "tst_diagnostics.moc"
