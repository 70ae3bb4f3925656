// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Child processes: start one, wait for one.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "core/base/result.h"

namespace lanescope::compiler {

struct ProcessRequest {
    std::vector<std::string> command;      ///< command[0] is searched for in PATH
    std::string name;                      ///< what the process finds in argv[0]; empty: command[0]
    std::string directory;                 ///< working directory; empty: ours
    std::string outputFile;                ///< takes stdout and stderr; empty: ours
    bool silent = false;                   ///< stdin, stdout and stderr are /dev/null
    bool stdoutToStderr = false;           ///< stdout goes where stderr goes
    std::vector<std::string> environment;  ///< "NAME=VALUE" on top of our environment
};

/// Starts the process. Error NotFound when the command cannot be run.
Result<pid_t> startProcess(const ProcessRequest& request);

/// How a process ended: an exit code, or a signal number (then code is 128 + signal).
struct ProcessEnd {
    int code = 0;
    int signal = 0;
};
ProcessEnd waitForProcess(pid_t process);

/// The file that would run for \p name: in PATH, or itself when it holds a slash. Empty when there is none.
std::string findProgram(const std::string& name);

}  // namespace lanescope::compiler
