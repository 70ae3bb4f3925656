// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/child_program.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "instrumented/compiler/process.h"

namespace lanescope::cli {

namespace {

volatile sig_atomic_t g_child = 0;

void forward(int signal)
{
    if (g_child > 0)
        kill(static_cast<pid_t>(g_child), signal);
}

/// While it lives, SIGTERM and SIGINT go to the child, and we stay to say how it ended.
class SignalForwarder {
public:
    explicit SignalForwarder(pid_t child)
    {
        g_child = child;
        struct sigaction action = {};
        action.sa_handler = forward;
        sigaction(SIGTERM, &action, &m_previousTerm);
        sigaction(SIGINT, &action, &m_previousInt);
    }
    ~SignalForwarder()
    {
        g_child = 0;
        sigaction(SIGTERM, &m_previousTerm, nullptr);
        sigaction(SIGINT, &m_previousInt, nullptr);
    }
    SignalForwarder(const SignalForwarder&) = delete;
    SignalForwarder& operator=(const SignalForwarder&) = delete;

private:
    struct sigaction m_previousTerm = {};
    struct sigaction m_previousInt = {};
};

/// A file that is gone when this is.
class TemporaryFile {
public:
    TemporaryFile()
    {
        const int file = mkstemp(m_path.data());
        if (file >= 0)
            close(file);
    }
    ~TemporaryFile() { unlink(m_path.c_str()); }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    [[nodiscard]] const std::string& path() const { return m_path; }

private:
    std::string m_path = std::filesystem::temp_directory_path().string() + "/lanescope-status-XXXXXX";
};

std::optional<ProgramRun::Status> readStatus(const std::string& path)
{
    std::ifstream file(path);
    const nlohmann::json json = nlohmann::json::parse(file, nullptr, false);
    if (!json.is_object())
        return std::nullopt;
    ProgramRun::Status status;
    status.launches = json.value("launches", 0u);
    status.findings = json.value("findings", 0u);
    status.traceError = json.value("traceError", "");
    status.launchError = json.value("launchError", "");
    if (json.contains("stopped")) {
        status.stopCode = json["stopped"].value("code", "other");
        status.stopMessage = json["stopped"].value("message", "");
    }
    return status;
}

}  // namespace

Result<ProgramRun> runProgram(const ProgramRunRequest& request)
{
    const TemporaryFile statusFile;
    compiler::ProcessRequest process;
    process.command = {request.executable};
    process.name = request.name;
    process.command.insert(process.command.end(), request.arguments.begin(), request.arguments.end());
    process.stdoutToStderr = request.stdoutToStderr;
    process.silent = request.silent;
    process.environment = {"LANESCOPE_OPTIONS=" + request.options, "LANESCOPE_STATUS=" + statusFile.path(),
                           "LANESCOPE_TRACE=" + request.trace};
    process.environment.insert(process.environment.end(), request.environment.begin(), request.environment.end());
    const Result<pid_t> started = compiler::startProcess(process);
    if (!started)
        return started.error();
    compiler::ProcessEnd end;
    {
        const SignalForwarder forwarder(started.value());
        end = compiler::waitForProcess(started.value());
    }
    return ProgramRun{end.code, end.signal, readStatus(statusFile.path())};
}

int exitCodeOf(const ProgramRun& run)
{
    if (run.signal != 0) {
        fail(fmt::format("the program was ended by signal {} ({})", run.signal, strsignal(run.signal)));
        return run.code;
    }
    if (!run.status)
        return run.code;
    if (run.status->stopCode == "limit")
        return kLimit;
    if (!run.status->stopCode.empty() || !run.status->traceError.empty())
        return kCouldNotRun;
    return run.code;
}

}  // namespace lanescope::cli
