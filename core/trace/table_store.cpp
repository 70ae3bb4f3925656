// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/trace/table_store.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/trace/content_hash.h"
#include "core/trace/derivation.h"
#include "core/trace/names.h"

namespace lanescope::trace {

namespace {

using nlohmann::json;

/// Source text need not be UTF-8; what is not becomes U+FFFD.
std::string dump(const json& value)
{
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string argumentsJson(const std::vector<LaunchArgument>& arguments)
{
    json array = json::array();
    for (const LaunchArgument& a : arguments) {
        json object{{"name", a.name}, {"type", a.type}, {"text", a.text}};
        if (a.buffer)
            object["buffer"] = a.buffer->value;
        array.push_back(std::move(object));
    }
    return dump(array);
}

json dimJson(Dim3 d)
{
    return json::array({d.x, d.y, d.z});
}

json accessJson(const FindingAccess& a)
{
    return {{"source", a.where.source.value}, {"line", a.where.line}, {"column", a.where.column},
            {"expression", a.expression},     {"access", a.access},   {"block", dimJson(a.block)},
            {"thread", dimJson(a.thread)},    {"epoch", a.epoch},     {"step", a.step}};
}

/// The numbers travel with the first access, other instances behind the first one: the table's columns are fixed by the
/// schema's version.
std::string accessesJson(const Finding& finding)
{
    json array = json::array();
    for (const FindingAccess& access : finding.accesses)
        array.push_back(accessJson(access));
    for (const FindingInstance& instance : finding.instances)
        for (const FindingAccess& access : instance.accesses) {
            array.push_back(accessJson(access));
            array.back()["instance"] = instance.which;
            array.back()["cell"] = instance.cell;
        }
    if (!array.empty() && !finding.numbers.empty())
        for (const auto& [name, value] : finding.numbers)
            array[0]["numbers"][name] = value;
    return dump(array);
}

Statement& bindType(Statement& row, const ValueType& type)
{
    return row.bind(nameOf(type.kind)).bind(type.bytes).bind(type.components).bind(type.name);
}

Statement& bindWhere(Statement& row, const SourceLocation& where)
{
    return row.bind(where.source.value).bind(where.line).bind(where.column);
}

template <typename Id>
Statement& bindId(Statement& row, const std::optional<Id>& id)
{
    return id ? row.bind(id->value) : row.bindNull();
}

}  // namespace

Result<Statement*> TableStore::statement(const char* sql)
{
    auto found = m_statements.find(sql);
    if (found == m_statements.end()) {
        Result<Statement> prepared = m_database.prepare(sql);
        if (!prepared.ok())
            return prepared.error();
        found = m_statements.emplace(sql, std::move(prepared).value()).first;
    }
    return &found->second;
}

Result<void> TableStore::putSessionValue(const char* key, const std::string& value)
{
    Result<Statement*> remove = statement("DELETE FROM session WHERE key = ?");
    if (!remove.ok())
        return remove.error();
    if (Result<void> done = remove.value()->bind(key).run(); !done.ok())
        return done;
    Result<Statement*> insert = statement("INSERT INTO session VALUES (?, ?)");
    if (!insert.ok())
        return insert.error();
    return insert.value()->bind(key).bind(value).run();
}

Result<void> TableStore::putSession(const SessionInfo& session)
{
    const std::pair<const char*, std::string> rows[] = {
        {"program", session.program},
        {"command_line", session.commandLine},
        {"device", session.device},
        {"mode", session.mode},
        {"schedule", session.schedule},
        {"producer", session.producer},
        {"variables_recorded", session.variablesRecorded ? "1" : "0"},
        {"program_exit", session.programExit ? std::to_string(*session.programExit) : ""},
        {"finished", session.finished ? "1" : "0"},
        {"stop_reason", session.stopReason},
    };
    for (const auto& [key, value] : rows)
        if (Result<void> done = putSessionValue(key, value); !done.ok())
            return done;
    return putProperties(session.properties);
}

/// Only what is known.
Result<void> TableStore::putProperties(const DeviceProperties& properties)
{
    const std::pair<const char*, uint32_t> rows[] = {
        {"device_capability", properties.capability},
        {"device_multiprocessors", properties.multiprocessors},
        {"device_clock_khz", properties.clockKilohertz},
        {"device_memory_clock_khz", properties.memoryClockKilohertz},
        {"device_memory_bus_bits", properties.memoryBusBits},
    };
    for (const auto& [key, value] : rows)
        if (value != 0)
            if (Result<void> done = putSessionValue(key, std::to_string(value)); !done.ok())
                return done;
    return {};
}

Result<void> TableStore::put(const Source& source)
{
    Result<Statement*> row = statement("INSERT INTO sources VALUES (?, ?, ?)");
    if (!row.ok())
        return row.error();
    return row.value()->bind(source.id.value).bind(source.path).bind(source.text).run();
}

Result<void> TableStore::put(const Site& site)
{
    Result<Statement*> prepared = statement("INSERT INTO sites VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    if (!prepared.ok())
        return prepared.error();
    Statement& row = *prepared.value();
    bindWhere(row.bind(site.id.value).bind(nameOf(site.kind)), site.where)
        .bind(site.expression)
        .bind(site.function)
        .bind(nameOf(site.space));
    return bindId(bindType(row, site.type), site.variable).bind(textOf(site.derivation)).run();
}

Result<void> TableStore::put(const Variable& variable)
{
    Result<Statement*> prepared = statement("INSERT INTO variables VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)");
    if (!prepared.ok())
        return prepared.error();
    Statement& row = *prepared.value();
    bindType(row.bind(variable.id.value).bind(variable.name).bind(variable.function), variable.type);
    return bindWhere(row, variable.declared)
        .bind(variable.scopeFirstLine)
        .bind(variable.scopeLastLine)
        .bind(variable.isParameter)
        .run();
}

Result<void> TableStore::put(const Buffer& buffer)
{
    Result<Statement*> prepared = statement("INSERT OR REPLACE INTO buffers VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)");
    if (!prepared.ok())
        return prepared.error();
    Statement& row = *prepared.value();
    bindType(row.bind(buffer.id.value).bind(buffer.name).bind(nameOf(buffer.space)), buffer.element)
        .bind(fmt::format("{}", fmt::join(buffer.dims, ",")))
        .bind(buffer.bytes);
    return bindId(row, buffer.launch)
        .bind(buffer.sharedOffset)
        .bind(buffer.deviceAddress)
        .bind(buffer.allocatedAt)
        .run();
}

Result<void> TableStore::put(const Launch& launch)
{
    Result<Statement*> prepared =
        statement("INSERT OR REPLACE INTO launches VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    if (!prepared.ok())
        return prepared.error();
    Statement& row = *prepared.value();
    bindWhere(row.bind(launch.id.value).bind(launch.kernel), launch.where);
    for (const Dim3& d : {launch.grid, launch.block})
        row.bind(d.x).bind(d.y).bind(d.z);
    return row.bind(launch.dynamicSharedBytes)
        .bind(argumentsJson(launch.arguments))
        .bind(launch.blocksRecorded)
        .bind(launch.blocksDropped)
        .bind(launch.eventsDropped)
        .bind(launch.warpInstructions)
        .bind(launch.complete)
        .bind(launch.flops)
        .run();
}

Result<void> TableStore::put(size_t index, const Finding& finding)
{
    Result<Statement*> prepared = statement("INSERT OR REPLACE INTO findings VALUES (?,?,?,?,?,?,?,?,?,?)");
    if (!prepared.ok())
        return prepared.error();
    return prepared.value()
        ->bind(uint64_t{index})
        .bind(finding.kind)
        .bind(finding.severity)
        .bind(finding.message)
        .bind(finding.count)
        .bind(finding.kernel)
        .bind(finding.launch.value)
        .bind(finding.buffer)
        .bind(fmt::format("{}", fmt::join(finding.cell, ",")))
        .bind(accessesJson(finding))
        .run();
}

Result<void> TableStore::put(const PackedChunk& chunk)
{
    Result<Statement*> head = statement("INSERT INTO chunks VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)");
    if (!head.ok())
        return head.error();
    const int64_t id = m_nextChunk++;
    head.value()->bind(id).bind(chunk.launch.value).bind(chunk.block.value).bind(chunk.number).bind(chunk.firstStep);
    head.value()->bind(chunk.events).bind(uint64_t{chunk.data.size()}).bind(checksum(chunk.data));
    head.value()->bind(chunk.writeEvents).bind(chunk.writeFirst).bind(chunk.writeLast);
    head.value()->bind(uint64_t{chunk.writes.size()}).bind(checksum(chunk.writes));
    if (Result<void> done = head.value()->run(); !done.ok())
        return done;
    Result<Statement*> data = statement("INSERT INTO chunk_data VALUES (?,?,?)");
    if (!data.ok())
        return data.error();
    return data.value()->bind(id).bindBlob(chunk.data).bindBlob(chunk.writes).run();
}

Result<void> TableStore::put(const SiteCounts& counts)
{
    Result<Statement*> prepared = statement(
        "INSERT INTO site_counts(launch, site, space, bytes, requests, lane_accesses, sectors, ideal_sectors, "
        "wavefronts, ideal_wavefronts, divergent, degrees, buffer, first_byte, end_byte) "
        "VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    if (!prepared.ok())
        return prepared.error();
    Statement& row = prepared.value()->bind(counts.launch.value).bind(counts.site.value).bind(nameOf(counts.space));
    row.bind(counts.bytes).bind(counts.requests).bind(counts.laneAccesses).bind(counts.sectors);
    row.bind(counts.idealSectors).bind(counts.wavefronts).bind(counts.idealWavefronts).bind(counts.divergent);
    row.bind(fmt::format("{}", fmt::join(counts.degrees, ",")));
    bindId(row, counts.buffer == kNoBuffer ? std::optional<BufferId>() : counts.buffer);
    return row.bind(counts.firstByte).bind(counts.endByte).run();
}

Result<void> TableStore::put(const Measurement& measurement)
{
    Result<Statement*> row = statement("INSERT INTO measurements(launch, name, value) VALUES (?,?,?)");
    if (!row.ok())
        return row.error();
    return row.value()->bind(measurement.launch.value).bind(measurement.name).bind(measurement.value).run();
}

Result<void> TableStore::putOutput(bool isStderr, const std::string& text)
{
    Result<Statement*> row = statement("INSERT INTO output(is_stderr, text) VALUES (?,?)");
    if (!row.ok())
        return row.error();
    return row.value()->bind(isStderr).bind(text).run();
}

Result<void> TableStore::putContents(uint64_t id, uint64_t bytes, uint64_t initialisedBytes,
                                     const std::vector<ContentPiece>& pieces)
{
    Result<Statement*> head = statement("INSERT INTO contents VALUES (?,?,?)");
    if (!head.ok())
        return head.error();
    if (Result<void> done = head.value()->bind(id).bind(bytes).bind(initialisedBytes).run(); !done.ok())
        return done;
    Result<Statement*> row = statement("INSERT INTO content_pieces(content, part, raw_bytes, data) VALUES (?,?,?,?)");
    if (!row.ok())
        return row.error();
    for (const ContentPiece& piece : pieces) {
        Statement& insert = row.value()->bind(id).bind(piece.isInitialisedBits ? "initialised" : "bytes");
        if (Result<void> done = insert.bind(piece.rawBytes).bindBlob(piece.data).run(); !done.ok())
            return done;
    }
    return {};
}

Result<void> TableStore::putLaunchContents(LaunchId launch, BufferId buffer, uint64_t content)
{
    Result<Statement*> row = statement("INSERT INTO launch_contents(launch, buffer, content) VALUES (?,?,?)");
    if (!row.ok())
        return row.error();
    return row.value()->bind(launch.value).bind(buffer.value).bind(content).run();
}

Result<void> TableStore::putTouched(LaunchId launch, BufferId buffer)
{
    Result<Statement*> row = statement("INSERT INTO touched(launch, buffer) VALUES (?,?)");
    if (!row.ok())
        return row.error();
    return row.value()->bind(launch.value).bind(buffer.value).run();
}

Result<void> TableStore::putBlock(LaunchId launch, BlockIndex block, uint32_t chunks, StepIndex events)
{
    Result<Statement*> row = statement("INSERT INTO blocks(launch, block, chunks, events) VALUES (?,?,?,?)");
    if (!row.ok())
        return row.error();
    return row.value()->bind(launch.value).bind(block.value).bind(chunks).bind(events).run();
}

Result<void> TableStore::removeBlocks(LaunchId launch)
{
    for (const char* sql : {"DELETE FROM chunk_data WHERE id IN (SELECT id FROM chunks WHERE launch = ?)",
                            "DELETE FROM chunks WHERE launch = ?", "DELETE FROM blocks WHERE launch = ?"}) {
        Result<Statement*> rows = statement(sql);
        if (!rows.ok())
            return rows.error();
        if (Result<void> removed = rows.value()->bind(launch.value).run(); !removed.ok())
            return removed;
    }
    return {};
}

Result<void> TableStore::putDropped(LaunchId launch, uint64_t blocksDropped)
{
    Result<Statement*> row = statement("UPDATE launches SET blocks_dropped = ? WHERE id = ?");
    if (!row.ok())
        return row.error();
    return row.value()->bind(blocksDropped).bind(launch.value).run();
}

}  // namespace lanescope::trace
