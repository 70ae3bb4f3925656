// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of kinds: each has a name of its own that means it again, and texts; and the reason why a run stopped.
#include "core/findings/kinds/finding_kinds.h"
#include "core/findings/kinds/stop_reason.h"

#include <QTest>

#include <set>
#include <string>

using namespace lanescope;

namespace {

std::vector<FindingKind> allKinds()
{
    std::vector<FindingKind> all;
    for (int i = 0; i < static_cast<int>(FindingKind::Unknown); ++i)
        all.push_back(static_cast<FindingKind>(i));
    return all;
}

}  // namespace

class TestFindingKinds : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void namesMeanTheirKinds()
    {
        std::set<std::string> names, titles;
        for (const FindingKind kind : allKinds()) {
            const std::string name = nameOf(kind);
            QVERIFY2(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == name.npos && !name.empty(), name.c_str());
            QVERIFY2(kindNamed(name) == kind, name.c_str());
            QVERIFY2(names.insert(name).second, name.c_str());
            QVERIFY2(titles.insert(infoOf(kind).title).second, infoOf(kind).title);
        }
        QVERIFY(!kindNamed("unknown"));
        QVERIFY(!kindNamed(""));
        QVERIFY(!kindNamed("shared"));
        QVERIFY(!kindNamed("Shared-race"));
    }

    /// Sentences without capital letter and final period, as the command prints them.
    void everyKindSaysWhy()
    {
        for (const FindingKind kind : allKinds()) {
            const FindingKindInfo& info = infoOf(kind);
            QVERIFY2(*info.title && *info.why, info.name);
            for (const std::string text : {info.title, info.why, info.help})
                QVERIFY2(text.empty() || text.back() != '.', text.c_str());
        }
    }

    void severitiesFitFamilies()
    {
        for (const FindingKind kind : allKinds()) {
            const FindingKindInfo& info = infoOf(kind);
            QVERIFY2(info.family != Family::Advice || info.severity == Severity::Advice, info.name);
            QVERIFY2(!endsRun(kind) || info.severity == Severity::Error, info.name);
            QVERIFY2(!isRace(kind) || info.family == Family::Race, info.name);
        }
        for (const Severity severity : {Severity::Error, Severity::Warning, Severity::Advice})
            QVERIFY(severityNamed(nameOf(severity)) == severity);
        QVERIFY(!severityNamed("fatal"));
    }

    void reasonsToStopReadBack()
    {
        for (const FindingKind kind : allKinds())
            for (const std::string message : {"", "more than 100 warp instructions", "a: b"}) {
                const StopReason reason{kind, message};
                const StopReason read = StopReason::of(reason.text());
                QCOMPARE(QString::fromStdString(read.text()), QString::fromStdString(reason.text()));
                QCOMPARE(read.kind.has_value(), endsRun(kind));
                QVERIFY(!read.kind || (*read.kind == kind && read.message == message));
            }
        QVERIFY(StopReason::of("").empty());
        QVERIFY(!StopReason::of("the kernel trapped").kind);
        QCOMPARE(StopReason::of("time-limit:   10 s").message, std::string("10 s"));
    }
};

QTEST_APPLESS_MAIN(TestFindingKinds)
#include "tst_finding_kinds.moc"
