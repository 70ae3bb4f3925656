// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the `lanescope` command in a folder of its own, with a compile cache of its own.
#pragma once

#include <QString>
#include <QStringList>
#include <QTemporaryDir>
#include <nlohmann/json.hpp>

#include "tests/support/process.h"

namespace lanescope::test {

using CommandResult = ProcessResult;

class Command {
public:
    /// Own: what it builds is linked to this build's libraries, for suites that run it, or other programs, themselves.
    enum class Runtime { OfCompiledPrograms, Own };
    explicit Command(Runtime runtime = Runtime::OfCompiledPrograms);

    CommandResult run(const QStringList& arguments);
    /// Writes a file into the folder that commands run in; returns its name.
    QString write(const QString& name, const QString& text);
    [[nodiscard]] QString path(const QString& name) const { return m_folder.filePath(name); }
    [[nodiscard]] static QString kernel(const QString& name)
    {
        return QStringLiteral(LANESCOPE_KERNELS_FOLDER "/") + name;
    }
    /// The document of `lanescope … --format json`; fails the test when it is none.
    nlohmann::json json(const QStringList& arguments);

    QProcessEnvironment environment;
    QString workingFolder;  ///< where commands run, if not in the folder

private:
    QTemporaryDir m_folder;
};

}  // namespace lanescope::test
