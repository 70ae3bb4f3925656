// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/trace/table_loader.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/trace/session_values.h"

namespace lanescope::trace {

namespace {

/// Before schema 8 each step had the width of what was written.
void giveWidths(std::vector<Site>& sites)
{
    for (Site& site : sites)
        for (DerivationStep& step : site.derivation)
            if (step.bits == 0)
                step.bits = site.type.totalBytes() == 8 ? 64 : 32;
}

}  // namespace

Result<Catalog> TableLoader::catalog()
{
    Catalog catalog;
    Result<void> done = session(catalog.session);
    if (done.ok())
        done = rows<Source>(catalog.sources, "ORDER BY id");
    if (done.ok())
        done = launches(catalog.launches);
    if (done.ok())
        done = rows<Buffer>(catalog.buffers, "ORDER BY id");
    if (done.ok())
        done = rows<Site>(catalog.sites, "ORDER BY id");
    giveWidths(catalog.sites);
    if (done.ok())
        done = rows<Variable>(catalog.variables, "ORDER BY id");
    if (done.ok())
        done = rows<FindingRow>(catalog.findings, "ORDER BY id");
    if (done.ok())
        done = rows<SiteCounts>(catalog.counts, "ORDER BY launch, id");
    if (done.ok())
        done = rows<Measurement>(catalog.measurements, "ORDER BY launch, id");
    if (done.ok())
        done = rows<LineOperations>(catalog.operations, "ORDER BY launch, id");
    if (done.ok())
        done = checkReferences(catalog);
    if (!done.ok())
        return done.error();
    return catalog;
}

template <typename Row, typename Element>
Result<void> TableLoader::rows(std::vector<Element>& elements, const char* order)
{
    const Table<Row>& table = tableOf<Row>();
    if (table.mayBeMissing()) {
        const Result<bool> there = m_database.hasTable(table.name());
        if (!there.ok() || !there.value())
            return there.ok() ? Result<void>() : there.error();
    }
    return readRows(m_database, table, order, {}, [&](Row row, RowReader&) { elements.push_back(std::move(row)); });
}

Result<void> TableLoader::session(SessionInfo& session)
{
    const std::span<const SessionValue> values = sessionValues();
    return readRows(m_database, tableOf<SessionRow>(), "", {}, [&](const SessionRow& row, RowReader& reader) {
        const auto value = std::ranges::find(values, row.key, &SessionValue::key);
        if (value != values.end() && !value->set(row.value, session))
            reader.fail(value->key, fmt::format("\"{}\"", row.value), "a number");
    });
}

Result<void> TableLoader::launches(std::vector<Launch>& launches)
{
    return readRows(m_database, tableOf<Launch>(), "ORDER BY id", {}, [&](Launch launch, RowReader& reader) {
        if (launch.block.count() > kMaxThreadsPerBlock)
            reader.fail("block", fmt::format("{} threads", launch.block.count()), "at most 1024");
        launches.push_back(std::move(launch));
    });
}

/// Ids in one table that point into another must exist: later code indexes with them.
Result<void> TableLoader::checkReferences(const Catalog& catalog)
{
    const auto missing = [&](const char* table, size_t row, const char* what, uint64_t found, size_t count) {
        return Error{Error::Code::BadInput,
                     fmt::format("table {}: row {}: {} {}, expected one of {}", table, row, what, found, count),
                     m_database.path()};
    };
    for (const Site& site : catalog.sites) {
        if (site.variable && site.variable->value >= catalog.variables.size())
            return missing("sites", site.id.value, "variable", site.variable->value, catalog.variables.size());
        for (const DerivationStep& step : site.derivation) {
            if (step.op == DerivationStep::Op::Variable && step.operand >= catalog.variables.size())
                return missing("sites", site.id.value, "variable", step.operand, catalog.variables.size());
            if (step.op == DerivationStep::Op::Load && step.operand >= catalog.sites.size())
                return missing("sites", site.id.value, "site", step.operand, catalog.sites.size());
        }
        for (const RegisterPlace& place : site.registers) {
            if (place.kind == RegisterPlace::Kind::Variable && place.id >= catalog.variables.size())
                return missing("sites", site.id.value, "variable", place.id, catalog.variables.size());
            if (place.kind == RegisterPlace::Kind::Access && place.id >= catalog.sites.size())
                return missing("sites", site.id.value, "site", place.id, catalog.sites.size());
        }
    }
    for (const Buffer& buffer : catalog.buffers)
        if (buffer.launch && buffer.launch->value >= catalog.launches.size())
            return missing("buffers", buffer.id.value, "launch", buffer.launch->value, catalog.launches.size());
    for (const Launch& launch : catalog.launches)
        for (const LaunchArgument& argument : launch.arguments)
            if (argument.buffer && argument.buffer->value >= catalog.buffers.size())
                return missing("launches", launch.id.value, "buffer", argument.buffer->value, catalog.buffers.size());
    for (size_t i = 0; i < catalog.counts.size(); ++i) {
        const SiteCounts& counts = catalog.counts[i];
        if (counts.site.value >= catalog.sites.size())
            return missing("site_counts", i, "site", counts.site.value, catalog.sites.size());
        if (counts.buffer != kNoBuffer && counts.buffer.value >= catalog.buffers.size())
            return missing("site_counts", i, "buffer", counts.buffer.value, catalog.buffers.size());
    }
    return {};
}

namespace {

/// A block's parts must follow on each other.
void addPart(const ChunkPart& part, uint32_t place, const Catalog& catalog, LaunchId launch, LaunchIndex& index,
             RowReader& reader)
{
    const uint64_t blocks = catalog.launches[launch.value].grid.count();
    if (part.block.value >= blocks)
        return reader.fail("block", std::to_string(part.block.value), fmt::format("one of {}", blocks));
    if (part.events == 0 && !part.isBlocksLast)
        return reader.fail("events", "0", "at least 1");
    if (part.writeEvents > part.events)
        return reader.fail("write_events", std::to_string(part.writeEvents), fmt::format("0 to {}", part.events));
    BlockEntry& entry = index.blocks[part.block.value];
    if (entry.complete)
        return reader.fail("parts", fmt::format("more of block {}", part.block.value), "its end before");
    if (part.number != entry.parts.size())
        return reader.fail("number", std::to_string(part.number), std::to_string(entry.parts.size()));
    if (part.firstStep != entry.steps)
        return reader.fail("first_step", std::to_string(part.firstStep), std::to_string(entry.steps));
    if (part.events != 0)
        entry.parts.push_back(
            {static_cast<uint32_t>(index.chunks.size()), place, part.firstStep, part.events, part.writeEvents});
    entry.steps += part.events;
    entry.complete = part.isBlocksLast;
    if (part.flops.empty())
        return;
    if (const uint32_t warps = catalog.launches[launch.value].warpsPerBlock();
        part.flops.size() > 1 && part.flops.size() != warps)
        return reader.fail("parts", fmt::format("{} numbers of flops", part.flops.size()),
                           fmt::format("one for each of {} warps", warps));
    if (index.flops.back() != part.flops)
        index.flops.push_back(part.flops);
    entry.flops = static_cast<uint32_t>(index.flops.size() - 1);
}

void addChunk(const ChunkRow& chunk, const Catalog& catalog, std::vector<LaunchIndex>& launches, RowReader& reader)
{
    const size_t count = catalog.launches.size();
    if (chunk.launch.value >= count)
        return reader.fail("launch", std::to_string(chunk.launch.value),
                           count == 0 ? "one that exists" : fmt::format("0 to {}", count - 1));
    const std::optional<std::vector<ChunkPart>> parts = partsOf(chunk);
    if (!parts)
        return reader.fail("parts", fmt::format("{} damaged bytes", chunk.parts.size()),
                           fmt::format("blocks of {} events", chunk.events));
    LaunchIndex& launch = launches[chunk.launch.value];
    for (size_t i = 0; i < parts->size() && reader.ok(); ++i)
        addPart((*parts)[i], static_cast<uint32_t>(i), catalog, chunk.launch, launch, reader);
    launch.chunks.push_back({chunk.id, static_cast<uint32_t>(parts->size()), chunk.events, chunk.writeEvents,
                             chunk.checksum, chunk.writeChecksum});
    launch.bytes += chunk.bytes + chunk.writeBytes;
    launch.writeEvents += chunk.writeEvents;
}

}  // namespace

Result<void> TableLoader::chunks(const Catalog& catalog, std::vector<LaunchIndex>& launches, int64_t& lastId)
{
    return readRows(m_database, tableOf<ChunkRow>(), "WHERE id > ? ORDER BY id", {lastId},
                    [&](const ChunkRow& chunk, RowReader& reader) {
                        addChunk(chunk, catalog, launches, reader);
                        lastId = chunk.id;
                    });
}

Result<void> TableLoader::blocks(const Catalog& catalog, std::vector<LaunchIndex>& launches, int64_t& lastId)
{
    return readRows(m_database, tableOf<BlockRow>(), "WHERE id > ? ORDER BY id", {lastId},
                    [&](const BlockRow& block, RowReader& reader) {
                        if (block.launch.value >= launches.size() ||
                            block.block.value >= catalog.launches[block.launch.value].grid.count())
                            return reader.fail("block",
                                               fmt::format("{} of launch {}", block.block.value, block.launch.value),
                                               "one that exists");
                        BlockEntry& entry = launches[block.launch.value].blocks[block.block.value];
                        if (block.chunks != entry.parts.size() || block.events != entry.steps)
                            reader.fail("events", fmt::format("{} in {} chunks", block.events, block.chunks),
                                        fmt::format("{} in {}", entry.steps, entry.parts.size()));
                        entry.complete = true;
                        lastId = block.id;
                    });
}

Result<void> TableLoader::output(std::string& text, int64_t& lastId)
{
    return readRows(m_database, tableOf<OutputRow>(), "WHERE id > ? ORDER BY id", {lastId},
                    [&](const OutputRow& row, RowReader&) {
                        lastId = row.id;
                        text += row.text;
                    });
}

}  // namespace lanescope::trace
