// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/trace/table_loader.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/trace/session_values.h"

namespace lanescope::trace {

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

/// Of what the table's other rows do not matter to.
void checkChunk(const ChunkRow& chunk, const Catalog& catalog, RowReader& reader)
{
    const size_t launches = catalog.launches.size();
    if (chunk.launch.value >= launches)
        return reader.fail("launch", std::to_string(chunk.launch.value),
                           launches == 0 ? "one that exists" : fmt::format("0 to {}", launches - 1));
    const uint64_t blocks = catalog.launches[chunk.launch.value].grid.count();
    if (chunk.block.value >= blocks)
        return reader.fail("block", std::to_string(chunk.block.value), fmt::format("one of {}", blocks));
    if (chunk.events == 0)
        return reader.fail("events", "0", "at least 1");
    if (chunk.writeEvents > chunk.events)
        return reader.fail("write_events", std::to_string(chunk.writeEvents), fmt::format("0 to {}", chunk.events));
    const StepIndex end = chunk.firstStep + chunk.events;
    if (chunk.writeEvents != 0 &&
        (chunk.writeFirst < chunk.firstStep || chunk.writeLast < chunk.writeFirst || chunk.writeLast >= end))
        reader.fail("write_first", fmt::format("{} to {}", chunk.writeFirst, chunk.writeLast),
                    fmt::format("steps of {} to {}", chunk.firstStep, end - 1));
}

/// A block's chunks must follow on each other.
void addChunk(const ChunkRow& chunk, LaunchIndex& launch, RowReader& reader)
{
    BlockEntry& entry = launch.blocks[chunk.block.value];
    if (chunk.number != entry.chunks.size())
        reader.fail("number", std::to_string(chunk.number), std::to_string(entry.chunks.size()));
    if (chunk.firstStep != entry.steps)
        reader.fail("first_step", std::to_string(chunk.firstStep), std::to_string(entry.steps));
    entry.chunks.push_back(chunk);
    entry.steps += chunk.events;
    launch.bytes += chunk.bytes + chunk.writeBytes;
    launch.writeEvents += chunk.writeEvents;
}

}  // namespace

Result<void> TableLoader::chunks(const Catalog& catalog, std::vector<LaunchIndex>& launches, int64_t& lastId)
{
    return readRows(m_database, tableOf<ChunkRow>(), "WHERE id > ? ORDER BY id", {lastId},
                    [&](const ChunkRow& chunk, RowReader& reader) {
                        checkChunk(chunk, catalog, reader);
                        if (!reader.ok())
                            return;
                        addChunk(chunk, launches[chunk.launch.value], reader);
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
                        if (block.chunks != entry.chunks.size() || block.events != entry.steps)
                            reader.fail("events", fmt::format("{} in {} chunks", block.events, block.chunks),
                                        fmt::format("{} in {}", entry.steps, entry.chunks.size()));
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
