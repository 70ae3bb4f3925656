// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `doctor` says of a machine that has what is needed, and of one that has not.
#include <QTest>

#include "command.h"

using namespace lanescope::test;
using nlohmann::json;

class TestDoctor : public QObject {
    Q_OBJECT

    Command m_command;

    static json row(const json& rows, const char* what)
    {
        for (const json& each : rows)
            if (each["what"] == what)
                return each;
        return {};
    }

private slots:
    void runsAKernel()
    {
        const json rows = m_command.json({"doctor"})["examined"];
        QVERIFY(row(rows, "compiler")["found"].get<bool>());
        QVERIFY(row(rows, "simulator")["needed"].get<bool>());
        QCOMPARE(row(rows, "simulator")["text"].get<std::string>(), std::string("a kernel was compiled and ran"));
        QVERIFY(row(rows, "gallery")["found"].get<bool>());
        QCOMPARE(m_command.run({"doctor"}).code, 0);
    }

    void namesTheMissingCompiler()
    {
        m_command.environment.insert("LANESCOPE_CLANG", "/nowhere/clang");
        const CommandResult result = m_command.run({"doctor"});
        QCOMPARE(result.code, 2);
        QVERIFY2(result.output.contains("MISSING compiler"), qPrintable(result.output));
        QVERIFY(result.output.contains("/nowhere/clang"));
    }
};

QTEST_GUILESS_MAIN(TestDoctor)
#include "tst_doctor.moc"
