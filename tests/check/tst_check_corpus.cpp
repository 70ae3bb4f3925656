// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs `lanescope check` on every program of corpus/ and compares what it finds with what the program's comments
// expect.
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QIODevice>
#include <QRegularExpression>
#include <QRegularExpressionMatch>
#include <QTest>
#include <atomic>
#include <thread>

#include "command.h"
#include "core/findings/kinds/finding_kinds.h"
#include "corpus_program.h"
#include "tests/support/sampling.h"

using namespace lanescope::test;

class TestCheckCorpus : public QObject {
    Q_OBJECT

    Command m_command;
    QList<CorpusProgram> m_programs;
    QList<int> m_sample;                 ///< programs to check
    std::vector<QString> m_differences;  ///< of each program; empty when it passes
    QStringList m_pending;
    QStringList m_explained;  ///< kinds with an example in the document

    void readCorpus();
    void readDocument();
    void checkSampled();
    QString check(const CorpusProgram& program);
    static QStringList argumentsFor(const CorpusProgram& program, const QStringList& more);
    void writePending() const;

private slots:
    void initTestCase();
    void findsExactlyWhatIsExpected_data();
    void findsExactlyWhatIsExpected();
    void pendingNamesPrograms();
    void everyKindIsExplained();
};

namespace {

/// The corpus must not get lost.
constexpr int kMinimumPrograms = 150;

QStringList linesOf(const QString& path, Qt::SplitBehavior behaviour = Qt::SkipEmptyParts)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        qFatal("cannot read %s", qPrintable(path));
    return QString::fromUtf8(file.readAll()).split('\n', behaviour);
}

}  // namespace

void TestCheckCorpus::readCorpus()
{
    const QDir folder(LANESCOPE_CORPUS_FOLDER);
    QStringList files;
    for (QDirIterator it(folder.path(), {"*.cu"}, QDir::Files, QDirIterator::Subdirectories); it.hasNext();)
        files.append(it.next());
    files.sort();
    for (const QString& file : files)
        m_programs += readProgram(file, folder.relativeFilePath(file));
}

/// The examples of docs/checks.md, each of which is in the section of the kind that it is about.
void TestCheckCorpus::readDocument()
{
    const QString text = linesOf(LANESCOPE_CHECKS_DOCUMENT, Qt::KeepEmptyParts).join('\n');
    static const QRegularExpression example("\n## ([a-z-]+)\n(?:(?!\n## ).)*?\n```cuda\n(.*?)```",
                                            QRegularExpression::DotMatchesEverythingOption);
    for (auto it = example.globalMatch(text); it.hasNext();) {
        const QRegularExpressionMatch match = it.next();
        const QString file = m_command.write(match.captured(1) + ".cu", match.captured(2));
        const QList<CorpusProgram> programs = readProgram(m_command.path(file), "docs/checks.md " + match.captured(1));
        m_programs += programs;
        m_explained += match.captured(1);
        const bool shows = std::any_of(programs[0].expected.begin(), programs[0].expected.end(),
                                       [&](const Expectation& e) { return e.kind == match.captured(1); });
        QVERIFY2(shows, qPrintable(match.captured(1)));
    }
}

void TestCheckCorpus::everyKindIsExplained()
{
    // Two need a GPU, or more memory than there is; the third has no line.
    const QStringList withoutExample{"step-limit", "time-limit", "memory-limit"};
    for (size_t i = 0; i < static_cast<size_t>(lanescope::FindingKind::Unknown); ++i) {
        const QString kind = lanescope::nameOf(static_cast<lanescope::FindingKind>(i));
        const CommandResult result = m_command.run({"check", "--explain", kind});
        QCOMPARE(result.code, 0);
        QVERIFY2(result.output.startsWith("## " + kind + "\n"), qPrintable(result.output));
        for (const char* part : {"**Means**", "**Does not see**", "**Repair**"})
            QVERIFY2(result.output.count(part) == 1, qPrintable(kind + part));
        QVERIFY2(m_explained.contains(kind) != withoutExample.contains(kind), qPrintable(kind));
    }
    QCOMPARE(m_command.run({"check", "--explain", "gremlins"}).code, 2);
}

QString TestCheckCorpus::check(const CorpusProgram& program)
{
    const auto documentOf = [](const CommandResult& result) {
        return nlohmann::json::parse(result.output.toStdString(), nullptr, false);
    };
    const CommandResult result = m_command.run(argumentsFor(program, {}));
    const nlohmann::json document = documentOf(result);
    if (!document.is_object())
        return QString("no JSON document, exit code %1\n").arg(result.code) + result.output + result.errors;
    // Of a launch that a block stops, more or fewer blocks have been recorded.
    const nlohmann::json again =
        program.fixed ? document : documentOf(m_command.run(argumentsFor(program, {"--threads", "5"})));
    if (!again.is_object() || again["findings"] != document["findings"])
        return "found something else the second time, on five threads";
    return program.compare(document);
}

QStringList TestCheckCorpus::argumentsFor(const CorpusProgram& program, const QStringList& more)
{
    QStringList arguments = QStringList{"check", "--format", "json"} + more + program.options;
    if (program.fixed)
        arguments += QStringList{"-D", "FIXED"};
    arguments.append(program.path);
    if (!program.arguments.isEmpty())
        arguments += QStringList{"--"} + program.arguments;
    return arguments;
}

/// Several programs at a time: each is a compilation and a run of its own.
void TestCheckCorpus::checkSampled()
{
    for (int i = 0; i < m_programs.size(); ++i)
        if (lanescope::test::sampled())
            m_sample.append(i);
    m_differences.resize(static_cast<size_t>(m_programs.size()));
    std::atomic<qsizetype> next = 0;
    const auto work = [&] {
        for (qsizetype i = next++; i < m_sample.size(); i = next++) {
            const int index = std::as_const(m_sample)[i];
            m_differences[static_cast<size_t>(index)] = check(std::as_const(m_programs)[index]);
        }
    };
    std::vector<std::jthread> workers;
    for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i)
        workers.emplace_back(work);
}

void TestCheckCorpus::writePending() const
{
    QFile file(LANESCOPE_PENDING_FILE);
    if (!file.open(QIODevice::WriteOnly))
        qFatal("cannot write %s", LANESCOPE_PENDING_FILE);
    for (qsizetype i = 0; i < m_programs.size(); ++i)
        if (!m_differences[static_cast<size_t>(i)].isEmpty())
            file.write((m_programs[i].name + "\n").toUtf8());
}

void TestCheckCorpus::initTestCase()
{
    readCorpus();
    readDocument();
    checkSampled();
    if (qEnvironmentVariableIsSet("LANESCOPE_UPDATE_PENDING"))
        writePending();
    m_pending = linesOf(LANESCOPE_PENDING_FILE);
}

void TestCheckCorpus::findsExactlyWhatIsExpected_data()
{
    QTest::addColumn<int>("index");
    for (const int i : std::as_const(m_sample))
        QTest::newRow(qPrintable(m_programs[i].name)) << i;
}

void TestCheckCorpus::findsExactlyWhatIsExpected()
{
    QFETCH(int, index);
    const QString& differences = m_differences[static_cast<size_t>(index)];
    if (m_pending.contains(m_programs[index].name)) {
        QVERIFY2(!differences.isEmpty(), "passes: take it out of pending.txt");
        QEXPECT_FAIL("", "pending", Continue);
    }
    QVERIFY2(differences.isEmpty(), qPrintable("\n" + differences));
}

void TestCheckCorpus::pendingNamesPrograms()
{
    QVERIFY(m_programs.size() >= kMinimumPrograms);
    for (const QString& name : m_pending)
        QVERIFY2(std::any_of(m_programs.begin(), m_programs.end(), [&](const auto& p) { return p.name == name; }),
                 qPrintable(name));
}

QTEST_GUILESS_MAIN(TestCheckCorpus)
#include "tst_check_corpus.moc"
