// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/trace/tables.h"

#include "core/trace/byte_stream.h"
#include "core/trace/derivation.h"
#include "core/trace/json_columns.h"
#include "core/trace/predictor.h"
#include "core/trace/register_places.h"

namespace lanescope::trace {

namespace {

/// More dimensions than an array's index in a message has.
constexpr size_t kMaxDimensions = 16;
/// Of a process.
constexpr uint64_t kMaxDevices = 1024;
/// Of one lane's access.
constexpr uint64_t kMaxAccessBytes = 16;

const char* kindName(FindingKind kind)
{
    return nameOf(kind);
}
/// A newer Lanescope may know more.
std::optional<FindingKind> kindOf(const std::string& name)
{
    return kindNamed(name).value_or(FindingKind::Unknown);
}

}  // namespace

template <>
const Table<SessionRow>& tableOf()
{
    static const auto& table =
        Table<SessionRow>::make("session").text("key", &SessionRow::key).text("value", &SessionRow::value);
    return table;
}

template <>
const Table<Source>& tableOf()
{
    static const auto& table =
        Table<Source>::make("sources").denseId(&Source::id).text("path", &Source::path).text("text", &Source::text);
    return table;
}

template <>
const Table<Launch>& tableOf()
{
    static const auto& table = Table<Launch>::make("launches", OnSameId::Replace)
                                   .denseId(&Launch::id)
                                   .text("kernel", &Launch::kernel)
                                   .where(&Launch::where)
                                   .extent("grid", &Launch::grid)
                                   .extent("block", &Launch::block)
                                   .number("dynamic_shared_bytes", &Launch::dynamicSharedBytes, UINT32_MAX)
                                   .json("arguments", &Launch::arguments, argumentsJson, readArguments)
                                   .number("blocks_recorded", &Launch::blocksRecorded)
                                   .number("blocks_dropped", &Launch::blocksDropped)
                                   .number("events_dropped", &Launch::eventsDropped)
                                   .number("warp_instructions", &Launch::warpInstructions)
                                   .number("complete", &Launch::complete)
                                   .number("flops", &Launch::flops)
                                   .addedLater()
                                   .extent("cluster", &Launch::cluster)
                                   .text("block_word", &Launch::blockWord)
                                   .number("device", &Launch::device, kMaxDevices);
    return table;
}

template <>
const Table<Buffer>& tableOf()
{
    static const auto& table = Table<Buffer>::make("buffers", OnSameId::Replace)
                                   .denseId(&Buffer::id)
                                   .text("name", &Buffer::name)
                                   .enumerator("space", &Buffer::space, spaceOf)
                                   .type(&Buffer::element)
                                   .numbers("dims", &Buffer::dims, kMaxDimensions)
                                   .number("bytes", &Buffer::bytes, kMaxBufferBytes)
                                   .optionalId("launch", &Buffer::launch)
                                   .number("shared_offset", &Buffer::sharedOffset, UINT32_MAX)
                                   .bits("device_address", &Buffer::deviceAddress)
                                   .text("allocated_at", &Buffer::allocatedAt)
                                   .addedLater()
                                   .number("device", &Buffer::device, kMaxDevices);
    return table;
}

template <>
const Table<Site>& tableOf()
{
    static const auto& table =
        Table<Site>::make("sites")
            .denseId(&Site::id)
            .enumerator("kind", &Site::kind, siteKindOf)
            .where(&Site::where)
            .text("expression", &Site::expression)
            .text("function", &Site::function)
            .enumerator("space", &Site::space, spaceOf)
            .type(&Site::type)
            .optionalId("variable", &Site::variable)
            .addedLater()
            .spelled("derivation", &Site::derivation, textOf, derivationOf, "a postfix expression")
            .text("instruction", &Site::instruction)
            .spelled("registers", &Site::registers, registersText, registerPlacesOf, "places of registers");
    return table;
}

template <>
const Table<Variable>& tableOf()
{
    static const auto& table = Table<Variable>::make("variables")
                                   .denseId(&Variable::id)
                                   .text("name", &Variable::name)
                                   .text("function", &Variable::function)
                                   .type(&Variable::type)
                                   .where(&Variable::declared)
                                   .number("scope_first_line", &Variable::scopeFirstLine)
                                   .number("scope_last_line", &Variable::scopeLastLine)
                                   .number("is_parameter", &Variable::isParameter);
    return table;
}

template <>
const Table<FindingRow>& tableOf()
{
    static const auto& table = Table<FindingRow>::make("findings", OnSameId::Replace)
                                   .id(&FindingRow::id)
                                   .spelled("kind", &FindingRow::kind, kindName, kindOf, "a kind")
                                   .enumerator("severity", &FindingRow::severity, severityNamed)
                                   .text("message", &FindingRow::message)
                                   .number("count", &FindingRow::count)
                                   .text("kernel", &FindingRow::kernel)
                                   .number("launch", &FindingRow::launch)
                                   .text("buffer", &FindingRow::buffer)
                                   .numbers("cell", &FindingRow::cell, kMaxDimensions)
                                   .json("accesses", std::identity(), accessesJson, readAccesses);
    return table;
}

template <>
const Table<OutputRow>& tableOf()
{
    static const auto& table = Table<OutputRow>::make("output")
                                   .newId(&OutputRow::id)
                                   .number("is_stderr", &OutputRow::isStderr)
                                   .text("text", &OutputRow::text);
    return table;
}

template <>
const Table<ContentsRow>& tableOf()
{
    static const auto& table = Table<ContentsRow>::make("contents")
                                   .id(&ContentsRow::id)
                                   .number("bytes", &ContentsRow::bytes)
                                   .number("initialised_bytes", &ContentsRow::initialisedBytes)
                                   .addedLater()
                                   .number("base", &ContentsRow::base);
    return table;
}

template <>
const Table<ContentPiece>& tableOf()
{
    static const auto& table = Table<ContentPiece>::make("content_pieces")
                                   .newId()
                                   .number("content", &ContentPiece::content)
                                   .enumerator("part", &ContentPiece::part, contentPartOf)
                                   .number("raw_bytes", &ContentPiece::rawBytes)
                                   .blob("data", &ContentPiece::data)
                                   .addedLater()
                                   .number("at", &ContentPiece::at);
    return table;
}

template <>
const Table<LaunchContentsRow>& tableOf()
{
    static const auto& table = Table<LaunchContentsRow>::make("launch_contents")
                                   .newId()
                                   .number("launch", &LaunchContentsRow::launch)
                                   .number("buffer", &LaunchContentsRow::buffer)
                                   .number("content", &LaunchContentsRow::content);
    return table;
}

template <>
const Table<TouchedRow>& tableOf()
{
    static const auto& table = Table<TouchedRow>::make("touched")
                                   .newId()
                                   .number("launch", &TouchedRow::launch)
                                   .number("buffer", &TouchedRow::buffer);
    return table;
}

template <>
const Table<BlockRow>& tableOf()
{
    static const auto& table = Table<BlockRow>::make("blocks")
                                   .newId(&BlockRow::id)
                                   .number("launch", &BlockRow::launch)
                                   .number("block", &BlockRow::block)
                                   .number("chunks", &BlockRow::chunks)
                                   .number("events", &BlockRow::events);
    return table;
}

template <>
const Table<TallyRow>& tableOf()
{
    static const auto& table = Table<TallyRow>::make("tallies", OnSameId::Fail, Since::Later)
                                   .newId()
                                   .number("launch", &TallyRow::launch)
                                   .number("raw_bytes", &TallyRow::rawBytes)
                                   .bits("checksum", &TallyRow::checksum)
                                   .blob("data", &TallyRow::data);
    return table;
}

template <>
const Table<ChunkRow>& tableOf()
{
    static const auto& table = Table<ChunkRow>::make("chunks")
                                   .id(&ChunkRow::id)
                                   .number("launch", &ChunkRow::launch)
                                   .number("block", &ChunkRow::block)
                                   .number("number", &ChunkRow::number)
                                   .number("first_step", &ChunkRow::firstStep)
                                   .number("events", &ChunkRow::events, kMaxChunkEvents)
                                   .number("bytes", &ChunkRow::bytes)
                                   .bits("checksum", &ChunkRow::checksum)
                                   .number("write_events", &ChunkRow::writeEvents)
                                   .number("write_first", &ChunkRow::writeFirst)
                                   .number("write_last", &ChunkRow::writeLast)
                                   .number("write_bytes", &ChunkRow::writeBytes)
                                   .bits("write_checksum", &ChunkRow::writeChecksum)
                                   .addedLater()
                                   .blob("parts", &ChunkRow::parts);
    return table;
}

namespace {

constexpr size_t kMaxWarpsOfBlock = 32;
/// Behind the number of global writes, times four.
constexpr uint64_t kIsBlocksLast = 1;
constexpr uint64_t kHasFlops = 2;  ///< others than the block before

}  // namespace

// Each part: block, as how far on from the one before; number; first step; events; of them global writes, and flags;
// where a flag says so, how many numbers of flops, and these.
std::vector<uint8_t> packParts(std::span<const ChunkPart> parts)
{
    ByteColumn packed;
    uint64_t before = 0;
    std::vector<uint64_t> flops;
    for (const ChunkPart& part : parts) {
        const bool hasFlops = part.isBlocksLast && part.flops != flops;
        packed.reserve((6 + part.flops.size()) * ByteColumn::kMaxVarint);
        packed.putVarint(zigzag(part.block.value - before));
        packed.putVarint(part.number);
        packed.putVarint(part.firstStep);
        packed.putVarint(part.events);
        packed.putVarint(uint64_t{part.writeEvents} * 4 + (part.isBlocksLast ? kIsBlocksLast : 0) +
                         (hasFlops ? kHasFlops : 0));
        before = part.block.value;
        if (!hasFlops)
            continue;
        flops = part.flops;
        packed.putVarint(flops.size());
        for (const uint64_t number : flops)
            packed.putVarint(number);
    }
    return {packed.data(), packed.data() + packed.size()};
}

std::optional<std::vector<ChunkPart>> partsOf(const ChunkRow& chunk)
{
    if (chunk.parts.empty())
        return std::vector{
            ChunkPart{chunk.block, chunk.number, chunk.firstStep, chunk.events, chunk.writeEvents, false, {}}};
    std::vector<ChunkPart> parts;
    ByteReader from(chunk.parts);
    uint64_t before = 0;
    uint64_t events = 0;
    uint64_t writeEvents = 0;
    std::vector<uint64_t> flops;
    while (from.left() != 0) {
        before += unzigzag(from.varint());
        const uint64_t number = from.varint();
        const uint64_t firstStep = from.varint();
        const uint64_t count = from.varint();
        const uint64_t writes = from.varint();
        if ((writes & kHasFlops) != 0) {
            const uint64_t numbers = from.varint();
            if (numbers > kMaxWarpsOfBlock)
                return {};
            flops.resize(numbers);
            for (uint64_t& each : flops)
                each = from.varint();
        }
        if (from.failed() || number > UINT32_MAX || firstStep > INT64_MAX || count > chunk.events || writes / 4 > count)
            return {};
        events += count;
        writeEvents += writes / 4;
        parts.push_back({BlockIndex{before},
                         static_cast<uint32_t>(number),
                         firstStep,
                         static_cast<uint32_t>(count),
                         static_cast<uint32_t>(writes / 4),
                         (writes & kIsBlocksLast) != 0,
                         {}});
        if (parts.back().isBlocksLast)
            parts.back().flops = flops;
    }
    if (events != chunk.events || writeEvents != chunk.writeEvents)
        return {};
    return parts;
}

template <>
const Table<ChunkDataRow>& tableOf()
{
    static const auto& table = Table<ChunkDataRow>::make("chunk_data")
                                   .id(&ChunkDataRow::id)
                                   .blob("events", &ChunkDataRow::events)
                                   .blob("writes", &ChunkDataRow::writes);
    return table;
}

template <>
const Table<SiteCounts>& tableOf()
{
    static const auto& table = Table<SiteCounts>::make("site_counts", OnSameId::Fail, Since::Later)
                                   .newId()
                                   .number("launch", &SiteCounts::launch)
                                   .number("site", &SiteCounts::site)
                                   .enumerator("space", &SiteCounts::space, spaceOf)
                                   .number("bytes", &SiteCounts::bytes, kMaxAccessBytes)
                                   .number("requests", &SiteCounts::requests)
                                   .number("lane_accesses", &SiteCounts::laneAccesses)
                                   .number("sectors", &SiteCounts::sectors)
                                   .number("ideal_sectors", &SiteCounts::idealSectors)
                                   .number("wavefronts", &SiteCounts::wavefronts)
                                   .number("ideal_wavefronts", &SiteCounts::idealWavefronts)
                                   .number("divergent", &SiteCounts::divergent)
                                   .numbers("degrees", &SiteCounts::degrees, kWarpSize)
                                   .idOrNone("buffer", &SiteCounts::buffer, kNoBuffer)
                                   .number("first_byte", &SiteCounts::firstByte)
                                   .number("end_byte", &SiteCounts::endByte);
    return table;
}

template <>
const Table<Measurement>& tableOf()
{
    static const auto& table = Table<Measurement>::make("measurements", OnSameId::Fail, Since::Later)
                                   .newId()
                                   .number("launch", &Measurement::launch)
                                   .text("name", &Measurement::name)
                                   .number("value", &Measurement::value);
    return table;
}

template <>
const Table<LineOperations>& tableOf()
{
    static const auto& table = Table<LineOperations>::make("line_operations", OnSameId::Fail, Since::Later)
                                   .newId()
                                   .number("launch", &LineOperations::launch)
                                   .where(&LineOperations::where)
                                   .text("function", &LineOperations::function)
                                   .enumerator("kind", &LineOperations::kind, operationKindOf)
                                   .number("executions", &LineOperations::executions)
                                   .number("lanes", &LineOperations::lanes);
    return table;
}

std::vector<TableShape> tableShapes()
{
    return {tableOf<SessionRow>().shape(),
            tableOf<Source>().shape(),
            tableOf<Launch>().shape(),
            tableOf<Buffer>().shape(),
            tableOf<Site>().shape(),
            tableOf<Variable>().shape(),
            tableOf<FindingRow>().shape(),
            tableOf<OutputRow>().shape(),
            tableOf<ContentsRow>().shape(),
            tableOf<ContentPiece>().shape(),
            tableOf<LaunchContentsRow>().shape(),
            tableOf<TouchedRow>().shape(),
            tableOf<BlockRow>().shape(),
            tableOf<ChunkRow>().shape(),
            tableOf<ChunkDataRow>().shape(),
            tableOf<SiteCounts>().shape(),
            tableOf<Measurement>().shape(),
            tableOf<LineOperations>().shape(),
            tableOf<TallyRow>().shape()};
}

}  // namespace lanescope::trace
