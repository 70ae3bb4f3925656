// SPDX-License-Identifier: GPL-3.0-or-later
// `lanescope record --host HOST`: another machine's lanescope records, reached by the system's ssh.
#pragma once

#include <string>
#include <vector>

#include "app/cli/program_options.h"

namespace lanescope::cli {

struct RemoteOptions {
    std::string host;               ///< as ssh takes it; empty: this machine
    std::string lanescope;          ///< the command there; empty: LANESCOPE_HOST_COMMAND, else lanescope
    std::vector<std::string> sent;  ///< further files that go along
};

struct RemoteRecording {
    ProgramOptions program;
    RemoteOptions remote;
    std::string commandLine;  ///< for the trace
    std::string trace;        ///< absolute path here
    bool isForeign = false;   ///< program and arguments are a command of the other machine
    bool attach = false;
    bool quiet = false;
};

void addRemoteOptions(CLI::App& command, RemoteOptions& options);

/// Returns the exit code, as of record. SIGINT and SIGTERM end the program there, and what it has recorded is fetched.
int recordRemotely(const RemoteRecording& recording);

}  // namespace lanescope::cli
