// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/trace/schema.h"

#include <array>

#include <fmt/format.h>

#include "core/trace/model.h"

namespace lanescope::trace {

namespace {

struct Table {
    const char* name;
    const char* columns;
    const char* addedColumns = "";  ///< since schema 1
    bool mayBeMissing = false;      ///< added without a new schema: a reader that does not know it misreads nothing
};

#define LS_TYPE_COLUMNS "type_kind TEXT, type_bytes INTEGER, type_components INTEGER, type_name TEXT"
#define LS_WHERE_COLUMNS "source INTEGER, line INTEGER, column INTEGER"

// clang-format off
constexpr std::array<Table, 17> kTables{{
    {"session", "key TEXT, value TEXT"},
    {"sources", "id INTEGER PRIMARY KEY, path TEXT, text TEXT"},
    {"launches", "id INTEGER PRIMARY KEY, kernel TEXT, " LS_WHERE_COLUMNS ", grid_x INTEGER, grid_y INTEGER, "
                 "grid_z INTEGER, block_x INTEGER, block_y INTEGER, block_z INTEGER, dynamic_shared_bytes INTEGER, "
                 "arguments TEXT, blocks_recorded INTEGER, blocks_dropped INTEGER, events_dropped INTEGER, "
                 "warp_instructions INTEGER, complete INTEGER, flops INTEGER"},
    {"buffers", "id INTEGER PRIMARY KEY, name TEXT, space TEXT, " LS_TYPE_COLUMNS ", dims TEXT, bytes INTEGER, "
                "launch INTEGER, shared_offset INTEGER, device_address INTEGER, allocated_at TEXT"},
    {"sites", "id INTEGER PRIMARY KEY, kind TEXT, " LS_WHERE_COLUMNS ", expression TEXT, function TEXT, space TEXT, "
              LS_TYPE_COLUMNS ", variable INTEGER", ", derivation TEXT"},
    {"variables", "id INTEGER PRIMARY KEY, name TEXT, function TEXT, " LS_TYPE_COLUMNS ", " LS_WHERE_COLUMNS ", "
                  "scope_first_line INTEGER, scope_last_line INTEGER, is_parameter INTEGER"},
    {"findings", "id INTEGER PRIMARY KEY, kind TEXT, severity TEXT, message TEXT, count INTEGER, kernel TEXT, "
                 "launch INTEGER, buffer TEXT, cell TEXT, accesses TEXT"},
    {"output", "id INTEGER PRIMARY KEY, is_stderr INTEGER, text TEXT"},
    // Buffer contents at launch starts, each distinct one once, cut into pieces.
    {"contents", "id INTEGER PRIMARY KEY, bytes INTEGER, initialised_bytes INTEGER"},
    {"content_pieces", "id INTEGER PRIMARY KEY, content INTEGER, part TEXT, raw_bytes INTEGER, data BLOB"},
    {"launch_contents", "id INTEGER PRIMARY KEY, launch INTEGER, buffer INTEGER, content INTEGER"},
    {"touched", "id INTEGER PRIMARY KEY, launch INTEGER, buffer INTEGER"},
    // Blocks that were recorded to their end.
    {"blocks", "id INTEGER PRIMARY KEY, launch INTEGER, block INTEGER, chunks INTEGER, events INTEGER"},
    // Small rows apart from the blobs, so that listing them is quick. write_*: the chunk's global writes.
    {"chunks", "id INTEGER PRIMARY KEY, launch INTEGER, block INTEGER, number INTEGER, first_step INTEGER, "
               "events INTEGER, bytes INTEGER, checksum INTEGER, write_events INTEGER, write_first INTEGER, "
               "write_last INTEGER, write_bytes INTEGER, write_checksum INTEGER"},
    {"chunk_data", "id INTEGER PRIMARY KEY, events BLOB, writes BLOB"},
    // What devices counted and hardware measured.
    {"site_counts", "id INTEGER PRIMARY KEY, launch INTEGER, site INTEGER, space TEXT, bytes INTEGER, "
                    "requests INTEGER, lane_accesses INTEGER, sectors INTEGER, ideal_sectors INTEGER, "
                    "wavefronts INTEGER, ideal_wavefronts INTEGER, divergent INTEGER, degrees TEXT, buffer INTEGER, "
                    "first_byte INTEGER, end_byte INTEGER", "", true},
    {"measurements", "id INTEGER PRIMARY KEY, launch INTEGER, name TEXT, value INTEGER", "", true},
}};
// clang-format on

Result<void> checkTable(Database& database, const Table& table)
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
    for (const Table& table : kTables)
        sql += fmt::format("CREATE TABLE {}({}{});", table.name, table.columns, table.addedColumns);
    sql += "COMMIT;";
    return database.run(sql.c_str());
}

Result<void> checkSchema(Database& database)
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
    for (const Table& table : kTables)
        if (const Result<void> ok = checkTable(database, table); !ok.ok())
            return ok;
    return {};
}

}  // namespace lanescope::trace
