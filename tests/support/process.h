// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a program to its end, for suites that look at what a command prints and returns.
#pragma once

#include <initializer_list>
#include <utility>

#include <QCoreApplication>
#include <QProcess>
#include <QProcessEnvironment>

namespace lanescope::test {

struct ProcessResult {
    int code = -1;  ///< exit status; -1: ended by a signal, did not start, or did not end
    QString output;
    QString errors;
};

/// What suites have compiled: one cache for all of a build. With LANESCOPE_TEST_PROGRAMS, the folder of another build,
/// it is that one's, and a sanitized command gives the programs its own runtime (compiler::runtimeEnvironment).
inline void useCompiledPrograms(QProcessEnvironment& environment)
{
    const QString other = environment.value("LANESCOPE_TEST_PROGRAMS");
    environment.insert("XDG_CACHE_HOME",
                       (other.isEmpty() ? QCoreApplication::applicationDirPath() : other + "/bin") + "/test-cache");
    if (other.isEmpty())
        return;
    environment.insert("LANESCOPE_LIBRARY", other + "/lib");
    environment.insert("LANESCOPE_INSTRUMENT", other + "/bin/lanescope-instrument");
}

/// This process's environment with some variables set. How far a long launch is, is not told: what is printed does not
/// depend on how fast the machine is.
inline QProcessEnvironment environmentWith(std::initializer_list<std::pair<QString, QString>> variables)
{
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    useCompiledPrograms(environment);
    environment.insert("LANESCOPE_PROGRESS", "0");
    for (const auto& [name, value] : variables)
        environment.insert(name, value);
    return environment;
}

/// \p folder: where it runs, if not here. A program that hangs is killed.
inline ProcessResult runProcess(const QString& program, const QStringList& arguments,
                                const QProcessEnvironment& environment = environmentWith({}),
                                const QString& folder = {})
{
    constexpr int kHangs = 600'000;  // ms
    QProcess process;
    process.setWorkingDirectory(folder);
    process.setProcessEnvironment(environment);
    process.start(program, arguments);
    const bool hasEnded = process.waitForFinished(kHangs);
    if (!hasEnded && process.state() != QProcess::NotRunning) {
        process.kill();
        process.waitForFinished();
    }
    const bool isRegular = hasEnded && process.exitStatus() == QProcess::NormalExit;
    return {isRegular ? process.exitCode() : -1, QString::fromUtf8(process.readAllStandardOutput()),
            QString::fromUtf8(process.readAllStandardError())};
}

}  // namespace lanescope::test
