// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the rows of the small tables. The mirror of table_loader.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/trace/database.h"
#include "core/trace/model.h"

namespace lanescope::trace {

/// A packed chunk on its way to the file.
struct PackedChunk {
    LaunchId launch;
    BlockIndex block;
    uint32_t number = 0;  ///< 0-based within the block
    StepIndex firstStep = 0;
    uint32_t events = 0;
    std::vector<uint8_t> data;
    uint32_t writeEvents = 0;  ///< global writes, cut out
    StepIndex writeFirst = 0;  ///< step of the first and the last of them
    StepIndex writeLast = 0;
    std::vector<uint8_t> writes;
};

/// One piece of a buffer's contents, packed as a section.
struct ContentPiece {
    bool isInitialisedBits = false;
    uint64_t rawBytes = 0;
    std::vector<uint8_t> data;
};

/// Runs on the writer thread only. Statements are prepared once.
class TableStore {
public:
    explicit TableStore(Database& database) : m_database(database) {}

    Result<void> putSession(const SessionInfo& session);
    Result<void> putProperties(const DeviceProperties& properties);
    Result<void> putSessionValue(const char* key, const std::string& value);
    Result<void> put(const Source& source);
    Result<void> put(const Site& site);
    Result<void> put(const Variable& variable);
    Result<void> put(const Buffer& buffer);
    Result<void> put(const Launch& launch);
    Result<void> put(size_t index, const Finding& finding);
    Result<void> put(const PackedChunk& chunk);
    Result<void> put(const SiteCounts& counts);
    Result<void> put(const Measurement& measurement);
    Result<void> putOutput(bool isStderr, const std::string& text);
    Result<void> putContents(uint64_t id, uint64_t bytes, uint64_t initialisedBytes,
                             const std::vector<ContentPiece>& pieces);
    Result<void> putLaunchContents(LaunchId launch, BufferId buffer, uint64_t content);
    Result<void> putTouched(LaunchId launch, BufferId buffer);
    Result<void> putBlock(LaunchId launch, BlockIndex block, uint32_t chunks, StepIndex events);
    /// With all their chunks.
    Result<void> removeBlocks(LaunchId launch);
    Result<void> putDropped(LaunchId launch, uint64_t blocksDropped);

private:
    /// The statement for \p sql, kept; its bindings are clear.
    Result<Statement*> statement(const char* sql);

    Database& m_database;
    std::map<const char*, Statement> m_statements;
    int64_t m_nextChunk = 1;
};

}  // namespace lanescope::trace
