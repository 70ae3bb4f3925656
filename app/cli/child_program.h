// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a compiled program as a child process and says how it went.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/cli/program_options.h"
#include "core/trace/program_end.h"

namespace lanescope::cli {

struct ProgramRun {
    int code = 0;    ///< exit status; 128 + signal when a signal ended it
    int signal = 0;  ///< 0: it ended by itself
    trace::ProgramEnd end;
    /// What was found, as text, where the program could not say so itself before it was killed.
    std::vector<std::string> findings;
    /// What the runtime in the program reported; none when it could not (killed).
    struct Status {
        uint32_t launches = 0;
        uint32_t findings = 0;
        std::string stopCode;  ///< "limit", "unsupported", "other"; empty: nothing stopped it
        std::string stopKind;  ///< of finding, where it is one: "step-limit", "livelock"
        std::string stopMessage;
        std::optional<int> exit;  ///< as the program itself knew it
        std::string traceError;
        std::string launchError;  ///< CUDA's name of the error of the last launch that was refused
    };
    std::optional<Status> status;
    struct Trace {
        std::string path;
        bool isChilds = false;  ///< a child of the program wrote it, and has said how itself ended
    };
    /// What was written: of a program with children, maybe several.
    std::vector<Trace> traces;
};

struct ProgramRunRequest {
    std::string executable;
    std::string name;  ///< argv[0]
    std::vector<std::string> arguments;
    std::string options;                        ///< LANESCOPE_OPTIONS
    std::string trace;                          ///< absolute path; empty: not recorded
    bool stdoutToStderr = false;                ///< keeps our own stdout for a document
    bool silent = false;                        ///< nothing to read, nothing shown
    std::vector<std::string> environment = {};  ///< further "NAME=VALUE"
    int progressFd = -1;                        ///< gets a last line about the program's end
    std::string outputFile = {};                ///< takes what it prints; empty: our stdout and stderr
};

/// The child has our stdin, stdout and stderr; it is told of our SIGINT and SIGTERM and does not outlive us. A trace
/// that the program could not close is told how it ended.
Result<ProgramRun> runProgram(const ProgramRunRequest& request);

/// Whether anything was written to \p trace: a process that is killed early leaves an empty file.
bool isBegun(const std::string& trace);

/// One line for who follows a run: {"event": "programEnd", "how": …, "stopped": {"code": …, "message": …}}.
void reportEnd(int progressFd, const ProgramRun& run);
/// The same for a program that could not be compiled or started.
void reportNotStarted(int progressFd);

/// The exit code of record and run: the program's own, 2 when it could not be run, 3 when a limit stopped it. Says on
/// stderr what the runtime has not said itself.
int exitCodeOf(const ProgramRun& run);

}  // namespace lanescope::cli
