// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/trace/table_store.h"

#include "core/trace/content_hash.h"
#include "core/trace/session_values.h"

namespace lanescope::trace {

Result<Statement*> TableStore::statement(const char* sql)
{
    return statement(sql, [&] { return sql; });
}

Result<void> TableStore::putSessionValue(const std::string& key, const std::string& value)
{
    const Result<Statement*> remove = statement("DELETE FROM session WHERE key = ?");
    if (!remove.ok())
        return remove.error();
    if (Result<void> done = remove.value()->bind(key).run(); !done.ok())
        return done;
    return put(SessionRow{key, value});
}

Result<void> TableStore::putSession(const SessionInfo& session)
{
    for (const SessionValue& value : sessionValues())
        if (const std::optional<std::string> text = value.text(session))
            if (Result<void> done = putSessionValue(value.key, *text); !done.ok())
                return done;
    return {};
}

Result<void> TableStore::putChunk(const PackedChunk& chunk)
{
    ChunkRow row;
    row.id = m_nextChunk++;
    row.launch = chunk.launch;
    row.block = chunk.parts.front().block;
    row.number = chunk.parts.front().number;
    row.firstStep = chunk.parts.front().firstStep;
    for (const ChunkPart& part : chunk.parts) {
        row.events += part.events;
        row.writeEvents += part.writeEvents;
    }
    row.bytes = chunk.data.size();
    row.checksum = checksum(chunk.data);
    row.writeBytes = chunk.writes.size();
    row.writeChecksum = checksum(chunk.writes);
    row.parts = packParts(chunk.parts);
    if (Result<void> done = put(row); !done.ok())
        return done;
    return put(ChunkDataRow{row.id, chunk.data, chunk.writes});
}

Result<void> TableStore::putContents(const ContentsRow& contents, const std::vector<ContentPiece>& pieces)
{
    Result<void> done = put(contents);
    for (size_t i = 0; i < pieces.size() && done.ok(); ++i)
        done = put(pieces[i]);
    return done;
}

Result<void> TableStore::removeBlocks(LaunchId launch)
{
    for (const char* sql : {"DELETE FROM chunk_data WHERE id IN (SELECT id FROM chunks WHERE launch = ?)",
                            "DELETE FROM chunks WHERE launch = ?", "DELETE FROM tallies WHERE launch = ?"}) {
        const Result<Statement*> rows = statement(sql);
        if (!rows.ok())
            return rows.error();
        if (Result<void> removed = rows.value()->bind(launch.value).run(); !removed.ok())
            return removed;
    }
    return {};
}

Result<void> TableStore::removeFindings(uint64_t first)
{
    const Result<Statement*> rows = statement("DELETE FROM findings WHERE id >= ?");
    return rows.ok() ? rows.value()->bind(first).run() : rows.error();
}

Result<void> TableStore::putDropped(LaunchId launch, uint64_t blocksDropped)
{
    const Result<Statement*> row = statement("UPDATE launches SET blocks_dropped = ? WHERE id = ?");
    if (!row.ok())
        return row.error();
    return row.value()->bind(blocksDropped).bind(launch.value).run();
}

}  // namespace lanescope::trace
