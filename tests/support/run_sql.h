// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Changes a trace as nobody should, for tests of what readers make of it.
#pragma once

#include <string>

#include <sqlite3.h>

#include <QtGlobal>

namespace lanescope::test {

/// Runs \p sql on the database at \p path; what is wrong with it ends the test.
inline void runSql(const std::string& path, const char* sql)
{
    sqlite3* database = nullptr;
    char* message = nullptr;
    if (sqlite3_open(path.c_str(), &database) != SQLITE_OK ||
        sqlite3_exec(database, sql, nullptr, nullptr, &message) != SQLITE_OK)
        qFatal("%s: %s", sql, message ? message : "no database");
    sqlite3_close(database);
}

}  // namespace lanescope::test
