// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/compiler/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

extern char** environ;

namespace lanescope::compiler {

namespace {

/// Our environment with the request's entries in place of the ones of the same name.
std::vector<std::string> childEnvironment(const std::vector<std::string>& extra)
{
    const auto nameOf = [](std::string_view entry) { return entry.substr(0, entry.find('=')); };
    std::vector<std::string> result = extra;
    for (char** entry = environ; *entry; ++entry) {
        bool replaced = false;
        for (const std::string& other : extra)
            replaced = replaced || nameOf(other) == nameOf(*entry);
        if (!replaced)
            result.emplace_back(*entry);
    }
    return result;
}

std::vector<char*> pointers(std::vector<std::string>& strings)
{
    std::vector<char*> result;
    for (std::string& string : strings)
        result.push_back(string.data());
    result.push_back(nullptr);
    return result;
}

}  // namespace

Result<pid_t> startProcess(const ProcessRequest& request)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (!request.directory.empty())
        posix_spawn_file_actions_addchdir_np(&actions, request.directory.c_str());
    if (request.silent) {
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
        posix_spawn_file_actions_adddup2(&actions, 1, 2);
    } else if (!request.outputFile.empty()) {
        posix_spawn_file_actions_addopen(&actions, 1, request.outputFile.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
        posix_spawn_file_actions_adddup2(&actions, 1, 2);
    } else if (request.stdoutToStderr) {
        posix_spawn_file_actions_adddup2(&actions, 2, 1);
    }
    std::vector<std::string> arguments = request.command;
    if (!request.name.empty())
        arguments[0] = request.name;
    std::vector<std::string> environment = childEnvironment(request.environment);
    pid_t process = 0;
    const int error = posix_spawnp(&process, request.command[0].c_str(), &actions, nullptr, pointers(arguments).data(),
                                   pointers(environment).data());
    posix_spawn_file_actions_destroy(&actions);
    if (error)
        return Error{Error::Code::NotFound, fmt::format("cannot be started: {}", std::strerror(error)),
                     request.command[0]};
    return process;
}

ProcessEnd waitForProcess(pid_t process)
{
    int status = 0;
    while (waitpid(process, &status, 0) < 0)
        if (errno != EINTR)
            return {127, 0};
    if (WIFSIGNALED(status))
        return {128 + WTERMSIG(status), WTERMSIG(status)};
    return {WEXITSTATUS(status), 0};
}

std::string findProgram(const std::string& name)
{
    if (name.find('/') != std::string::npos)
        return access(name.c_str(), X_OK) == 0 ? name : std::string();
    const char* path = std::getenv("PATH");
    std::string_view rest = path ? path : "";
    while (!rest.empty()) {
        const size_t colon = rest.find(':');
        const std::string candidate = fmt::format("{}/{}", rest.substr(0, colon), name);
        if (access(candidate.c_str(), X_OK) == 0)
            return candidate;
        rest = colon == std::string_view::npos ? std::string_view() : rest.substr(colon + 1);
    }
    return {};
}

}  // namespace lanescope::compiler
