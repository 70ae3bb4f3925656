// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads and checks the rows of the small tables. The mirror of table_store.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/result.h"
#include "core/trace/database.h"
#include "core/trace/model.h"

namespace lanescope::trace {

/// CUDA's own limits, which also bound what a damaged file can make us allocate.
inline constexpr uint64_t kMaxThreadsPerBlock = 1024;
inline constexpr uint64_t kMaxBufferBytes = uint64_t{1} << 48;

/// Where a chunk is and what it covers.
struct ChunkEntry {
    int64_t id = 0;
    StepIndex firstStep = 0;
    uint32_t events = 0;
    uint32_t writeEvents = 0;
    StepIndex writeFirst = 0;
    StepIndex writeLast = 0;
    uint64_t bytes = 0;
    int64_t checksum = 0;
    int64_t writeChecksum = 0;
};

struct BlockEntry {
    std::vector<ChunkEntry> chunks;
    StepIndex steps = 0;  ///< in the chunks
    bool complete = false;
};

/// The chunks and blocks of one launch.
struct LaunchIndex {
    std::unordered_map<uint64_t, BlockEntry> blocks;  ///< by block index
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
    Result<void> sources(std::vector<Source>& sources);
    Result<void> launches(std::vector<Launch>& launches);
    Result<void> buffers(std::vector<Buffer>& buffers);
    Result<void> sites(std::vector<Site>& sites);
    Result<void> variables(std::vector<Variable>& variables);
    Result<void> findings(std::vector<Finding>& findings);
    Result<void> counts(std::vector<SiteCounts>& counts);
    Result<void> measurements(std::vector<Measurement>& measurements);
    Result<bool> hasTable(const char* name);
    Result<void> checkReferences(const Catalog& catalog);

    Database& m_database;
};

}  // namespace lanescope::trace
