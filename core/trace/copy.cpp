// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/trace/copy.h"

#include <sqlite3.h>

#include <memory>

namespace lanescope::trace {

namespace {

constexpr int kPatienceMs = 2000;  ///< with who reads or writes just now

using Handle = std::unique_ptr<sqlite3, decltype(&sqlite3_close)>;

Handle open(const std::string& path, int flags)
{
    sqlite3* database = nullptr;
    const int code = sqlite3_open_v2(path.c_str(), &database, flags, nullptr);
    Handle handle(database, sqlite3_close);
    if (code != SQLITE_OK)
        return {nullptr, sqlite3_close};
    sqlite3_busy_timeout(database, kPatienceMs);
    return handle;
}

}  // namespace

Result<void> copyTrace(const std::string& from, const std::string& to)
{
    const Handle source = open(from, SQLITE_OPEN_READWRITE);  // it may have to undo what a writer that died began
    if (!source)
        return Error{Error::Code::Io, "cannot be opened", from};
    const Handle target = open(to, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    if (!target)
        return Error{Error::Code::Io, "cannot be opened", to};
    sqlite3_exec(target.get(), "PRAGMA synchronous = OFF", nullptr, nullptr, nullptr);
    sqlite3_backup* const copy = sqlite3_backup_init(target.get(), "main", source.get(), "main");
    if (!copy)
        return Error{Error::Code::Io, sqlite3_errmsg(target.get()), to};
    int code = SQLITE_OK;
    for (int waited = 0; waited < kPatienceMs; waited += 10) {
        code = sqlite3_backup_step(copy, -1);
        if (code != SQLITE_BUSY && code != SQLITE_LOCKED)
            break;
        sqlite3_sleep(10);
    }
    (void)sqlite3_backup_finish(copy);
    if (code != SQLITE_DONE)
        return Error{Error::Code::Io, sqlite3_errstr(code), from};
    return {};
}

}  // namespace lanescope::trace
