// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/attach/patches.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <iterator>
#include <system_error>

#include "core/base/temporary_folder.h"

extern char** environ;

namespace lanescope::attach {

namespace {

std::string contentsOf(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

Result<std::vector<char>> assemblePatches(const std::string& toolkit, const std::string& ptx, int capability)
{
    const TemporaryFolder folder("patches");
    const std::string source = folder.file("patches.ptx"), object = folder.file("patches.cubin"),
                      messages = folder.file("messages");
    std::ofstream(source) << ptx;
    std::string program = toolkit + "/bin/ptxas", architecture = fmt::format("-arch=sm_{}", capability);
    std::array<const char*, 7> command{program.c_str(), "-astoolspatch", architecture.c_str(), source.c_str(), "-o",
                                       object.c_str(),  nullptr};
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    pid_t child = 0;
    const int failed =
        posix_spawn(&child, program.c_str(), &files, nullptr, const_cast<char**>(command.data()), environ);
    posix_spawn_file_actions_destroy(&files);
    if (failed)
        return Error{Error::Code::NotFound, "cannot be started: " + std::system_category().message(failed), program};
    int status = 0;
    waitpid(child, &status, 0);
    const std::string code = contentsOf(object);
    if (status != 0 || code.empty())
        return Error{Error::Code::Unsupported, "the patches cannot be assembled: " + contentsOf(messages), program};
    return std::vector<char>(code.begin(), code.end());
}

}  // namespace lanescope::attach
