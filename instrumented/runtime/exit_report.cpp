// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/runtime/exit_report.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <thread>

#include "instrumented/include/lanescope/stop_program.h"
#include "instrumented/runtime/api_findings.h"
#include "instrumented/runtime/fault_handler.h"
#include "instrumented/runtime/runtime.h"
#include "instrumented/runtime/under_way.h"

namespace lanescope::runtime {

namespace {

const char* kindOf(const StopReason& reason)
{
    return reason.kind ? nameOf(*reason.kind) : "";
}

bool isLimit(const StopReason& reason)
{
    return reason.kind && familyOf(*reason.kind) == Family::Limit;
}

/// More than these are counted, not listed.
constexpr size_t kMaxFindingsShown = 20;
/// How long a dying process waits for a thread of the program that is inside the runtime.
constexpr std::chrono::milliseconds kPatience{500};
constexpr std::chrono::milliseconds kBetweenTries{10};
/// How long for the file.
constexpr std::chrono::seconds kWritingPatience{3};

pid_t g_process = 0;
std::atomic<bool> g_reported = false;

const char* codeName(Error::Code code)
{
    switch (code) {
    case Error::Code::Limit:
        return "limit";
    case Error::Code::Unsupported:
        return "unsupported";
    default:
        return "other";
    }
}

/// A limit's kind comes first in its message.
StopReason stopReason(const Error& error)
{
    const bool isLimit = error.code == Error::Code::Limit && !error.where.empty();
    return StopReason::of(isLimit ? error.message + ", in " + error.where : error.text());
}

/// What kernels did, and launches that failed unseen. Other calls of the host have error codes, and are there for those
/// who ask `check`.
bool isShown(const trace::Finding& finding)
{
    return !finding.kernel.empty() || finding.kind == FindingKind::IgnoredError;
}

void printFindings(const Runtime& runtime, const TraceOutput& output)
{
    if (!runtime.options().reportFindings)
        return;
    size_t shown = 0;
    for (size_t i = 0; i < output.findings().size(); ++i)
        if (isShown(output.findings()[i]) && ++shown <= kMaxFindingsShown)
            std::fprintf(stderr, "%s\n", output.textOf(i).c_str());
    if (shown > kMaxFindingsShown)
        std::fprintf(stderr, "lanescope: %zu more findings\n", shown - kMaxFindingsShown);
}

void writeStatus(Runtime& runtime, const trace::ProgramEnd& end)
{
    nlohmann::json status = {{"process", getpid()},
                             {"launches", runtime.launches()},
                             {"findings", runtime.trace().findings().size()},
                             {"trace", runtime.trace().path()}};
    if (end.status)
        status["exit"] = *end.status;
    if (const std::optional<Error>& stopped = runtime.firstStop())
        status["stopped"] = {
            {"code", codeName(stopped->code)}, {"kind", kindOf(stopReason(*stopped))}, {"message", stopped->text()}};
    if (runtime.launchError() != cudaSuccess)
        status["launchError"] = cudaGetErrorName(runtime.launchError());
    if (const std::optional<Error>& failure = runtime.trace().failure())
        status["traceError"] = failure->text();
    runtime.runLog().end(status.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

/// A limit of ours has changed what the program did, however it ended then.
trace::ProgramEnd endOf(const Runtime& runtime, trace::ProgramEnd end)
{
    const std::optional<Error>& stopped = runtime.firstStop();
    if (end.isOrderly() && stopped && isLimit(stopReason(*stopped)))
        end.how = trace::ProgramEnd::How::Limit;
    return end;
}

/// The program ends in order: kernels that are under way go on to their end, or are told to hang. Not where another
/// thread stays inside the runtime.
void endWork()
{
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    std::unique_lock lock(Runtime::instance().mutex(), std::try_to_lock);
    while (!lock && isAnyUnderWay() && std::chrono::steady_clock::now() < deadline) {
        std::this_thread::sleep_for(kBetweenTries);
        (void)lock.try_lock();
    }
    if (!lock || !isAnyUnderWay() || g_reported)
        return;
    const RuntimeAccess access;
    waitForAllUnderWay();
}

void atExit(int status, void* /*unused*/)
{
    if (getpid() != g_process)
        return;
    endWork();
    reportExit(trace::ProgramEnd::exited(status & 0xff));
}

void atQuickExit()
{
    // Its status is not told here; who started the program knows it.
    if (getpid() != g_process)
        return;
    endWork();
    reportExit({trace::ProgramEnd::How::Exited, std::nullopt, {}});
}

}  // namespace

void installExitReport()
{
    g_process = getpid();
    on_exit(atExit, nullptr);
    at_quick_exit(atQuickExit);
    // Started by the command (which asks for a status): closing the window must not leave an endless kernel behind.
    const Options& options = Runtime::instance().options();
    if (!options.statusPath.empty() && (options.command == 0 || options.command == getppid()))
        prctl(PR_SET_PDEATHSIG, SIGKILL);
}

void reportExit(const trace::ProgramEnd& end)
{
    Runtime& runtime = Runtime::instance();
    const RuntimeAccess access;
    if (g_reported.exchange(true))
        return;
    std::fflush(stdout);
    addApiFindings(runtime, end);
    runtime.trace().finish(endOf(runtime, end), runtime.firstStop() ? stopReason(*runtime.firstStop()) : StopReason{});
    if (const std::optional<Error>& failure = runtime.trace().failure())
        std::fprintf(stderr, "lanescope: error: %s\n", failure->text().c_str());
    printFindings(runtime, runtime.trace());
    writeStatus(runtime, end);
}

void reportHastyExit(int status)
{
    if (getpid() == g_process)
        reportExit(trace::ProgramEnd::exited(status & 0xff));
}

void reportDeath(int signal)
{
    Runtime& runtime = Runtime::instance();
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    bool locked = runtime.mutex().try_lock();
    while (!locked && std::chrono::steady_clock::now() < deadline) {
        std::this_thread::sleep_for(kBetweenTries);
        locked = runtime.mutex().try_lock();
    }
    if (locked)
        reportExit(trace::ProgramEnd::ofSignal(signal));
    else
        runtime.trace().keep(kWritingPatience);
}

}  // namespace lanescope::runtime

LS_API void __ls_host_stop(const char* call, const char* why, int status)
{
    using namespace lanescope;
    {
        runtime::Runtime& runtime = runtime::Runtime::instance();
        const std::scoped_lock lock(runtime.mutex());
        runtime.noteStop(Error{Error::Code::Unsupported, why, call});
    }
    runtime::reportHastyExit(status);
}
