// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is told as one finding, and what is not.
#include "core/findings/told_once.h"

#include <QTest>

using namespace lanescope;

namespace {

/// "race 20-25 in Bs of sum times 4"; kinds: race (shared), global, bounds, freed. A side may be "file 1:20".
trace::Finding findingOf(const QString& text)
{
    const QStringList words = text.split(' ');
    trace::Finding finding;
    finding.kind = words[0] == "race"     ? FindingKind::SharedRace
                   : words[0] == "global" ? FindingKind::GlobalRace
                   : words[0] == "freed"  ? FindingKind::UseAfterFree
                                          : FindingKind::OutOfBounds;
    finding.severity = infoOf(finding.kind).severity;
    finding.kernel = "sum";
    for (const QString& side : words[1].split('-')) {
        const QStringList place = side.split(':');
        finding.accesses.emplace_back();
        finding.accesses.back().where = {SourceId{place.size() > 1 ? place[0].toUInt() : 0}, place.last().toUInt(), 1};
    }
    for (qsizetype i = 2; i + 1 < words.size(); i += 2) {
        if (words[i] == "in")
            finding.buffer = words[i + 1].toStdString();
        else if (words[i] == "of")
            finding.kernel = words[i + 1] == "host" ? "" : words[i + 1].toStdString();
        else if (words[i] == "times")
            finding.count = words[i + 1].toUInt();
    }
    return finding;
}

QString linesOf(const trace::Finding& finding)
{
    QStringList lines;
    for (const trace::FindingAccess& access : finding.accesses)
        lines.append(QString::number(access.where.line));
    return lines.join('-');
}

/// "20-25 x12 (20-25 x4, 21-25 x8)", findings separated by "; ".
QString described(const std::vector<findings::ToldFinding>& all)
{
    QStringList texts;
    for (const findings::ToldFinding& told : all) {
        QString text = QString("%1 x%2").arg(linesOf(told)).arg(told.count);
        QStringList pairs;
        for (const trace::Finding& pair : told.together)
            pairs.append(QString("%1 x%2").arg(linesOf(pair)).arg(pair.count));
        if (!pairs.isEmpty())
            text += " (" + pairs.join(", ") + ")";
        texts.append(text);
    }
    return texts.join("; ");
}

}  // namespace

class TestToldOnce : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void takesTogether_data()
    {
        QTest::addColumn<QStringList>("findings");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* name, const QStringList& findings, const char* expected) {
            QTest::newRow(name) << findings << QString(expected);
        };
        row("nothing", {}, "");
        row("both tiles", {"race 20-25 in As times 4", "race 21-25 in Bs times 8"}, "20-25 x12 (20-25 x4, 21-25 x8)");
        row("reads on lines of their own", {"race 20-25 in As", "race 21-26 in Bs"}, "20-25 x2 (20-25 x1, 21-26 x1)");
        row("unrolled sums", {"race 10-11", "race 11-12", "race 12-13"}, "10-11 x3 (10-11 x1, 11-12 x1, 12-13 x1)");
        row("order of sides", {"race 25-20", "race 21-26"}, "25-20 x2 (25-20 x1, 21-26 x1)");
        row("read and write of a sum", {"global 10-11 in c", "global 11-11 in c"}, "10-11 x2 (10-11 x1, 11-11 x1)");
        row("a bridge joins two", {"race 10-12", "race 20-22", "race 11-21"},
            "10-12 x3 (10-12 x1, 20-22 x1, 11-21 x1)");
        row("lines apart", {"race 10-12", "race 20-22"}, "10-12 x1; 20-22 x1");
        row("neighbours", {"global 10-10 in a", "global 11-11 in b"}, "10-10 x1; 11-11 x1");
        row("other kernel", {"race 20-25", "race 21-25 of other"}, "20-25 x1; 21-25 x1");
        row("other kind", {"race 20-25", "global 21-25"}, "20-25 x1; 21-25 x1");
        row("across sources by a line only", {"race 0:20-1:25", "race 0:20-1:99", "race 0:21-1:26"},
            "20-25 x2 (20-25 x1, 20-99 x1); 21-26 x1");
        row("of the host's work", {"global 5-9 of host", "global 6-9 of host"}, "5-9 x1; 6-9 x1");
        row("one expression reads and writes", {"bounds 20 in b", "bounds 20 in b times 3"}, "20 x4 (20 x1, 20 x3)");
        row("two buffers of a line", {"bounds 20 in a", "bounds 20 in b"}, "20 x1; 20 x1");
        row("two lines of a buffer", {"bounds 20 in b", "bounds 21 in b"}, "20 x1; 21 x1");
        row("freed too early", {"freed 20 in b", "freed 21 in a", "freed 22 in b"}, "20 x2 (20 x1, 22 x1); 21 x1");
    }
    void takesTogether()
    {
        QFETCH(QStringList, findings);
        QFETCH(QString, expected);
        std::vector<trace::Finding> all;
        for (const QString& text : findings)
            all.push_back(findingOf(text));
        QCOMPARE(described(findings::toldOnce(all)), expected);
    }
};

QTEST_GUILESS_MAIN(TestToldOnce)
#include "tst_told_once.moc"
