// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/trace/path_prefix.h"

#include "core/trace/database.h"

namespace lanescope::trace {

Result<void> removePathPrefix(const std::string& path, const std::string& prefix)
{
    Result<Database> opened = Database::open(path, Database::Mode::Change);
    if (!opened)
        return opened.error();
    for (const char* sql :
         {"UPDATE sources SET path = replace(path, ?, '')", "UPDATE session SET value = replace(value, ?, '')",
          "UPDATE buffers SET allocated_at = replace(allocated_at, ?, '')"}) {
        Result<Statement> update = opened.value().prepare(sql);
        if (!update)
            return update.error();
        if (Result<void> done = update.value().bind(std::string_view(prefix)).run(); !done)
            return done;
    }
    return {};
}

}  // namespace lanescope::trace
