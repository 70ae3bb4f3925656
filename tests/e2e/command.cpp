// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "command.h"

#include <QFile>
#include <QIODevice>
#include <QProcessEnvironment>
#include <QTest>

namespace lanescope::test {

Command::Command(Runtime runtime)
{
    if (runtime == Runtime::Own)
        qunsetenv("LANESCOPE_TEST_PROGRAMS");
    environment = environmentWith({});
    environment.remove("LANESCOPE_TRACE");
    environment.remove("LANESCOPE_OPTIONS");
    environment.insert("LANESCOPE_CCCL", "none");  // the same headers on every machine
}

CommandResult Command::run(const QStringList& arguments)
{
    return runProcess(QStringLiteral(LANESCOPE_COMMAND), arguments, environment,
                      workingFolder.isEmpty() ? m_folder.path() : workingFolder);
}

QString Command::write(const QString& name, const QString& text)
{
    QFile file(path(name));
    if (!file.open(QIODevice::WriteOnly))
        qFatal("cannot write %s", qPrintable(name));
    file.write(text.toUtf8());
    return name;
}

nlohmann::json Command::json(const QStringList& arguments)
{
    const CommandResult result = run(arguments + QStringList{"--format", "json"});
    const auto document = nlohmann::json::parse(result.output.toStdString(), nullptr, false);
    if (!document.is_object())
        qFatal("no JSON document: %s%s", qPrintable(result.output), qPrintable(result.errors));
    return document;
}

}  // namespace lanescope::test
