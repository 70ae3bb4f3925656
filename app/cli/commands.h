// SPDX-License-Identifier: GPL-3.0-or-later
// The subcommands of `lanescope`, one file each. Each add…() declares its options and, when it was chosen, puts what it
// does into \p context.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace lanescope::cli {

inline constexpr const char* kLanescopeVersion = "0.1.0";

/// Exit codes of the command's contract.
enum ExitCode { kOk = 0, kFindings = 1, kCouldNotRun = 2, kLimit = 3 };

struct Context {
    int& argc;  ///< of main: Qt takes its own arguments out
    char** argv;
    std::string commandLine;   ///< as typed, for the trace
    std::function<int()> run;  ///< what the chosen subcommand does; returns the exit code
};

void addRecordCommand(CLI::App& app, Context& context);
void addRemoteCommand(CLI::App& app, Context& context);
void addRunCommand(CLI::App& app, Context& context);
void addBuildCommand(CLI::App& app, Context& context);
void addCheckCommand(CLI::App& app, Context& context);
void addMergeCommand(CLI::App& app, Context& context);
void addInfoCommand(CLI::App& app, Context& context);
void addStateCommand(CLI::App& app, Context& context);
void addReportCommand(CLI::App& app, Context& context);
void addDiffCommand(CLI::App& app, Context& context);
void addExerciseCommand(CLI::App& app, Context& context);
void addDoctorCommand(CLI::App& app, Context& context);
void addLayoutCommand(CLI::App& app, Context& context);
void addNvccCommand(CLI::App& app, Context& context);
void addRenderCommand(CLI::App& app, Context& context);
void addViewCommand(CLI::App& app, Context& context);

/// `lanescope nvcc WORDS…`, also as lanescope-nvcc; returns the exit code.
int nvcc(const std::vector<std::string>& words);

/// Prints "lanescope: error: …" and returns kCouldNotRun.
int fail(const Error& error);
int fail(const std::string& message);

}  // namespace lanescope::cli
