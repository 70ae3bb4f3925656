// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which functions a thread is in at each step of a recording.
#include <QTemporaryDir>
#include <QTest>

#include "core/analysis/call_stack.h"
#include "tests/support/process.h"

using namespace lanescope;
using namespace lanescope::analysis;

class TestCallStack : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::unique_ptr<replay::Session> m_session;

    /// "square 7 < twice 13 < sum 29"; with "recursive" behind.
    [[nodiscard]] static QString text(const CallStack& stack)
    {
        QStringList frames;
        for (const CallFrame& frame : stack.frames) {
            QStringList lines;
            for (const trace::SourceLocation& where : frame.at)
                lines << QString::number(where.line);
            frames << QString("%1%2 %3").arg(frame.certain ? "" : "perhaps ", QString::fromStdString(frame.function),
                                             lines.join("|"));
        }
        return frames.join(" < ") + (stack.recursive ? " recursive" : "");
    }

    /// Of lane \p lane, step after step, each once where it stays.
    [[nodiscard]] QStringList stacksOf(const trace::Catalog& catalog, int lane) const
    {
        const auto steps = m_session->summary(LaunchId{0}, BlockIndex{0});
        if (!steps.ok())
            qFatal("%s", steps.error().text().c_str());
        const CallGraph graph(catalog);
        QStringList stacks;
        for (StepIndex step = 0; step < steps.value()->size(); ++step)
            if (const QString stack = text(graph.stackAt("sum", *steps.value(), 0, lane, step));
                stacks.isEmpty() || stacks.back() != stack)
                stacks << stack;
        return stacks;
    }

private slots:
    void initTestCase()
    {
        const QString trace = m_folder.filePath("calls.lanes");
        const test::ProcessResult recorded =
            test::runProcess(LANESCOPE_EXE, {"record", PROGRAMS "/calls.cu", "-o", trace});
        QCOMPARE(recorded.code, 0);
        auto session = replay::Session::open(trace.toStdString());
        QVERIFY(session.ok());
        m_session = std::move(session).value();
    }

    void callersAreTheOnesThatGoOn()
    {
        const QStringList stacks = stacksOf(m_session->catalog(), 3);
        qInfo().noquote() << stacks.join("\n");
        QVERIFY(stacks.contains("square 7 < sum 27"));
        QVERIFY(stacks.contains("square 7 < twice 13 < sum 29"));
        QVERIFY(stacks.contains("square 7 < twice 14 < sum 29"));
        QVERIFY(stacks.contains("twice 14 < sum 29"));
        QVERIFY(stacks.contains("sum 30"));
    }

    void aLaneIsInItsOwnCalls()
    {
        const QStringList stacks = stacksOf(m_session->catalog(), 20);
        QVERIFY(stacks.contains("square 7 < sum 27"));
        QVERIFY(stacks.filter("twice").isEmpty());
    }

    void howOftenAFunctionCallsItselfIsNotTold()
    {
        const QStringList stacks = stacksOf(m_session->catalog(), 0);
        QVERIFY(!stacks.filter("factorial").isEmpty());
        for (const QString& stack : stacks.filter("factorial")) {
            QVERIFY(stack.endsWith("recursive"));
            QVERIFY2(stack.contains("< sum 31"), qPrintable(stack));
        }
    }

    void aTraceWithoutCallsHasTheInnermostFrame()
    {
        trace::Catalog catalog = m_session->catalog();
        for (trace::Site& site : catalog.sites)
            if (site.kind == trace::SiteKind::Call)
                site.expression.clear();
        QVERIFY(stacksOf(catalog, 3).contains("square 7"));
    }
};

QTEST_GUILESS_MAIN(TestCallStack)
#include "tst_call_stack.moc"
