// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stores the rows of the tables.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/trace/database.h"
#include "core/trace/model.h"
#include "core/trace/tables.h"

namespace lanescope::trace {

/// A packed chunk on its way to the file.
struct PackedChunk {
    LaunchId launch;
    std::vector<ChunkPart> parts;
    std::vector<uint8_t> data;
    std::vector<uint8_t> writes;  ///< global writes, cut out; empty when there are none
};

/// Runs on the writer thread only. Statements are prepared once.
class TableStore {
public:
    explicit TableStore(Database& database) : m_database(database) {}

    /// Stores a row of one of the tables (tables.h).
    template <typename Row>
    Result<void> put(const Row& row);
    Result<void> putSession(const SessionInfo& session);
    Result<void> putSessionValue(const std::string& key, const std::string& value);
    Result<void> putChunk(const PackedChunk& chunk);
    Result<void> putContents(const ContentsRow& contents, const std::vector<ContentPiece>& pieces);
    /// With all their chunks.
    Result<void> removeBlocks(LaunchId launch);
    /// Those whose id is \p first or more.
    Result<void> removeFindings(uint64_t first);
    Result<void> putDropped(LaunchId launch, uint64_t blocksDropped);

private:
    /// The statement kept for \p key, at first prepared from what \p sql returns; its bindings are clear.
    template <typename Sql>
    Result<Statement*> statement(const char* key, Sql sql);
    Result<Statement*> statement(const char* sql);

    Database& m_database;
    std::map<std::string, Statement, std::less<>> m_statements;
    int64_t m_nextChunk = 1;
};

template <typename Sql>
Result<Statement*> TableStore::statement(const char* key, Sql sql)
{
    auto found = m_statements.find(key);
    if (found == m_statements.end()) {
        Result<Statement> prepared = m_database.prepare(sql());
        if (!prepared.ok())
            return prepared.error();
        found = m_statements.emplace(key, std::move(prepared).value()).first;
    }
    return &found->second;
}

template <typename Row>
Result<void> TableStore::put(const Row& row)
{
    const Table<Row>& table = tableOf<Row>();
    const Result<Statement*> insertion = statement(table.name(), [&] { return table.insertion(); });
    if (!insertion.ok())
        return insertion.error();
    table.store(row, *insertion.value());
    return insertion.value()->run();
}

}  // namespace lanescope::trace
