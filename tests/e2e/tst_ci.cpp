// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What docs/ci.md promises to scripts: check's documents are as docs/check.schema.json has them, and its commands work.
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <QIODevice>
#include <QRegularExpression>
#include <QTest>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "command.h"

using namespace lanescope::test;

namespace {

QString textOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

}  // namespace

class TestCi : public QObject {
    Q_OBJECT

private:
    Command m_command{Command::Runtime::Own};
    valijson::Schema m_schema;

    /// What is not as the schema has it; empty: nothing.
    QString faultsOf(const nlohmann::json& document)
    {
        valijson::Validator validator;
        valijson::ValidationResults results;
        const valijson::adapters::NlohmannJsonAdapter adapter(document);
        if (validator.validate(m_schema, adapter, &results))
            return {};
        QString text;
        for (valijson::ValidationResults::Error error; results.popError(error);) {
            for (const std::string& part : error.context)
                text += QString::fromStdString(part);
            text += ": " + QString::fromStdString(error.description) + '\n';
        }
        return text;
    }

private slots:
    void initTestCase()
    {
        const auto document = nlohmann::json::parse(textOf(LANESCOPE_DOCS "/check.schema.json").toStdString());
        const valijson::adapters::NlohmannJsonAdapter adapter(document);
        valijson::SchemaParser(valijson::SchemaParser::kDraft7).populateSchema(adapter, m_schema);
    }

    /// One program of each kind of finding, the first in its folder.
    void documentsAreAsTheSchemaHasThem_data()
    {
        QTest::addColumn<QString>("program");
        for (const QFileInfo& kind : QDir(LANESCOPE_CHECK_CORPUS).entryInfoList(QDir::Dirs | QDir::NoDotAndDotDot)) {
            const QStringList programs = QDir(kind.filePath()).entryList({"*.cu"}, QDir::Files, QDir::Name);
            if (!programs.isEmpty())
                QTest::newRow(qPrintable(kind.fileName())) << kind.filePath() + '/' + programs.front();
        }
    }

    void documentsAreAsTheSchemaHasThem()
    {
        QFETCH(QString, program);
        const QString faults = faultsOf(m_command.json({"check", program, "--max-steps", "1000000"}));
        QVERIFY2(faults.isEmpty(), qPrintable(faults));
    }

    void soAreThoseOfSeveralRuns()
    {
        m_command.write("race.cu", "__global__ void k(int* x) { x[0] = threadIdx.x; }\n"
                                   "int main() { int* x; cudaMalloc(&x, 4); k<<<2, 64>>>(x); cudaFree(x); }\n");
        for (const char* part : {"1/2", "2/2"})
            m_command.run(
                {"check", "race.cu", "--explore", "3", "--shard", part, "-o", QString("p%1.json").arg(part[0])});
        for (const char* rank : {"0", "1"}) {
            m_command.environment.insert("SLURM_STEP_ID", "0");
            m_command.environment.insert("SLURM_PROCID", rank);
            m_command.run({"record", "race.cu", "-o", "r.%r.lanes"});
        }
        m_command.environment.remove("SLURM_PROCID");
        for (const QStringList& words : {QStringList{"check", "race.cu", "--explore", "2"},
                                         {"merge", "p1.json", "p2.json"},
                                         {"check", "r.0.lanes", "r.1.lanes"}}) {
            const nlohmann::json document = m_command.json(words);
            const QString faults = faultsOf(document);
            QVERIFY2(faults.isEmpty(), qPrintable(faults));
            QVERIFY(!document["findings"].empty());
        }
    }

    void theSchemaIsNoOpenDoor()
    {
        const nlohmann::json good = m_command.json({"check", "race.cu"});
        for (const char* member : {"schema", "findings", "programEnd", "complete"}) {
            nlohmann::json bad = good;
            bad.erase(member);
            QVERIFY2(!faultsOf(bad).isEmpty(), member);
        }
        nlohmann::json bad = good;
        bad["findings"][0]["accesses"][0]["line"] = "one";
        QVERIFY(!faultsOf(bad).isEmpty());
        bad = good;
        bad["findings"][0]["severity"] = "fatal";
        QVERIFY(!faultsOf(bad).isEmpty());
    }

    void commandsOfTheDocumentWork_data()
    {
        QTest::addColumn<QString>("line");
        const QRegularExpression command("^lanescope (check .*?) *(#.*)?$", QRegularExpression::MultilineOption);
        for (auto it = command.globalMatch(textOf(LANESCOPE_DOCS "/ci.md")); it.hasNext();) {
            const QString line = it.next().captured(1);
            QTest::newRow(qPrintable(line)) << line;
        }
    }

    void commandsOfTheDocumentWork()
    {
        QFETCH(QString, line);
        m_command.write("prog.cu", textOf(m_command.path("race.cu")));
        QDir(m_command.path(".")).mkpath("build/tests");
        QVERIFY(m_command.run({"build", "prog.cu", "-o", "build/tests/test_all"}).code == 0);
        const CommandResult result = m_command.run(line.split(' '));
        QVERIFY2(result.code == 1, qPrintable(result.errors));
        const qsizetype output = line.indexOf("-o ");
        if (output < 0) {
            QVERIFY2(result.output.contains("[global-race]"), qPrintable(result.output));
            return;
        }
        const QString text = textOf(m_command.path(line.mid(output + 3)));
        QVERIFY2(nlohmann::json::accept(text.toStdString()) && text.contains("global-race"), qPrintable(text));
    }
};

QTEST_GUILESS_MAIN(TestCi)
#include "tst_ci.moc"
