// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CUDA driver loads this library (CUDA_INJECTION64_PATH) into the program when it begins to use CUDA.
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/attach/session.h"
#include "instrumented/attach/patches_text.h"
#include "instrumented/runtime/options.h"

namespace {

using namespace lanescope;

attach::Session* g_session = nullptr;
pid_t g_process = 0;
std::string g_statusPath;

attach::AttachOptions readAttachOptions(const runtime::Options& options)
{
    attach::AttachOptions result;
    result.trace = options.tracePath;
    result.program = options.program;
    result.commandLine = options.commandLine;
    result.launch = options.launch;
    if (options.blocks) {
        result.firstBlock = options.blocks->first;
        result.lastBlock = options.blocks->last;
    }
    result.maxBytes = options.maxBytes;
    result.patches = lanescope_patches;
    return result;
}

void writeStatus(const attach::AttachOutcome& outcome, std::optional<int> programExit)
{
    if (g_statusPath.empty())
        return;
    nlohmann::json status = {{"launches", outcome.launches}, {"findings", 0}};
    if (programExit)
        status["exit"] = *programExit;
    if (outcome.traceError)
        status["traceError"] = outcome.traceError->text();
    std::ofstream(g_statusPath) << status.dump();
}

void atExit(int code, void* /*unused*/)
{
    // A child of the program has its memory, but not its GPU.
    if (getpid() == g_process && g_session)
        writeStatus(g_session->finish(code & 0xff), code & 0xff);
}

std::string ownProgram()
{
    char path[4096];
    const ssize_t bytes = readlink("/proc/self/exe", path, sizeof path);
    return bytes > 0 ? std::string(path, static_cast<size_t>(bytes)) : "";
}

}  // namespace

/// The driver's own name for what it calls. 1: it may go on.
extern "C" __attribute__((visibility("default"))) int InitializeInjection()
{
    if (g_process != 0)
        return 1;
    g_process = getpid();
    runtime::Options options = runtime::readOptions("");
    if (options.tracePath.empty())
        return 1;
    if (options.program.empty())
        options.program = ownProgram();
    g_statusPath = options.statusPath;
    Result<std::unique_ptr<attach::Session>> session = attach::Session::start(readAttachOptions(options));
    if (!session) {
        fmt::print(stderr, "lanescope: error: {}\n", session.error().text());
        writeStatus({0, session.error(), {}}, std::nullopt);
        return 1;
    }
    g_session = session.value().release();  // as long as the process: callbacks may come until its end
    on_exit(atExit, nullptr);
    if (!g_statusPath.empty())
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    return 1;
}
