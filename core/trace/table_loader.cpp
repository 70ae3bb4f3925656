// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/trace/table_loader.h"

#include <charconv>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/trace/derivation.h"
#include "core/trace/names.h"
#include "core/trace/predictor.h"

namespace lanescope::trace {

namespace {

using nlohmann::json;

/// Reads columns left to right and keeps the first thing that is wrong, so that callers check once per row.
class Row {
public:
    Row(Statement& statement, const char* table, const std::string& path)
        : m_statement(statement), m_table(table), m_path(path)
    {
    }

    /// True when a row is there to be read; false at the end or after an error.
    bool next()
    {
        if (m_error)
            return false;
        const Result<bool> row = m_statement.step();
        if (!row.ok()) {
            m_error = row.error();
            return false;
        }
        m_column = 0;
        ++m_number;
        return row.value();
    }

    uint64_t integer(const char* name, uint64_t max = INT64_MAX)
    {
        const int at = m_column++;
        if (!m_statement.isInteger(at)) {
            fail(name, "no number", "one");
            return 0;
        }
        const auto value = static_cast<uint64_t>(m_statement.integer(at));
        if (value > max) {
            fail(name, std::to_string(m_statement.integer(at)), fmt::format("0 to {}", max));
            return 0;
        }
        return value;
    }
    uint32_t integer32(const char* name) { return static_cast<uint32_t>(integer(name, UINT32_MAX)); }
    /// All 64 bits, stored as SQLite's signed integer.
    uint64_t bits(const char* name)
    {
        if (!m_statement.isInteger(m_column))
            fail(name, "no number", "one");
        return static_cast<uint64_t>(m_statement.integer(m_column++));
    }
    /// Whether \p columns more are there: older schemas lack the last ones.
    [[nodiscard]] bool has(int columns) const { return m_column + columns <= m_statement.columns(); }
    Derivation derivation(const char* name)
    {
        const std::string value = text(name);
        std::optional<Derivation> parsed = derivationOf(value);
        if (!parsed)
            fail(name, fmt::format("\"{}\"", value), "a postfix expression");
        return std::move(parsed).value_or(Derivation{});
    }
    bool flag(const char* name) { return integer(name, 1) != 0; }
    std::string text(const char* name)
    {
        const int at = m_column++;
        if (!m_statement.isText(at))
            fail(name, "no text", "some");
        return m_statement.text(at);
    }
    template <typename Id>
    std::optional<Id> optionalId(const char* name)
    {
        if (m_statement.isNull(m_column)) {
            ++m_column;
            return std::nullopt;
        }
        return Id{integer32(name)};
    }
    template <typename Enum>
    Enum name(const char* column, std::optional<Enum> (*parse)(std::string_view))
    {
        const std::string value = text(column);
        const std::optional<Enum> parsed = parse(value);
        if (!parsed)
            fail(column, fmt::format("\"{}\"", value), "a known name");
        return parsed.value_or(Enum{});
    }

    ValueType type()
    {
        ValueType type;
        type.kind = name("type_kind", scalarKindOf);
        // Structs passed by value are the largest things that have a type; CUDA's limit on parameters is 32 KB.
        type.bytes = static_cast<uint32_t>(integer("type_bytes", 1 << 20));
        type.components = static_cast<uint32_t>(integer("type_components", 1 << 10));
        type.name = text("type_name");
        return type;
    }
    SourceLocation where()
    {
        SourceLocation where;
        where.source = SourceId{integer32("source")};
        where.line = integer32("line");
        where.column = integer32("column");
        return where;
    }
    Dim3 dim(const char* name)
    {
        Dim3 dim;
        for (uint32_t* part : {&dim.x, &dim.y, &dim.z}) {
            // CUDA: at most 2^31-1 in x, 65535 in y and z; so that counts fit in 64 bits.
            *part = static_cast<uint32_t>(integer(name, part == &dim.x ? INT32_MAX : 65535));
            if (*part == 0)
                fail(name, "0", "at least 1");
        }
        return dim;
    }
    /// Dense ids: the row's id must be the next one.
    uint32_t denseId(size_t expected)
    {
        const uint64_t id = integer("id");
        if (id != expected)
            fail("id", std::to_string(id), std::to_string(expected));
        return static_cast<uint32_t>(id);
    }
    json array(const char* column)
    {
        json value = json::parse(text(column), nullptr, false);
        if (!value.is_array()) {
            fail(column, "damaged JSON", "an array");
            value = json::array();
        }
        return value;
    }
    template <typename T>
    std::vector<T> numbers(const char* column, size_t most)
    {
        const std::string list = text(column);
        std::vector<T> values;
        const char* at = list.data();
        const char* end = at + list.size();
        while (at != end) {
            T value{};
            const auto [rest, status] = std::from_chars(at, end, value);
            if (status != std::errc{} || (rest != end && *rest != ',') || values.size() == most) {
                fail(column, fmt::format("\"{}\"", list), "numbers separated by commas");
                break;
            }
            values.push_back(value);
            at = rest == end ? end : rest + 1;
        }
        return values;
    }

    void fail(const char* column, std::string found, std::string expected)
    {
        if (!m_error)
            m_error = Error{
                Error::Code::BadInput,
                fmt::format("table {}: row {}: {}: found {}, expected {}", m_table, m_number, column, found, expected),
                m_path};
    }
    [[nodiscard]] Result<void> result() const { return m_error ? Result<void>(*m_error) : Result<void>(); }
    [[nodiscard]] bool ok() const { return !m_error; }

private:
    Statement& m_statement;
    const char* m_table;
    const std::string& m_path;
    std::optional<Error> m_error;
    int m_column = 0;
    uint64_t m_number = 0;
};

std::string textOf(const json& object, const char* key)
{
    const auto at = object.find(key);
    return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}

uint64_t numberOf(const json& object, const char* key)
{
    const auto at = object.find(key);
    return at != object.end() && at->is_number_unsigned() ? at->get<uint64_t>() : 0;
}

Dim3 dimOf(const json& object, const char* key)
{
    const auto at = object.find(key);
    if (at == object.end() || !at->is_array() || at->size() != 3)
        return {0, 0, 0};
    const auto part = [&](size_t i) {
        return (*at)[i].is_number_unsigned() ? static_cast<uint32_t>((*at)[i].get<uint64_t>()) : 0U;
    };
    return {part(0), part(1), part(2)};
}

LaunchArgument argumentOf(const json& object)
{
    LaunchArgument argument{textOf(object, "name"), textOf(object, "type"), textOf(object, "text"), {}};
    if (object.is_object() && object.contains("buffer"))
        argument.buffer = BufferId{static_cast<uint32_t>(numberOf(object, "buffer"))};
    return argument;
}

FindingAccess findingAccessOf(const json& object)
{
    FindingAccess access;
    access.where = {SourceId{static_cast<uint32_t>(numberOf(object, "source"))},
                    static_cast<uint32_t>(numberOf(object, "line")), static_cast<uint32_t>(numberOf(object, "column"))};
    access.expression = textOf(object, "expression");
    access.access = textOf(object, "access");
    access.block = dimOf(object, "block");
    access.thread = dimOf(object, "thread");
    access.epoch = static_cast<uint32_t>(numberOf(object, "epoch"));
    access.step = numberOf(object, "step");
    return access;
}

/// To the first occurrence, or to the one that it says it belongs to.
void addAccess(const json& object, Finding& finding)
{
    const std::string which = textOf(object, "instance");
    if (which.empty())
        return finding.accesses.push_back(findingAccessOf(object));
    if (finding.instances.empty() || finding.instances.back().which != which) {
        finding.instances.push_back({which, {}, {}});
        if (const auto cell = object.find("cell"); cell != object.end() && cell->is_array())
            for (const json& index : *cell)
                finding.instances.back().cell.push_back(index.is_number_integer() ? index.get<int64_t>() : 0);
    }
    finding.instances.back().accesses.push_back(findingAccessOf(object));
}

/// Of the access that carries them; others have none.
void addNumbers(const json& access, Finding& finding)
{
    const auto numbers = access.is_object() ? access.find("numbers") : access.end();
    if (numbers == access.end() || !numbers->is_object())
        return;
    for (const auto& [name, value] : numbers->items())
        if (value.is_number())
            finding.numbers.emplace_back(name, value.get<double>());
}

}  // namespace

Result<Catalog> TableLoader::catalog()
{
    Catalog catalog;
    Result<void> done = session(catalog.session);
    if (done.ok())
        done = sources(catalog.sources);
    if (done.ok())
        done = launches(catalog.launches);
    if (done.ok())
        done = buffers(catalog.buffers);
    if (done.ok())
        done = sites(catalog.sites);
    if (done.ok())
        done = variables(catalog.variables);
    if (done.ok())
        done = findings(catalog.findings);
    if (done.ok())
        done = counts(catalog.counts);
    if (done.ok())
        done = measurements(catalog.measurements);
    if (done.ok())
        done = checkReferences(catalog);
    if (!done.ok())
        return done.error();
    return catalog;
}

namespace {

/// The field of a device's property that is stored under \p key.
uint32_t* propertyOf(DeviceProperties& properties, const std::string& key)
{
    if (key == "device_capability")
        return &properties.capability;
    if (key == "device_multiprocessors")
        return &properties.multiprocessors;
    if (key == "device_clock_khz")
        return &properties.clockKilohertz;
    if (key == "device_memory_clock_khz")
        return &properties.memoryClockKilohertz;
    return key == "device_memory_bus_bits" ? &properties.memoryBusBits : nullptr;
}

}  // namespace

Result<void> TableLoader::session(SessionInfo& session)
{
    Result<Statement> statement = m_database.prepare("SELECT key, value FROM session");
    if (!statement.ok())
        return statement.error();
    Row row(statement.value(), "session", m_database.path());
    while (row.next()) {
        const std::string key = row.text("key");
        const std::string value = row.text("value");
        if (key == "program")
            session.program = value;
        else if (key == "command_line")
            session.commandLine = value;
        else if (key == "device")
            session.device = value;
        else if (key == "mode")
            session.mode = value;
        else if (key == "schedule")
            session.schedule = value;
        else if (key == "producer")
            session.producer = value;
        else if (key == "variables_recorded")
            session.variablesRecorded = value == "1";
        else if (key == "finished")
            session.finished = value == "1";
        else if (key == "stop_reason")
            session.stopReason = value;
        else if (uint32_t* property = propertyOf(session.properties, key)) {
            const auto [rest, code] = std::from_chars(value.data(), value.data() + value.size(), *property);
            if (code != std::errc{} || rest != value.data() + value.size())
                row.fail(key.c_str(), fmt::format("\"{}\"", value), "a number");
        } else if (key == "program_exit" && !value.empty()) {
            int status = 0;
            const auto [rest, code] = std::from_chars(value.data(), value.data() + value.size(), status);
            if (code != std::errc{} || rest != value.data() + value.size())
                row.fail("program_exit", fmt::format("\"{}\"", value), "a number");
            session.programExit = status;
        }
    }
    return row.result();
}

Result<void> TableLoader::sources(std::vector<Source>& sources)
{
    Result<Statement> statement = m_database.prepare("SELECT * FROM sources ORDER BY id");
    if (!statement.ok())
        return statement.error();
    Row row(statement.value(), "sources", m_database.path());
    while (row.next()) {
        Source source;
        source.id = SourceId{row.denseId(sources.size())};
        source.path = row.text("path");
        source.text = row.text("text");
        sources.push_back(std::move(source));
    }
    return row.result();
}

Result<void> TableLoader::launches(std::vector<Launch>& launches)
{
    Result<Statement> statement = m_database.prepare("SELECT * FROM launches ORDER BY id");
    if (!statement.ok())
        return statement.error();
    Row row(statement.value(), "launches", m_database.path());
    while (row.next()) {
        Launch launch;
        launch.id = LaunchId{row.denseId(launches.size())};
        launch.kernel = row.text("kernel");
        launch.where = row.where();
        launch.grid = row.dim("grid");
        launch.block = row.dim("block");
        if (launch.block.count() > kMaxThreadsPerBlock)
            row.fail("block", fmt::format("{} threads", launch.block.count()), "at most 1024");
        launch.dynamicSharedBytes = row.integer("dynamic_shared_bytes", UINT32_MAX);
        for (const json& argument : row.array("arguments"))
            launch.arguments.push_back(argumentOf(argument));
        launch.blocksRecorded = row.integer("blocks_recorded");
        launch.blocksDropped = row.integer("blocks_dropped");
        launch.eventsDropped = row.integer("events_dropped");
        launch.warpInstructions = row.integer("warp_instructions");
        launch.complete = row.flag("complete");
        launch.flops = row.integer("flops");
        launches.push_back(std::move(launch));
    }
    return row.result();
}

Result<void> TableLoader::buffers(std::vector<Buffer>& buffers)
{
    Result<Statement> statement = m_database.prepare("SELECT * FROM buffers ORDER BY id");
    if (!statement.ok())
        return statement.error();
    Row row(statement.value(), "buffers", m_database.path());
    while (row.next()) {
        Buffer buffer;
        buffer.id = BufferId{row.denseId(buffers.size())};
        buffer.name = row.text("name");
        buffer.space = row.name("space", spaceOf);
        buffer.element = row.type();
        buffer.dims = row.numbers<uint64_t>("dims", 16);
        buffer.bytes = row.integer("bytes", kMaxBufferBytes);
        buffer.launch = row.optionalId<LaunchId>("launch");
        buffer.sharedOffset = row.integer("shared_offset", UINT32_MAX);
        buffer.deviceAddress = row.bits("device_address");
        buffer.allocatedAt = row.text("allocated_at");
        buffers.push_back(std::move(buffer));
    }
    return row.result();
}

Result<void> TableLoader::sites(std::vector<Site>& sites)
{
    Result<Statement> statement = m_database.prepare("SELECT * FROM sites ORDER BY id");
    if (!statement.ok())
        return statement.error();
    Row row(statement.value(), "sites", m_database.path());
    while (row.next()) {
        Site site;
        site.id = SiteId{row.denseId(sites.size())};
        site.kind = row.name("kind", siteKindOf);
        site.where = row.where();
        site.expression = row.text("expression");
        site.function = row.text("function");
        site.space = row.name("space", spaceOf);
        site.type = row.type();
        site.variable = row.optionalId<VariableId>("variable");
        if (row.has(1))
            site.derivation = row.derivation("derivation");
        sites.push_back(std::move(site));
    }
    return row.result();
}

Result<void> TableLoader::variables(std::vector<Variable>& variables)
{
    Result<Statement> statement = m_database.prepare("SELECT * FROM variables ORDER BY id");
    if (!statement.ok())
        return statement.error();
    Row row(statement.value(), "variables", m_database.path());
    while (row.next()) {
        Variable variable;
        variable.id = VariableId{row.denseId(variables.size())};
        variable.name = row.text("name");
        variable.function = row.text("function");
        variable.type = row.type();
        variable.declared = row.where();
        variable.scopeFirstLine = row.integer32("scope_first_line");
        variable.scopeLastLine = row.integer32("scope_last_line");
        variable.isParameter = row.flag("is_parameter");
        variables.push_back(std::move(variable));
    }
    return row.result();
}

Result<void> TableLoader::findings(std::vector<Finding>& findings)
{
    Result<Statement> statement = m_database.prepare("SELECT * FROM findings ORDER BY id");
    if (!statement.ok())
        return statement.error();
    Row row(statement.value(), "findings", m_database.path());
    while (row.next()) {
        Finding finding;
        row.integer("id");
        finding.kind = row.text("kind");
        finding.severity = row.text("severity");
        finding.message = row.text("message");
        finding.count = row.integer("count");
        finding.kernel = row.text("kernel");
        finding.launch = LaunchId{row.integer32("launch")};
        finding.buffer = row.text("buffer");
        finding.cell = row.numbers<int64_t>("cell", 16);
        for (const json& access : row.array("accesses")) {
            addAccess(access, finding);
            addNumbers(access, finding);
        }
        findings.push_back(std::move(finding));
    }
    return row.result();
}

/// Older files lack the tables that were added later.
Result<bool> TableLoader::hasTable(const char* name)
{
    Result<Statement> statement = m_database.prepare("SELECT 1 FROM sqlite_schema WHERE name = ?");
    return statement.ok() ? statement.value().bind(name).step() : Result<bool>(statement.error());
}

Result<void> TableLoader::counts(std::vector<SiteCounts>& counts)
{
    const Result<bool> there = hasTable("site_counts");
    if (!there.ok() || !there.value())
        return there.ok() ? Result<void>() : there.error();
    Result<Statement> statement = m_database.prepare("SELECT * FROM site_counts ORDER BY launch, id");
    if (!statement.ok())
        return statement.error();
    Row row(statement.value(), "site_counts", m_database.path());
    while (row.next()) {
        SiteCounts site;
        row.integer("id");
        site.launch = LaunchId{row.integer32("launch")};
        site.site = SiteId{row.integer32("site")};
        site.space = row.name("space", spaceOf);
        site.bytes = static_cast<uint32_t>(row.integer("bytes", 16));
        for (auto [column, number] : {std::pair{"requests", &site.requests},
                                      {"lane_accesses", &site.laneAccesses},
                                      {"sectors", &site.sectors},
                                      {"ideal_sectors", &site.idealSectors},
                                      {"wavefronts", &site.wavefronts},
                                      {"ideal_wavefronts", &site.idealWavefronts},
                                      {"divergent", &site.divergent}})
            *number = row.integer(column);
        site.degrees = row.numbers<uint64_t>("degrees", kWarpSize);
        site.buffer = row.optionalId<BufferId>("buffer").value_or(kNoBuffer);
        site.firstByte = row.integer("first_byte");
        site.endByte = row.integer("end_byte");
        counts.push_back(std::move(site));
    }
    return row.result();
}

Result<void> TableLoader::measurements(std::vector<Measurement>& measurements)
{
    const Result<bool> there = hasTable("measurements");
    if (!there.ok() || !there.value())
        return there.ok() ? Result<void>() : there.error();
    Result<Statement> statement = m_database.prepare("SELECT * FROM measurements ORDER BY launch, id");
    if (!statement.ok())
        return statement.error();
    Row row(statement.value(), "measurements", m_database.path());
    while (row.next()) {
        row.integer("id");
        const LaunchId launch{row.integer32("launch")};
        std::string name = row.text("name");
        measurements.push_back({launch, std::move(name), row.integer("value")});
    }
    return row.result();
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

Result<void> TableLoader::chunks(const Catalog& catalog, std::vector<LaunchIndex>& launches, int64_t& lastId)
{
    Result<Statement> statement = m_database.prepare("SELECT * FROM chunks WHERE id > ? ORDER BY id");
    if (!statement.ok())
        return statement.error();
    statement.value().bind(lastId);
    Row row(statement.value(), "chunks", m_database.path());
    while (row.next()) {
        ChunkEntry chunk;
        chunk.id = static_cast<int64_t>(row.integer("id"));
        const uint64_t launch = row.integer("launch", launches.empty() ? 0 : launches.size() - 1);
        const uint64_t block = row.integer("block");
        if (launch >= launches.size())
            row.fail("launch", std::to_string(launch), "one that exists");
        else if (block >= catalog.launches[launch].grid.count())
            row.fail("block", std::to_string(block), fmt::format("one of {}", catalog.launches[launch].grid.count()));
        const uint64_t number = row.integer("number");
        chunk.firstStep = row.integer("first_step");
        chunk.events = static_cast<uint32_t>(row.integer("events", kMaxChunkEvents));
        chunk.bytes = row.integer("bytes");
        chunk.checksum = static_cast<int64_t>(row.integer("checksum"));
        chunk.writeEvents = static_cast<uint32_t>(row.integer("write_events", chunk.events));
        chunk.writeFirst = row.integer("write_first");
        chunk.writeLast = row.integer("write_last");
        const uint64_t writeBytes = row.integer("write_bytes");
        chunk.writeChecksum = static_cast<int64_t>(row.integer("write_checksum"));
        if (!row.ok())
            break;
        LaunchIndex& index = launches[launch];
        BlockEntry& entry = index.blocks[block];
        if (number != entry.chunks.size())
            row.fail("number", std::to_string(number), std::to_string(entry.chunks.size()));
        if (chunk.firstStep != entry.steps)
            row.fail("first_step", std::to_string(chunk.firstStep), std::to_string(entry.steps));
        if (chunk.events == 0)
            row.fail("events", "0", "at least 1");
        const StepIndex end = chunk.firstStep + chunk.events;
        if (chunk.writeEvents != 0 &&
            (chunk.writeFirst < chunk.firstStep || chunk.writeLast < chunk.writeFirst || chunk.writeLast >= end))
            row.fail("write_first", fmt::format("{} to {}", chunk.writeFirst, chunk.writeLast),
                     fmt::format("steps of {} to {}", chunk.firstStep, end - 1));
        entry.chunks.push_back(chunk);
        entry.steps = end;
        index.bytes += chunk.bytes + writeBytes;
        index.writeEvents += chunk.writeEvents;
        lastId = chunk.id;
    }
    return row.result();
}

Result<void> TableLoader::blocks(const Catalog& catalog, std::vector<LaunchIndex>& launches, int64_t& lastId)
{
    Result<Statement> statement = m_database.prepare("SELECT * FROM blocks WHERE id > ? ORDER BY id");
    if (!statement.ok())
        return statement.error();
    statement.value().bind(lastId);
    Row row(statement.value(), "blocks", m_database.path());
    while (row.next()) {
        const auto id = static_cast<int64_t>(row.integer("id"));
        const uint64_t launch = row.integer("launch");
        const uint64_t block = row.integer("block");
        const uint64_t chunks = row.integer("chunks");
        const uint64_t events = row.integer("events");
        if (launch >= launches.size() || block >= catalog.launches[launch].grid.count()) {
            row.fail("block", fmt::format("{} of launch {}", block, launch), "one that exists");
            break;
        }
        BlockEntry& entry = launches[launch].blocks[block];
        if (chunks != entry.chunks.size() || events != entry.steps)
            row.fail("events", fmt::format("{} in {} chunks", events, chunks),
                     fmt::format("{} in {}", entry.steps, entry.chunks.size()));
        entry.complete = true;
        lastId = id;
    }
    return row.result();
}

Result<void> TableLoader::output(std::string& text, int64_t& lastId)
{
    Result<Statement> statement = m_database.prepare("SELECT id, text FROM output WHERE id > ? ORDER BY id");
    if (!statement.ok())
        return statement.error();
    statement.value().bind(lastId);
    Row row(statement.value(), "output", m_database.path());
    while (row.next()) {
        lastId = static_cast<int64_t>(row.integer("id"));
        text += row.text("text");
    }
    return row.result();
}

}  // namespace lanescope::trace
