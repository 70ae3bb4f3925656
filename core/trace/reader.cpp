// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/trace/reader.h"

#include <algorithm>
#include <bit>
#include <filesystem>

#include <fmt/format.h>

#include "core/trace/chunk_decoder.h"
#include "core/trace/content_hash.h"
#include "core/trace/kept_contents.h"
#include "core/trace/schema.h"
#include "core/trace/table_loader.h"
#include "core/trace/unpacked_chunks.h"

namespace lanescope::trace {

namespace {

/// Contents of one buffer, so that a damaged size cannot ask for more than a GPU has.
constexpr uint64_t kMaxContentBytes = uint64_t{64} << 30;
/// Largest piece a writer cuts contents into, with room to grow.
constexpr uint64_t kMaxPieceBytes = 64 << 20;
constexpr int kFirstSchemaWithXxhash = 4;
/// Of chunks. Tallies of blocks may be told by others' since then, too.
constexpr int kFirstSchemaWithParts = 5;
constexpr int kFirstSchemaWithAdvances = 6;

class SqliteTraceReader final : public TraceReader {
public:
    explicit SqliteTraceReader(Database database) : m_database(std::move(database)) {}

    Result<void> load();

    [[nodiscard]] const Catalog& catalog() const override { return m_catalog; }
    Result<bool> refresh() override;
    Result<std::vector<BlockIndex>> blocks(LaunchId launch) override;
    Result<StepIndex> stepCount(LaunchId launch, BlockIndex block) override;
    Result<Chunk> chunkAt(LaunchId launch, BlockIndex block, StepIndex step) override;
    Result<uint64_t> headersHash(LaunchId launch, BlockIndex block, StepIndex steps) override;
    Result<bool> blockComplete(LaunchId launch, BlockIndex block) override;
    Result<std::vector<uint64_t>> flopsOfWarps(LaunchId launch, BlockIndex block) override;
    Result<void> visit(LaunchId launch, BlockIndex block, StepIndex first, StepIndex last, Detail detail,
                       const Visitor& visit) override;
    Result<void> visitTallies(LaunchId launch, const std::function<void(const BlockTally&)>& visit) override;
    bool hasTallies(LaunchId launch) override;
    Result<std::vector<StepIndex>> chunkStarts(LaunchId launch, BlockIndex block) override;
    Result<std::vector<BufferId>> touchedBuffers(LaunchId launch) override;
    Result<void> visitGlobalWrites(LaunchId launch, const WriteVisitor& visit) override;
    Result<uint64_t> globalWriteEvents(LaunchId launch) override;
    Result<InitialContents> initialContents(LaunchId launch, BufferId buffer) override;
    [[nodiscard]] std::string output() override { return m_output; }
    [[nodiscard]] uint64_t fileBytes() const override;
    [[nodiscard]] uint64_t chunkBytes(LaunchId launch) override;

private:
    enum class Kind { Events, Writes };

    Result<void> loadTables();
    Result<const LaunchIndex*> launchIndex(LaunchId launch) const;
    Result<const BlockEntry*> blockEntry(LaunchId launch, BlockIndex block) const;
    /// Index of the part that holds \p step < entry.steps.
    static size_t partOf(const BlockEntry& entry, StepIndex step);
    /// Starts the decoder on the block's part \p number.
    Result<void> beginPart(LaunchId launch, BlockIndex block, const BlockEntry& entry, size_t number, Kind kind,
                           Detail detail);
    Result<const UnpackedChunk*> unpacked(const StoredChunk& chunk, Kind kind, Detail detail);
    Result<void> visitWritesOf(LaunchId launch, const std::vector<BlockIndex>& blocks, const WriteVisitor& visit);
    Result<void> visitWrites(LaunchId launch, BlockIndex block, const BlockEntry& entry, size_t number,
                             const WriteVisitor& visit);
    Result<InitialContents> unpackContents(const ContentsRow& row);
    Result<void> unpackTallies(const TallyRow& row, const std::function<void(const BlockTally&)>& visit);
    Result<void> unpackPiece(const ContentPiece& piece, uint64_t bytes, std::vector<uint8_t>& to);
    [[nodiscard]] std::string chunkName(LaunchId launch, BlockIndex block, size_t chunk) const;
    [[nodiscard]] Error damaged(const std::string& what, const std::string& message) const;

    Database m_database;
    int m_schema = kSchemaVersion;
    bool m_hasTallies = false;
    Catalog m_catalog;
    std::vector<LaunchIndex> m_launches;
    std::vector<std::vector<BlockIndex>> m_blocksInOrder;  ///< by launch; who looks at a trace asks at every move
    std::string m_output;
    int64_t m_lastChunk = 0;
    int64_t m_lastBlock = 0;
    int64_t m_lastOutput = 0;
    int64_t m_dataVersion = 0;
    UnpackedChunks m_unpacked;
    ChunkDecoder m_decoder;
    Decompressor m_decompressor;
    Event m_scratch;
    Statement m_chunkData;
    Statement m_chunkWrites;
};

Error SqliteTraceReader::damaged(const std::string& what, const std::string& message) const
{
    return {Error::Code::BadInput, fmt::format("{}: {}", what, message), m_database.path()};
}

std::string SqliteTraceReader::chunkName(LaunchId launch, BlockIndex block, size_t chunk) const
{
    return fmt::format("launch {}: block {}: chunk {}", launch.value, block.value, chunk);
}

Result<void> SqliteTraceReader::load()
{
    const Result<int> schema = checkSchema(m_database);
    if (!schema.ok())
        return schema.error();
    m_schema = schema.value();
    Result<Statement> data = m_database.prepare("SELECT events FROM chunk_data WHERE id = ?");
    Result<Statement> writes = m_database.prepare("SELECT writes FROM chunk_data WHERE id = ?");
    if (!data.ok() || !writes.ok())
        return data.ok() ? writes.error() : data.error();
    m_chunkData = std::move(data).value();
    m_chunkWrites = std::move(writes).value();
    const Result<bool> tallies = m_database.hasTable(tableOf<TallyRow>().name());
    if (!tallies.ok())
        return tallies.error();
    m_hasTallies = tallies.value();
    return loadTables();
}

/// All tables as of one moment: a writer may commit between two statements.
Result<void> SqliteTraceReader::loadTables()
{
    const Result<int64_t> version = m_database.integer("PRAGMA data_version");
    if (!version.ok())
        return version.error();
    if (Result<void> begun = m_database.run("BEGIN"); !begun.ok())
        return begun;
    TableLoader loader(m_database);
    Result<void> done;
    Result<Catalog> catalog = loader.catalog();
    if (catalog.ok()) {
        if (catalog.value().launches.size() > m_launches.size())
            m_launches.resize(catalog.value().launches.size());
        done = loader.chunks(catalog.value(), m_launches, m_lastChunk);
        if (done.ok())
            done = loader.blocks(catalog.value(), m_launches, m_lastBlock);
        if (done.ok())
            done = loader.output(m_output, m_lastOutput);
    } else {
        done = catalog.error();
    }
    static_cast<void>(m_database.run("COMMIT"));
    if (!done.ok())
        return done;
    m_catalog = std::move(catalog).value();
    m_launches.resize(m_catalog.launches.size());
    for (size_t i = 0; i < m_launches.size(); ++i)
        m_catalog.launches[i].blocksRecorded =
            std::max<uint64_t>(m_catalog.launches[i].blocksRecorded, m_launches[i].blocks.size());
    m_dataVersion = version.value();
    return {};
}

Result<bool> SqliteTraceReader::refresh()
{
    const Result<int64_t> version = m_database.integer("PRAGMA data_version");
    if (!version.ok())
        return version.error();
    if (version.value() == m_dataVersion)
        return false;
    if (Result<void> done = loadTables(); !done.ok())
        return done.error();
    return true;
}

Result<const LaunchIndex*> SqliteTraceReader::launchIndex(LaunchId launch) const
{
    if (launch.value >= m_launches.size())
        return Error{Error::Code::NotFound,
                     fmt::format("launch {}, expected one of {}", launch.value, m_launches.size()), m_database.path()};
    return &m_launches[launch.value];
}

Result<const BlockEntry*> SqliteTraceReader::blockEntry(LaunchId launch, BlockIndex block) const
{
    const Result<const LaunchIndex*> index = launchIndex(launch);
    if (!index.ok())
        return index.error();
    const auto at = index.value()->blocks.find(block.value);
    if (at == index.value()->blocks.end()) {
        const Dim3 p = positionOf(block.value, m_catalog.launches[launch.value].grid);
        return Error{Error::Code::NotFound,
                     fmt::format("launch {}: block ({},{},{}) was not recorded", launch.value, p.x, p.y, p.z),
                     m_database.path()};
    }
    return &at->second;
}

size_t SqliteTraceReader::partOf(const BlockEntry& entry, StepIndex step)
{
    const auto after = std::upper_bound(entry.parts.begin(), entry.parts.end(), step,
                                        [](StepIndex s, const BlockPart& part) { return s < part.firstStep; });
    return static_cast<size_t>(after - entry.parts.begin()) - 1;
}

Result<std::vector<BlockIndex>> SqliteTraceReader::blocks(LaunchId launch)
{
    const Result<const LaunchIndex*> index = launchIndex(launch);
    if (!index.ok())
        return index.error();
    if (launch.value >= m_blocksInOrder.size())
        m_blocksInOrder.resize(launch.value + size_t{1});
    std::vector<BlockIndex>& blocks = m_blocksInOrder[launch.value];
    const auto& known = index.value()->blocks;
    // They only become more.
    if (blocks.size() != known.size()) {
        blocks.clear();
        blocks.reserve(known.size());
        for (const auto& [block, entry] : known)
            blocks.emplace_back(block);
        std::sort(blocks.begin(), blocks.end());
    }
    return blocks;
}

Result<StepIndex> SqliteTraceReader::stepCount(LaunchId launch, BlockIndex block)
{
    const Result<const BlockEntry*> entry = blockEntry(launch, block);
    if (!entry.ok())
        return entry.error();
    return entry.value()->steps;
}

Result<std::vector<uint64_t>> SqliteTraceReader::flopsOfWarps(LaunchId launch, BlockIndex block)
{
    const Result<const BlockEntry*> entry = blockEntry(launch, block);
    if (!entry.ok())
        return entry.error();
    const std::vector<uint64_t>& flops = m_launches[launch.value].flops[entry.value()->flops];
    const uint32_t warps = m_catalog.launches[launch.value].warpsPerBlock();
    return flops.size() == 1 ? std::vector<uint64_t>(warps, flops.front()) : flops;
}

Result<bool> SqliteTraceReader::blockComplete(LaunchId launch, BlockIndex block)
{
    const Result<const BlockEntry*> entry = blockEntry(launch, block);
    if (!entry.ok())
        return entry.error();
    return entry.value()->complete;
}

Result<std::vector<StepIndex>> SqliteTraceReader::chunkStarts(LaunchId launch, BlockIndex block)
{
    const Result<const BlockEntry*> entry = blockEntry(launch, block);
    if (!entry.ok())
        return entry.error();
    std::vector<StepIndex> starts;
    for (const BlockPart& part : entry.value()->parts)
        starts.push_back(part.firstStep);
    return starts;
}

Result<void> SqliteTraceReader::beginPart(LaunchId launch, BlockIndex block, const BlockEntry& entry, size_t number,
                                          Kind kind, Detail detail)
{
    const BlockPart& part = entry.parts[number];
    const StoredChunk& stored = m_launches[launch.value].chunks[part.chunk];
    const Result<const UnpackedChunk*> chunk = unpacked(stored, kind, detail);
    if (!chunk.ok())
        return damaged(chunkName(launch, block, number), chunk.error().message);
    const UnpackedChunk* writes = nullptr;
    if (kind == Kind::Events && detail == Detail::Everything && part.writeEvents != 0 &&
        chunk.value()->part(part.place).movedFrom) {
        const Result<const UnpackedChunk*> apart = unpacked(stored, Kind::Writes, detail);
        if (!apart.ok())
            return damaged(chunkName(launch, block, number), apart.error().message);
        writes = apart.value();
        // Both together may be more than there is room for.
        if (const Result<const UnpackedChunk*> again = unpacked(stored, kind, detail);
            !again.ok() || again.value() != chunk.value())
            return damaged(chunkName(launch, block, number), "it is too large");
    }
    m_decoder.begin(*chunk.value(), part.place,
                    {m_catalog.sites, m_catalog.buffers.size(), m_catalog.launches[launch.value].warpsPerBlock()},
                    detail, writes);
    if (const uint32_t expected = kind == Kind::Events ? part.events : part.writeEvents; m_decoder.events() != expected)
        return damaged(chunkName(launch, block, number),
                       fmt::format("{} events, expected {}", m_decoder.events(), expected));
    return {};
}

/// Errors have no place: that is the block's.
Result<const UnpackedChunk*> SqliteTraceReader::unpacked(const StoredChunk& chunk, Kind kind, Detail detail)
{
    const int64_t key = 2 * chunk.id + (kind == Kind::Events ? 0 : 1);
    if (const UnpackedChunk* known = m_unpacked.find(key, detail))
        return known;
    Statement& statement = kind == Kind::Events ? m_chunkData : m_chunkWrites;
    statement.reset();
    const Result<bool> row = statement.bind(chunk.id).step();
    if (!row.ok())
        return row.error();
    if (!row.value())
        return Error{Error::Code::BadInput, "its data is missing", {}};
    const std::span<const uint8_t> blob = statement.blob(0);
    const uint64_t found = m_schema < kFirstSchemaWithXxhash ? oldChecksum(blob) : checksum(blob);
    const uint64_t expected = kind == Kind::Events ? chunk.checksum : chunk.writeChecksum;
    UnpackedChunk& to = m_unpacked.add(key);
    Result<void> done;
    if (found == expected)
        done = to.unpack(m_decompressor, blob, chunk.parts, kind == Kind::Events ? chunk.events : chunk.writeEvents,
                         detail);
    else
        done = Error{Error::Code::BadInput,
                     fmt::format("checksum {:x} of {} bytes, expected {:x}", found, blob.size(), expected),
                     {}};
    statement.reset();
    if (done.ok())
        return &to;
    m_unpacked.drop();
    return done.error();
}

Result<Chunk> SqliteTraceReader::chunkAt(LaunchId launch, BlockIndex block, StepIndex step)
{
    const Result<const BlockEntry*> found = blockEntry(launch, block);
    if (!found.ok())
        return found.error();
    const BlockEntry& entry = *found.value();
    if (step >= entry.steps)
        return Error{Error::Code::NotFound, fmt::format("step {}, expected less than {}", step, entry.steps),
                     m_database.path()};
    const size_t number = partOf(entry, step);
    if (Result<void> begun = beginPart(launch, block, entry, number, Kind::Events, Detail::Everything); !begun.ok())
        return begun.error();
    Chunk chunk{entry.parts[number].firstStep, {}};
    chunk.events.resize(entry.parts[number].events);
    for (Event& event : chunk.events)
        if (!m_decoder.next(event))
            return damaged(chunkName(launch, block, number), m_decoder.failure());
    return chunk;
}

/// Those of \p control that say where headers are read from, of a part with so many \p masks.
void headerBits(std::span<const uint8_t> control, size_t masks, std::vector<uint8_t>& bits)
{
    const auto asksMask = [](uint8_t all) { return (all & control::kMaskMissed) != 0; };
    // Else branches ask for masks too, by a bit that accesses have for their places.
    const bool isOfHeaders = static_cast<size_t>(std::ranges::count_if(control, asksMask)) == masks;
    const uint8_t kept = control::kNextMissed | control::kMaskMissed | (isOfHeaders ? 0 : control::kPlaceMissed);
    bits.resize(control.size());
    std::ranges::transform(control, bits.begin(), [kept](uint8_t all) { return static_cast<uint8_t>(all & kept); });
}

Result<uint64_t> SqliteTraceReader::headersHash(LaunchId launch, BlockIndex block, StepIndex steps)
{
    const Result<const BlockEntry*> found = blockEntry(launch, block);
    if (!found.ok())
        return found.error();
    std::vector<std::array<uint64_t, 5>> hashes;
    std::vector<uint8_t> control;
    const std::vector<BlockPart>& parts = found.value()->parts;
    for (size_t number = 0; number < parts.size() && parts[number].firstStep < steps; ++number) {
        const Result<const UnpackedChunk*> chunk =
            unpacked(m_launches[launch.value].chunks[parts[number].chunk], Kind::Events, Detail::Headers);
        if (!chunk.ok())
            return damaged(chunkName(launch, block, number), chunk.error().message);
        UnpackedChunk::Part part = chunk.value()->part(parts[number].place);
        if (part.movedFrom)
            part = chunk.value()->part(*part.movedFrom);
        // What ChunkDecoder reads sites, warps and masks from.
        const auto column = [&](SmallColumn of) { return part.small[static_cast<size_t>(of)]; };
        headerBits(column(SmallColumn::Control), column(SmallColumn::Mask).size() / sizeof(LaneMask), control);
        hashes.push_back({chunk.value()->format(), part.events, checksum(control), checksum(column(SmallColumn::Next)),
                          checksum(column(SmallColumn::Mask))});
    }
    return contentHash(std::as_bytes(std::span(hashes)))[0];
}

Result<void> SqliteTraceReader::visit(LaunchId launch, BlockIndex block, StepIndex first, StepIndex last, Detail detail,
                                      const Visitor& visit)
{
    const Result<const BlockEntry*> found = blockEntry(launch, block);
    if (!found.ok())
        return found.error();
    const BlockEntry& entry = *found.value();
    last = std::min(last, entry.steps);
    for (StepIndex step = first; step < last;) {
        const size_t number = partOf(entry, step);
        const BlockPart& part = entry.parts[number];
        if (Result<void> begun = beginPart(launch, block, entry, number, Kind::Events, detail); !begun.ok())
            return begun;
        const StepIndex end = std::min(last, part.firstStep + part.events);
        for (StepIndex at = part.firstStep; at < end; ++at) {
            if (!m_decoder.next(m_scratch))
                return damaged(chunkName(launch, block, number), m_decoder.failure());
            if (at >= step && !visit(at, m_scratch))
                return {};
        }
        step = end;
    }
    return {};
}

Result<std::vector<BufferId>> SqliteTraceReader::touchedBuffers(LaunchId launch)
{
    if (const Result<const LaunchIndex*> index = launchIndex(launch); !index.ok())
        return index.error();
    std::vector<BufferId> touched;
    const Result<void> done = readRows(m_database, tableOf<TouchedRow>(), "WHERE launch = ?", {launch.value},
                                       [&](const TouchedRow& row, RowReader& reader) {
                                           if (row.buffer.value >= m_catalog.buffers.size())
                                               reader.fail("buffer", std::to_string(row.buffer.value),
                                                           fmt::format("one of {}", m_catalog.buffers.size()));
                                           touched.push_back(row.buffer);
                                       });
    if (!done.ok())
        return done.error();
    std::sort(touched.begin(), touched.end());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    return touched;
}

Result<void> SqliteTraceReader::visitTallies(LaunchId launch, const std::function<void(const BlockTally&)>& visit)
{
    if (const Result<const LaunchIndex*> index = launchIndex(launch); !index.ok())
        return index.error();
    if (!m_hasTallies)
        return {};
    Result<void> unpacked;
    const Result<void> read = readRows(m_database, tableOf<TallyRow>(), "WHERE launch = ?", {launch.value},
                                       [&](const TallyRow& row, RowReader&) {
                                           if (unpacked.ok())
                                               unpacked = unpackTallies(row, visit);
                                       });
    return read.ok() ? unpacked : read;
}

bool SqliteTraceReader::hasTallies(LaunchId launch)
{
    if (!m_hasTallies)
        return false;
    const Result<int64_t> found = m_database.integer(
        fmt::format("SELECT EXISTS (SELECT 1 FROM {} WHERE launch = {})", tableOf<TallyRow>().name(), launch.value)
            .c_str());
    return found.ok() && found.value() != 0;
}

Result<void> SqliteTraceReader::unpackTallies(const TallyRow& row, const std::function<void(const BlockTally&)>& visit)
{
    const std::string name = fmt::format("launch {}: tallies", row.launch.value);
    if (const uint64_t found = checksum(row.data); found != row.checksum)
        return damaged(name,
                       fmt::format("checksum {:x} of {} bytes, expected {:x}", found, row.data.size(), row.checksum));
    std::vector<uint8_t> raw;
    ByteReader from(row.data);
    if (row.rawBytes > kMaxPieceBytes || !m_decompressor.getSection(from, raw, row.rawBytes) ||
        raw.size() != row.rawBytes)
        return damaged(name, fmt::format("a piece of {} bytes cannot be unpacked", row.rawBytes));
    const Launch& launch = m_catalog.launches[row.launch.value];
    const auto form = m_schema < kFirstSchemaWithParts      ? TallyDecoder::Form::Alone
                      : m_schema < kFirstSchemaWithAdvances ? TallyDecoder::Form::Moved
                                                            : TallyDecoder::Form::Advancing;
    TallyDecoder decoder(raw, form, m_catalog.sites.size(), m_catalog.buffers.size(), launch.warpsPerBlock());
    const auto& blocks = m_launches[row.launch.value].blocks;
    BlockTally tally;
    while (decoder.next(tally)) {
        const auto block = blocks.find(tally.block.value);
        if (block == blocks.end() || !block->second.complete)
            continue;  // ended since the tables were read
        if (!tally.isOf(block->second.steps))
            return damaged(
                name, fmt::format("block {}: more accesses than its {} steps", tally.block.value, block->second.steps));
        visit(tally);
    }
    return decoder.failure().empty() ? Result<void>() : damaged(name, decoder.failure());
}

Result<uint64_t> SqliteTraceReader::globalWriteEvents(LaunchId launch)
{
    const Result<const LaunchIndex*> index = launchIndex(launch);
    if (!index.ok())
        return index.error();
    return index.value()->writeEvents;
}

Result<void> SqliteTraceReader::visitGlobalWrites(LaunchId launch, const WriteVisitor& visit)
{
    const Result<std::vector<BlockIndex>> all = blocks(launch);
    if (!all.ok())
        return all.error();
    // As one transaction: each statement of its own would lock the file.
    if (Result<void> begun = m_database.run("BEGIN"); !begun.ok())
        return begun;
    Result<void> done = visitWritesOf(launch, all.value(), visit);
    static_cast<void>(m_database.run("COMMIT"));
    // Who wants them keeps them: they are gone through once.
    m_unpacked.clear();
    return done;
}

Result<void> SqliteTraceReader::visitWritesOf(LaunchId launch, const std::vector<BlockIndex>& blocks,
                                              const WriteVisitor& visit)
{
    for (const BlockIndex block : blocks) {
        const BlockEntry& entry = m_launches[launch.value].blocks.at(block.value);
        for (size_t number = 0; number < entry.parts.size(); ++number) {
            if (entry.parts[number].writeEvents == 0)
                continue;
            Result<void> done = beginPart(launch, block, entry, number, Kind::Writes, Detail::Everything);
            if (done.ok())
                done = visitWrites(launch, block, entry, number, visit);
            if (!done.ok())
                return done;
        }
    }
    return {};
}

Result<void> SqliteTraceReader::visitWrites(LaunchId launch, BlockIndex block, const BlockEntry& entry, size_t number,
                                            const WriteVisitor& visit)
{
    while (m_decoder.next(m_scratch)) {
        const StepIndex step = entry.parts[number].firstStep + m_decoder.nextStep();
        if (m_scratch.valuesKnown)
            visit(block, step, m_scratch);
    }
    if (!m_decoder.failure().empty())
        return damaged(chunkName(launch, block, number), "writes: " + m_decoder.failure());
    return {};
}

Result<InitialContents> SqliteTraceReader::initialContents(LaunchId launch, BufferId buffer)
{
    std::optional<ContentsRow> row;
    const Result<void> found = readRows(
        m_database, tableOf<ContentsRow>(),
        "WHERE id = (SELECT content FROM launch_contents WHERE launch = ? AND buffer = ? ORDER BY id DESC LIMIT 1)",
        {launch.value, buffer.value}, [&](const ContentsRow& contents, RowReader&) { row = contents; });
    if (!found.ok())
        return found.error();
    if (!row)
        return Error{Error::Code::NotFound,
                     fmt::format("launch {}: no contents of buffer {}", launch.value, buffer.value), m_database.path()};
    const std::string name = fmt::format("contents {}", row->id);
    const uint64_t bits = row->initialisedBytes;
    if (buffer.value >= m_catalog.buffers.size() || row->bytes != m_catalog.buffers[buffer.value].bytes ||
        row->bytes > kMaxContentBytes)
        return damaged(name, fmt::format("{} bytes, expected those of buffer {}", row->bytes, buffer.value));
    if (bits != 0 && bits != (row->bytes + 7) / 8)
        return damaged(name, fmt::format("{} bytes of initialised bits, expected {}", bits, (row->bytes + 7) / 8));
    return unpackContents(*row);
}

Result<InitialContents> SqliteTraceReader::unpackContents(const ContentsRow& row)
{
    // From what it is patched on to itself.
    std::vector<uint64_t> ids{row.id};
    for (uint64_t base = row.base; base != 0;) {
        std::optional<ContentsRow> found;
        const Result<void> read =
            readRows(m_database, tableOf<ContentsRow>(), "WHERE id = ?", {static_cast<int64_t>(base)},
                     [&](const ContentsRow& contents, RowReader&) { found = contents; });
        if (!read.ok())
            return read.error();
        // Each refers to an earlier one.
        if (!found || base >= ids.back() || ids.size() > KeptContents::kMostBases || found->bytes != row.bytes ||
            found->initialisedBytes != row.initialisedBytes)
            return damaged(fmt::format("contents {}", ids.back()),
                           fmt::format("its base is {}, expected earlier contents as large", base));
        ids.push_back(base);
        base = found->base;
    }
    std::vector<uint8_t> bytes;
    InitialContents contents;
    for (; !ids.empty(); ids.pop_back()) {
        Result<void> unpacked;
        const auto unpack = [&](const ContentPiece& piece, RowReader&) {
            if (unpacked.ok())
                unpacked = piece.part == ContentPart::Bytes
                               ? unpackPiece(piece, row.bytes, bytes)
                               : unpackPiece(piece, row.initialisedBytes, contents.initialised);
        };
        const Result<void> read = readRows(m_database, tableOf<ContentPiece>(), "WHERE content = ? ORDER BY id",
                                           {static_cast<int64_t>(ids.back())}, unpack);
        if (!read.ok() || !unpacked.ok())
            return read.ok() ? unpacked.error() : read.error();
        if (bytes.size() != row.bytes || contents.initialised.size() != row.initialisedBytes)
            return damaged(fmt::format("contents {}", ids.back()),
                           fmt::format("{} bytes and {} of initialised bits, expected {} and {}", bytes.size(),
                                       contents.initialised.size(), row.bytes, row.initialisedBytes));
    }
    contents.bytes.resize(bytes.size());
    std::copy(bytes.begin(), bytes.end(), reinterpret_cast<uint8_t*>(contents.bytes.data()));
    return contents;
}

/// Puts it into \p to, which has \p bytes in the end.
Result<void> SqliteTraceReader::unpackPiece(const ContentPiece& piece, uint64_t bytes, std::vector<uint8_t>& to)
{
    const std::string name = fmt::format("contents {}: {}", piece.content, nameOf(piece.part));
    const uint64_t at = piece.at == ContentPiece::kBehind ? to.size() : piece.at;
    if (at > to.size() || piece.rawBytes > std::min(kMaxPieceBytes, bytes - at))
        return damaged(name,
                       fmt::format("a piece of {} bytes from {} on, expected it within {} and behind what is there",
                                   piece.rawBytes, at, bytes));
    ByteReader from(piece.data);
    std::vector<uint8_t> raw;
    if (!m_decompressor.getSection(from, raw, piece.rawBytes) || raw.size() != piece.rawBytes)
        return damaged(name, fmt::format("a piece of {} bytes cannot be unpacked", piece.rawBytes));
    to.resize(std::max<size_t>(to.size(), at + raw.size()));
    std::copy(raw.begin(), raw.end(), to.begin() + static_cast<std::ptrdiff_t>(at));
    return {};
}

uint64_t SqliteTraceReader::fileBytes() const
{
    std::error_code error;
    const auto size = std::filesystem::file_size(m_database.path(), error);
    return error ? 0 : size;
}

uint64_t SqliteTraceReader::chunkBytes(LaunchId launch)
{
    return launch.value < m_launches.size() ? m_launches[launch.value].bytes : 0;
}

}  // namespace

Result<std::unique_ptr<TraceReader>> TraceReader::open(const std::string& path)
{
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(path, error);
    if (!std::filesystem::exists(status))
        return Error{Error::Code::NotFound, "no such file", path};
    if (std::filesystem::is_directory(status))
        return Error{Error::Code::BadInput, "a folder, expected a lanescope trace", path};
    Result<Database> database = Database::open(path, Database::Mode::Read);
    if (!database.ok())
        return database.error();
    auto reader = std::make_unique<SqliteTraceReader>(std::move(database).value());
    if (Result<void> loaded = reader->load(); !loaded.ok())
        return loaded.error();
    return std::unique_ptr<TraceReader>(std::move(reader));
}

}  // namespace lanescope::trace
