// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/child_program.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/json_text.h"
#include "core/findings/kinds/finding_kinds.h"
#include "core/trace/writer.h"
#include "instrumented/compiler/clang.h"
#include "instrumented/compiler/installation.h"
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

ProgramRun::Status statusOf(const nlohmann::json& json)
{
    ProgramRun::Status status;
    status.launches = json.value("launches", 0u);
    status.findings = json.value("findings", 0u);
    status.traceError = json.value("traceError", "");
    status.launchError = json.value("launchError", "");
    if (json.contains("exit"))
        status.exit = json.value("exit", 0);
    if (json.contains("stopped")) {
        status.stopCode = json["stopped"].value("code", "other");
        status.stopKind = json["stopped"].value("kind", "");
        status.stopMessage = json["stopped"].value("message", "");
    }
    return status;
}

/// What \p further says, a child of the program or the program itself, joins what is known.
void join(ProgramRun::Status& known, const ProgramRun::Status& further)
{
    known.launches += further.launches;
    known.findings += further.findings;
    if (further.exit)
        known.exit = further.exit;
    if (known.stopCode.empty()) {
        known.stopCode = further.stopCode;
        known.stopKind = further.stopKind;
        known.stopMessage = further.stopMessage;
    }
    if (known.traceError.empty())
        known.traceError = further.traceError;
    if (known.launchError.empty())
        known.launchError = further.launchError;
}

/// The last line of \p program or one of its children.
void readStatus(const nlohmann::json& json, pid_t program, ProgramRun& run)
{
    ProgramRun::Status status = statusOf(json);
    if (json.value("process", program) != program)
        status.exit.reset();
    if (const std::string trace = json.value("trace", ""); !trace.empty())
        run.traces.push_back({trace, json.value("process", program) != program});
    if (run.status)
        join(*run.status, status);
    else
        run.status = status;
}

/// What the runtime wrote down while the program ran (instrumented/runtime/run_log.h).
void readLog(const std::string& path, pid_t program, ProgramRun& run)
{
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
        if (!json.is_object())
            continue;
        if (json.contains("finding"))
            run.findings.push_back(json.value("finding", ""));
        else if (json.contains("launches"))
            readStatus(json, program, run);
    }
}

trace::ProgramEnd endOf(const ProgramRun& run)
{
    trace::ProgramEnd end =
        run.signal != 0 ? trace::ProgramEnd::ofSignal(run.signal) : trace::ProgramEnd::exited(run.code);
    // Threads that wait for ever stop a launch, too, but that is no limit of ours.
    if (run.status && run.status->stopCode == "limit" && end.isOrderly()) {
        const std::optional<FindingKind> kind = kindNamed(run.status->stopKind);
        if (kind && familyOf(*kind) == Family::Limit)
            end.how = trace::ProgramEnd::How::Limit;
    }
    return end;
}

void writeLine(int fd, const Json& json)
{
    if (fd < 0)
        return;
    const std::string line = json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
    [[maybe_unused]] const ssize_t written = write(fd, line.data(), line.size());
}

}  // namespace

bool isBegun(const std::string& trace)
{
    std::error_code ignored;
    const uintmax_t size = std::filesystem::file_size(trace, ignored);
    return !ignored && size > 0;
}

Result<ProgramRun> runProgram(const ProgramRunRequest& request)
{
    const TemporaryFile statusFile;
    compiler::ProcessRequest process;
    process.command = {request.executable};
    process.name = request.name;
    process.command.insert(process.command.end(), request.arguments.begin(), request.arguments.end());
    process.stdoutToStderr = request.stdoutToStderr;
    process.silent = request.silent;
    process.outputFile = request.outputFile;
    process.environment = {"LANESCOPE_OPTIONS=" + request.options, "LANESCOPE_STATUS=" + statusFile.path(),
                           "LANESCOPE_TRACE=" + request.trace};
    for (const std::string& variable : compiler::runtimeEnvironment(compiler::findInstallation()))
        process.environment.push_back(variable);
    process.environment.insert(process.environment.end(), request.environment.begin(), request.environment.end());
    const Result<pid_t> started = compiler::startProcess(process);
    if (!started) {
        reportNotStarted(request.progressFd);
        return started.error();
    }
    compiler::ProcessEnd ended;
    {
        const SignalForwarder forwarder(started.value());
        ended = compiler::waitForProcess(started.value());
    }
    ProgramRun run;
    run.code = ended.code;
    run.signal = ended.signal;
    readLog(statusFile.path(), started.value(), run);
    run.end = endOf(run);
    // It may have died before it could say so, or after; or does not know its status itself.
    const bool isOwnTrace = run.status && run.status->exit == run.code;
    const auto told = std::ranges::find(run.traces, request.trace, &ProgramRun::Trace::path);
    const bool isTold = told != run.traces.end();
    const bool isNoted = run.signal == 0 && (isOwnTrace || (isTold && told->isChilds));
    if (!isNoted && isBegun(request.trace)) {
        const Result<void> noted = trace::noteProgramEnd(request.trace, run.end);
        // One that was killed may leave anything; whoever reads it says so.
        if (!noted && isTold) {
            fail(noted.error());
            run.status->traceError = noted.error().text();
        }
    }
    reportEnd(request.progressFd, run);
    return run;
}

void reportEnd(int progressFd, const ProgramRun& run)
{
    Json json = {{"event", "programEnd"}};
    json.update(toJson(run.end));
    if (run.status && !run.status->stopCode.empty())
        json["stopped"] = {
            {"code", run.status->stopCode}, {"kind", run.status->stopKind}, {"message", run.status->stopMessage}};
    writeLine(progressFd, json);
}

void reportNotStarted(int progressFd)
{
    writeLine(progressFd, {{"event", "programEnd"}, {"how", "not-started"}});
}

int exitCodeOf(const ProgramRun& run)
{
    if (!run.status)
        for (const std::string& finding : run.findings)
            fmt::print(stderr, "{}\n", finding);
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
