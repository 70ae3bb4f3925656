// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gallery_findings.h"

#include <QFile>

namespace lanescope::test {

namespace {

QString textOf(const QString& path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        qFatal("cannot read %s", qPrintable(path));
    return QString::fromUtf8(file.readAll());
}

QString sourceLine(const nlohmann::json& access)
{
    const QStringList lines = textOf(QString::fromStdString(access["file"])).split('\n');
    const int line = access["line"].get<int>();
    return line >= 1 && line <= lines.size() ? lines[line - 1].trimmed() : QString("no line %1").arg(line);
}

QString findingLine(const nlohmann::json& finding)
{
    QString text =
        QString::fromStdString(finding["severity"].get<std::string>() + " " + finding["kind"].get<std::string>());
    for (const char* number : {"degree", "sectorsPerRequest", "ideal", "bytes", "of"})
        if (finding.contains(number))
            text += QString(" %1=%2").arg(number, QString::fromStdString(finding[number].dump()));
    QStringList places;
    for (const nlohmann::json& access : finding["accesses"])
        if (const QString place = sourceLine(access); !places.contains(place))
            places.append(place);
    return text + " | " + places.join(" | ");
}

}  // namespace

QHash<QString, ExpectedFindings> readExpectedFindings(const QString& path)
{
    QHash<QString, ExpectedFindings> programs;
    QString program;
    for (const QString& line : textOf(path).split('\n', Qt::SkipEmptyParts)) {
        if (line.startsWith('#'))
            continue;
        if (!line.startsWith(' ')) {
            program = line.trimmed();
            programs[program] = {};
        } else if (line.trimmed() == "pending") {
            programs[program].pending = true;
        } else {
            programs[program].lines.append(line.trimmed());
        }
    }
    for (ExpectedFindings& expected : programs)
        expected.lines.sort();
    return programs;
}

QStringList findingLines(const nlohmann::json& document)
{
    QStringList lines;
    for (const nlohmann::json& finding : document["findings"])
        lines.append(findingLine(finding));
    for (const nlohmann::json& reason : document["unsupported"])
        lines.append("stopped: " + QString::fromStdString(reason.get<std::string>()));
    lines.sort();
    return lines;
}

}  // namespace lanescope::test
