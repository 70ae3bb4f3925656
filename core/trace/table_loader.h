// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads the rows of the tables and checks what one row says of others.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/result.h"
#include "core/trace/database.h"
#include "core/trace/model.h"
#include "core/trace/tables.h"

namespace lanescope::trace {

/// A chunk without what it is of.
struct StoredChunk {
    int64_t id = 0;
    uint32_t parts = 1;
    uint32_t events = 0;
    uint32_t writeEvents = 0;
    uint64_t checksum = 0;
    uint64_t writeChecksum = 0;
};

/// Some of a block's events.
struct BlockPart {
    uint32_t chunk = 0;  ///< of the launch's
    uint32_t place = 0;  ///< in the chunk
    StepIndex firstStep = 0;
    uint32_t events = 0;
    uint32_t writeEvents = 0;
};

struct BlockEntry {
    std::vector<BlockPart> parts;
    StepIndex steps = 0;  ///< in the parts
    bool complete = false;
    uint32_t flops = 0;  ///< index in LaunchIndex::flops
};

/// The chunks and blocks of one launch.
struct LaunchIndex {
    std::vector<StoredChunk> chunks;
    std::unordered_map<uint64_t, BlockEntry> blocks;  ///< by block index
    /// As ChunkPart has them; blocks mostly have the same. The first is of those of which nothing is known.
    std::vector<std::vector<uint64_t>> flops{{}};
    uint64_t bytes = 0;
    uint64_t writeEvents = 0;
};

/// Loads into the given structures; on an Error they may be half filled.
class TableLoader {
public:
    explicit TableLoader(Database& database) : m_database(database) {}

    Result<Catalog> catalog();
    /// Adds chunks with ids above \p lastId, and raises it. \p launches must have one entry per catalog launch.
    Result<void> chunks(const Catalog& catalog, std::vector<LaunchIndex>& launches, int64_t& lastId);
    Result<void> blocks(const Catalog& catalog, std::vector<LaunchIndex>& launches, int64_t& lastId);
    /// Printed text of rows above \p lastId is appended.
    Result<void> output(std::string& text, int64_t& lastId);

private:
    Result<void> session(SessionInfo& session);
    Result<void> launches(std::vector<Launch>& launches);
    /// All rows of a table.
    template <typename Row, typename Element>
    Result<void> rows(std::vector<Element>& elements, const char* order);
    Result<void> checkReferences(const Catalog& catalog);

    Database& m_database;
};

}  // namespace lanescope::trace
