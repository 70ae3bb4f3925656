// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/runtime/exit_report.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "instrumented/runtime/api_findings.h"
#include "instrumented/runtime/fault_handler.h"
#include "instrumented/runtime/runtime.h"

namespace lanescope::runtime {

namespace {

/// More than these are counted, not listed.
constexpr size_t kMaxFindingsShown = 20;

pid_t g_process = 0;
bool g_reported = false;

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

void printFindings(const Runtime& runtime, const std::vector<trace::Finding>& findings)
{
    if (!runtime.options().reportFindings || findings.empty())
        return;
    size_t shown = 0;
    for (const trace::Finding& finding : findings) {
        // What kernels did. Calls of the host have error codes, and are there for those who ask `check`.
        if (finding.kernel.empty())
            continue;
        if (++shown <= kMaxFindingsShown)
            std::fprintf(stderr, "%s\n", findingText(finding, runtime.options().program).c_str());
    }
    if (shown > kMaxFindingsShown)
        std::fprintf(stderr, "lanescope: %zu more findings\n", shown - kMaxFindingsShown);
}

void writeStatus(Runtime& runtime, std::optional<int> programExit)
{
    if (runtime.options().statusPath.empty())
        return;
    nlohmann::json status = {{"launches", runtime.launches()}, {"findings", runtime.trace().findings().size()}};
    if (programExit)
        status["exit"] = *programExit;
    if (const std::optional<Error>& stopped = runtime.stopped())
        status["stopped"] = {{"code", codeName(stopped->code)}, {"message", stopped->text()}};
    if (runtime.launchError() != cudaSuccess)
        status["launchError"] = cudaGetErrorName(runtime.launchError());
    if (const std::optional<Error>& failure = runtime.trace().failure())
        status["traceError"] = failure->text();
    std::ofstream(runtime.options().statusPath) << status.dump();
}

void atExit(int status, void* /*unused*/)
{
    if (getpid() == g_process)
        reportExit(status & 0xff);
}

}  // namespace

void installExitReport()
{
    g_process = getpid();
    on_exit(atExit, nullptr);
    // Started by the command (which asks for a status): closing the window must not leave an endless kernel behind.
    if (!Runtime::instance().options().statusPath.empty())
        prctl(PR_SET_PDEATHSIG, SIGKILL);
}

void reportExit(std::optional<int> programExit)
{
    if (g_reported)
        return;
    g_reported = true;
    Runtime& runtime = Runtime::instance();
    const RuntimeAccess access;
    std::fflush(stdout);
    addApiFindings(runtime, programExit);
    runtime.trace().finish(programExit, runtime.stopped() ? stopReason(*runtime.stopped()) : StopReason{});
    if (const std::optional<Error>& failure = runtime.trace().failure())
        std::fprintf(stderr, "lanescope: error: %s\n", failure->text().c_str());
    printFindings(runtime, runtime.trace().findings());
    writeStatus(runtime, programExit);
}

}  // namespace lanescope::runtime
