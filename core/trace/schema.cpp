// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/trace/schema.h"

#include <fmt/format.h>

#include "core/trace/model.h"
#include "core/trace/tables.h"

namespace lanescope::trace {

namespace {

Result<void> checkTable(Database& database, const TableShape& table)
{
    Result<Statement> statement = database.prepare("SELECT type, sql FROM sqlite_schema WHERE name = ?");
    if (!statement.ok())
        return statement.error();
    Statement& row = statement.value();
    const Result<bool> found = row.bind(table.name).step();
    if (!found.ok())
        return found.error();
    if (!found.value() && table.mayBeMissing)
        return {};
    if (!found.value())
        return Error{Error::Code::BadInput, fmt::format("table {} is missing", table.name), database.path()};
    // Columns may be added at the end without a new schema version.
    const std::string expected = fmt::format("CREATE TABLE {}({}", table.name, table.columns);
    if (row.text(0) != "table" || !row.text(1).starts_with(expected))
        return Error{Error::Code::BadInput,
                     fmt::format("table {}: \"{}\", expected \"{}\"", table.name, row.text(1), expected),
                     database.path()};
    return {};
}

}  // namespace

Result<void> createSchema(Database& database)
{
    // One transaction: a reader sees an empty file or all of it.
    std::string sql =
        fmt::format("BEGIN; PRAGMA application_id = {}; PRAGMA user_version = {};", kApplicationId, kSchemaVersion);
    for (const TableShape& table : tableShapes())
        sql += fmt::format("CREATE TABLE {}({}{});", table.name, table.columns, table.addedColumns);
    sql += "COMMIT;";
    return database.run(sql.c_str());
}

Result<int> checkSchema(Database& database)
{
    const Result<int64_t> application = database.integer("PRAGMA application_id");
    if (!application.ok())
        return application.error();
    if (application.value() != kApplicationId)
        return Error{Error::Code::BadInput, "not a lanescope trace", database.path()};
    const Result<int64_t> version = database.integer("PRAGMA user_version");
    if (!version.ok())
        return version.error();
    if (version.value() > kSchemaVersion)
        return Error{Error::Code::Unsupported,
                     fmt::format("schema {}, expected at most {}: written by a newer lanescope", version.value(),
                                 kSchemaVersion),
                     database.path()};
    if (version.value() < 1)
        return Error{Error::Code::BadInput, fmt::format("schema {}, expected 1 to {}", version.value(), kSchemaVersion),
                     database.path()};
    for (const TableShape& table : tableShapes())
        if (const Result<void> ok = checkTable(database, table); !ok.ok())
            return ok.error();
    return static_cast<int>(version.value());
}

}  // namespace lanescope::trace
