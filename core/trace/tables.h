// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tables of a trace file: rows that are not in model.h, and the columns of each table (tables.cpp).
// A column more is one line at the end of a list. What an older reader would misread needs a new kSchemaVersion
// (model.h) and a fixture of it in tests/corpus/trace.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/trace/model.h"
#include "core/trace/table.h"

namespace lanescope::trace {

/// CUDA's own limits, which also bound what a damaged file can make us allocate.
inline constexpr uint64_t kMaxThreadsPerBlock = 1024;
inline constexpr uint64_t kMaxBufferBytes = uint64_t{1} << 48;

/// One value of SessionInfo (session_values.h).
struct SessionRow {
    std::string key;
    std::string value;
};

struct FindingRow : Finding {
    uint64_t id = 0;
};

struct OutputRow {
    int64_t id = 0;
    bool isStderr = false;
    std::string text;
};

/// Buffer contents at launch starts, each distinct one once, cut into pieces (kept_contents.h).
struct ContentsRow {
    uint64_t id = 0;
    uint64_t bytes = 0;
    uint64_t initialisedBytes = 0;  ///< of the bits that say which bytes are initialised; 0: all are
    uint64_t base = 0;              ///< an earlier content that it is but for its pieces; 0: they are all of it
};

/// One piece of a buffer's contents, packed as a section.
struct ContentPiece {
    uint64_t content = 0;
    ContentPart part = ContentPart::Bytes;
    uint64_t rawBytes = 0;
    std::vector<uint8_t> data;
    uint64_t at = kBehind;                           ///< bytes before it in its part, and
    static constexpr uint64_t kBehind = UINT64_MAX;  ///< those of the pieces before, in traces before schema 9
};

struct LaunchContentsRow {
    LaunchId launch;
    BufferId buffer;
    uint64_t content = 0;
};

struct TouchedRow {
    LaunchId launch;
    BufferId buffer;
};

/// A block that was recorded to its end. Since chunks have parts, these say so.
struct BlockRow {
    int64_t id = 0;
    LaunchId launch;
    BlockIndex block;
    uint32_t chunks = 0;
    StepIndex events = 0;
};

/// Tallies of some blocks of a launch (block_tally.h), packed as a section.
struct TallyRow {
    LaunchId launch;
    uint64_t rawBytes = 0;
    uint64_t checksum = 0;  ///< content_hash.h
    std::vector<uint8_t> data;
};

/// What a chunk has of one block.
struct ChunkPart {
    BlockIndex block;
    uint32_t number = 0;  ///< 0-based within the block
    StepIndex firstStep = 0;
    uint32_t events = 0;
    uint32_t writeEvents = 0;   ///< global writes, cut out
    bool isBlocksLast = false;  ///< the block was recorded to its end, which is here
    /// Of a block's last part: floating-point operations by warp, one number where all have the same; empty: the
    /// producer did not count them.
    std::vector<uint64_t> flops;
};

/// Where a chunk is and what it covers. Small rows apart from the blobs, so that listing them is quick.
struct ChunkRow {
    int64_t id = 0;
    LaunchId launch;
    BlockIndex block;  ///< of the first part, as the next two
    uint32_t number = 0;
    StepIndex firstStep = 0;
    uint32_t events = 0;
    uint64_t bytes = 0;
    uint64_t checksum = 0;  ///< content_hash.h
    uint32_t writeEvents = 0;
    StepIndex writeFirst = 0;  ///< not used any more
    StepIndex writeLast = 0;   ///< nor this
    uint64_t writeBytes = 0;
    uint64_t writeChecksum = 0;
    std::vector<uint8_t> parts;  ///< partsOf(); empty in traces of before there were parts: one
};

/// As ChunkRow::parts has them.
std::vector<uint8_t> packParts(std::span<const ChunkPart> parts);
/// None: they are damaged.
std::optional<std::vector<ChunkPart>> partsOf(const ChunkRow& chunk);

struct ChunkDataRow {
    int64_t id = 0;
    std::span<const uint8_t> events;
    std::span<const uint8_t> writes;
};

/// The columns of the table that keeps rows of this type.
template <typename Row>
const Table<Row>& tableOf();
// clang-format off
template <> const Table<SessionRow>& tableOf();
template <> const Table<Source>& tableOf();
template <> const Table<Launch>& tableOf();
template <> const Table<Buffer>& tableOf();
template <> const Table<Site>& tableOf();
template <> const Table<Variable>& tableOf();
template <> const Table<FindingRow>& tableOf();
template <> const Table<OutputRow>& tableOf();
template <> const Table<ContentsRow>& tableOf();
template <> const Table<ContentPiece>& tableOf();
template <> const Table<LaunchContentsRow>& tableOf();
template <> const Table<TouchedRow>& tableOf();
template <> const Table<BlockRow>& tableOf();
template <> const Table<TallyRow>& tableOf();
template <> const Table<ChunkRow>& tableOf();
template <> const Table<ChunkDataRow>& tableOf();
template <> const Table<SiteCounts>& tableOf();
template <> const Table<Measurement>& tableOf();
template <> const Table<LineOperations>& tableOf();
// clang-format on

/// All of them, in the order in which a file has them.
std::vector<TableShape> tableShapes();

}  // namespace lanescope::trace
