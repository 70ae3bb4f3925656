// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linux: a network namespace with nothing in it, and Landlock for files.
#include "instrumented/runtime/sandbox.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace lanescope::runtime {

namespace {

constexpr uint64_t kFileWrites = LANDLOCK_ACCESS_FS_WRITE_FILE;
/// The first version of Landlock's rights, without reading and executing.
constexpr uint64_t kWrites = kFileWrites | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
                             LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                             LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                             LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;

Error failed(const char* what)
{
    return {Error::Code::Unsupported, std::string(what) + ": " + std::strerror(errno), "--sandbox"};
}

void allow(int rules, const std::string& path)
{
    const int file = open(path.c_str(), O_PATH | O_CLOEXEC);
    if (file < 0)
        return;
    struct stat status = {};
    const bool isFolder = fstat(file, &status) == 0 && S_ISDIR(status.st_mode);
    landlock_path_beneath_attr rule = {};
    rule.allowed_access = isFolder ? kWrites : kFileWrites;
    rule.parent_fd = file;
    syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    close(file);
}

}  // namespace

Result<void> enterSandbox(const std::vector<std::string>& writable)
{
    if (unshare(CLONE_NEWNET) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0)
        return failed("the network cannot be taken away on this system");
    landlock_ruleset_attr handled = {};
    handled.handled_access_fs = kWrites;
    const long rules = syscall(SYS_landlock_create_ruleset, &handled, sizeof(handled), 0);
    if (rules < 0)
        return failed("writes cannot be restricted on this system");
    for (const std::string& path : writable)
        allow(int(rules), path);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || syscall(SYS_landlock_restrict_self, rules, 0) != 0)
        return failed("writes cannot be restricted on this system");
    close(int(rules));
    return {};
}

}  // namespace lanescope::runtime
