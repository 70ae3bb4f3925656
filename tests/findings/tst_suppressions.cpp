// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which findings comments and files allow, and which of them nobody needed.
#include "core/findings/suppressions.h"

#include <QTemporaryDir>
#include <QTest>

#include <fstream>

using namespace lanescope;
using findings::Judged;

namespace {

trace::Finding findingAt(uint32_t line, FindingKind kind = FindingKind::SharedRace, const char* kernel = "sum")
{
    trace::Finding finding;
    finding.kind = kind;
    finding.kernel = kernel;
    finding.accesses.emplace_back();
    finding.accesses.back().where = {SourceId{0}, line, 1};
    return finding;
}

trace::Catalog catalogOf(const char* text, const char* path = "/home/me/src/sum.cu")
{
    trace::Catalog catalog;
    catalog.sources.push_back({SourceId{0}, path, text});
    return catalog;
}

/// "kept 1, allowed 2 (why), unused file:3 allow leak"
QString described(const Result<Judged>& judged)
{
    if (!judged)
        return QString::fromStdString(judged.error().text());
    QString text = QString("kept %1").arg(judged.value().kept.size());
    for (const findings::SuppressedFinding& each : judged.value().suppressed)
        text += QString(", %1 %2").arg(each.inSource ? "comment" : "file", QString::fromStdString(each.reason));
    for (const findings::UnusedSuppression& each : judged.value().unused)
        text += ", unused " + QString::fromStdString(each.where + " " + each.text);
    return text;
}

}  // namespace

class TestSuppressions : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void commentsAllowTheirLines_data()
    {
        QTest::addColumn<QString>("source");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* name, const char* source, const char* expected) {
            QTest::newRow(name) << QString(source) << QString(expected);
        };
        row("none", "a\nb\n", "kept 1");
        row("behind the line", "a\nb;  // lanescope: allow shared-race (known)\n", "kept 0, comment known");
        row("above the line", "  // lanescope: allow shared-race\nb;\n", "kept 0, comment ");
        row("all kinds", "a\nb;  // lanescope: allow *\n", "kept 0, comment ");
        row("several kinds", "a\nb;  // lanescope: allow leak, shared-race\n",
            "kept 0, comment , unused /home/me/src/sum.cu:2 allow leak");
        row("another kind", "a\nb;  // lanescope: allow global-race\n",
            "kept 1, unused /home/me/src/sum.cu:2 allow global-race");
        row("another line", "a  // lanescope: allow shared-race\nb;\n",
            "kept 1, unused /home/me/src/sum.cu:1 allow shared-race");
        row("no comment", "a\nb = \"lanescope: allow shared-race\";\n", "kept 1");
        row("windows' line ends", "a\r\nb;  // lanescope: allow shared-race\r\n", "kept 0, comment ");
    }
    void commentsAllowTheirLines()
    {
        QFETCH(QString, source);
        QFETCH(QString, expected);
        const trace::Catalog catalog = catalogOf(source.toUtf8().constData());
        QCOMPARE(described(findings::applySuppressions(catalog, "", {findingAt(2)})), expected);
    }

    void filesAllow_data()
    {
        QTest::addColumn<QString>("line");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* line, const char* expected) {
            QTest::newRow(line) << QString(line) << QString(expected);
        };
        row("shared-race", "kept 0, file ");
        row("shared-race (why not)", "kept 0, file why not");
        row("* # everything", "kept 0, file ");
        row("shared-race sum.cu", "kept 0, file ");
        row("shared-race src/sum.cu:2", "kept 0, file ");
        row("shared-race /home/me/src/sum.cu", "kept 0, file ");
        row("shared-race s*.cu", "kept 0, file ");
        row("shared-race in sum", "kept 0, file ");
        row("shared-race sum.cu:3", "kept 1, unused FILE:1 shared-race sum.cu:3");
        row("shared-race um.cu", "kept 1, unused FILE:1 shared-race um.cu");
        row("shared-race in other", "kept 1, unused FILE:1 shared-race in other");
        row("leak", "kept 1, unused FILE:1 leak");
        row("# nothing", "kept 1");
        row("", "kept 1");
        row("no-such-kind", "FILE:1: found 'no-such-kind', expected KIND, KIND FILE[:LINE] or KIND in KERNEL");
        row("leak at sum now", "FILE:1: found 'leak at sum now', expected KIND, KIND FILE[:LINE] or KIND in KERNEL");
    }
    void filesAllow()
    {
        QFETCH(QString, line);
        QFETCH(QString, expected);
        const std::string path = m_folder.filePath("allowed").toStdString();
        std::ofstream(path) << line.toStdString() << "\n";
        QString text = described(findings::applySuppressions(catalogOf("a\nb\n"), path, {findingAt(2)}));
        QCOMPARE(text.replace(QString::fromStdString(path), "FILE"), expected);
    }

    /// A comment counts before a line of the file; both were needed.
    void oneFindingMayBeAllowedTwice()
    {
        const std::string path = m_folder.filePath("twice").toStdString();
        std::ofstream(path) << "shared-race (file)\n";
        const trace::Catalog catalog = catalogOf("a\nb;  // lanescope: allow shared-race (comment)\n");
        QCOMPARE(described(findings::applySuppressions(catalog, path, {findingAt(2), findingAt(9)})),
                 "kept 0, comment comment, file file");
    }

    void theOrderOfFindingsStays()
    {
        const Result<Judged> judged = findings::applySuppressions(
            catalogOf("a  // lanescope: allow leak\n"), "",
            {findingAt(3), findingAt(1, FindingKind::Leak), findingAt(2), findingAt(1, FindingKind::GlobalRace)});
        QVERIFY(judged);
        QCOMPARE(judged.value().kept.size(), size_t{3});
        QCOMPARE(judged.value().kept[0].accesses[0].where.line, 3u);
        QCOMPARE(judged.value().kept[1].accesses[0].where.line, 2u);
        QCOMPARE(judged.value().suppressed.size(), size_t{1});
    }

    void aFileThatCannotBeReadIsAnError()
    {
        QCOMPARE(described(findings::applySuppressions(catalogOf(""), "/no/such/file", {})),
                 "/no/such/file: cannot be read");
    }

private:
    QTemporaryDir m_folder;
};

QTEST_APPLESS_MAIN(TestSuppressions)
#include "tst_suppressions.moc"
