// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "corpus_program.h"

#include <QFile>
#include <QRegularExpression>

#include <algorithm>

namespace lanescope::test {

namespace {

QList<Expectation> parseExpectations(int line, const QString& text)
{
    QList<Expectation> expectations;
    for (const QString& item : text.split(',', Qt::SkipEmptyParts)) {
        QStringList words = item.split(' ', Qt::SkipEmptyParts);
        Expectation expectation{line, words.takeFirst(), {}};
        for (const QString& word : words)
            if (const qsizetype sign = word.indexOf('='); sign > 0)
                expectation.fields.append({word.left(sign), word.mid(sign + 1)});
            else
                expectation.severity = word;
        expectations.append(expectation);
    }
    return expectations;
}

void readComments(CorpusProgram& program, const QStringList& lines)
{
    static const QRegularExpression pattern("//\\s*(expect|expect-fixed|check|arguments):(.*)$");
    const QString expect = program.fixed ? "expect-fixed" : "expect";
    for (int i = 0; i < lines.size(); ++i) {
        const QRegularExpressionMatch match = pattern.match(lines[i]);
        if (!match.hasMatch())
            continue;
        const QString text = match.captured(2).trimmed();
        if (match.captured(1) == "check")
            program.options = text.split(' ', Qt::SkipEmptyParts);
        else if (match.captured(1) == "arguments")
            program.arguments = text.split(' ', Qt::SkipEmptyParts);
        else if (match.captured(1) == expect)
            program.expected += parseExpectations(i + 1, text);
    }
}

QString stringOf(const nlohmann::json& json, const char* key)
{
    return json.contains(key) && json[key].is_string() ? QString::fromStdString(json[key].get<std::string>())
                                                       : QString();
}

bool belongs(const nlohmann::json& finding, const Expectation& expectation)
{
    if (stringOf(finding, "kind") != expectation.kind)
        return false;
    if (!expectation.severity.isEmpty() && stringOf(finding, "severity") != expectation.severity)
        return false;
    for (const auto& [field, value] : expectation.fields) {
        const std::string key = field.toStdString();
        if (!finding.contains(key) || QString::fromStdString(finding[key].dump()) != value)
            return false;
    }
    const auto isOnLine = [&](const nlohmann::json& told) {
        return std::ranges::any_of(told["accesses"], [&](const nlohmann::json& access) {
            return access["line"].get<int>() == expectation.line;
        });
    };
    return isOnLine(finding) || (finding.contains("pairs") && std::ranges::any_of(finding["pairs"], isOnLine));
}

QString describe(const nlohmann::json& finding)
{
    QStringList lines;
    for (const nlohmann::json& access : finding["accesses"])
        lines.append(QString::number(access["line"].get<int>()));
    return QString("line %1: %2 %3: %4")
        .arg(lines.isEmpty() ? "?" : lines.join(" and "), stringOf(finding, "kind"), stringOf(finding, "severity"),
             stringOf(finding, "message"));
}

}  // namespace

QString Expectation::text() const
{
    QString text = QString("line %1: %2 %3").arg(line).arg(kind, severity).trimmed();
    for (const auto& [field, value] : fields)
        text += " " + field + "=" + value;
    return text;
}

QString CorpusProgram::compare(const nlohmann::json& document) const
{
    QStringList differences;
    QList<bool> found(expected.size(), false);
    for (const nlohmann::json& finding : document["findings"]) {
        bool wanted = false;
        for (int i = 0; i < expected.size(); ++i)
            if (belongs(finding, expected[i]))
                wanted = found[i] = true;
        if (!wanted)
            differences.append("not expected: " + describe(finding));
    }
    for (int i = 0; i < expected.size(); ++i)
        if (!found[i])
            differences.append("not found: " + expected[i].text());
    for (const nlohmann::json& reason : document["unsupported"])
        differences.append("stopped: " + QString::fromStdString(reason.get<std::string>()));
    if (expected.isEmpty() && document["programExit"] != 0)
        differences.append("the program returned " + QString::fromStdString(document["programExit"].dump()));
    return differences.join('\n');
}

QList<CorpusProgram> readProgram(const QString& path, const QString& name)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        qFatal("cannot read %s", qPrintable(path));
    const QString text = QString::fromUtf8(file.readAll());
    QList<CorpusProgram> programs{{name, path, false, {}, {}, {}}};
    if (text.contains(QRegularExpression("\\bFIXED\\b")))
        programs.append({name + " FIXED", path, true, {}, {}, {}});
    for (CorpusProgram& program : programs)
        readComments(program, text.split('\n'));
    return programs;
}

}  // namespace lanescope::test
