// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/trace/writer.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <set>
#include <utility>

#include "core/base/assert.h"
#include "core/trace/content_hash.h"
#include "core/trace/kept_contents.h"
#include "core/trace/logging_recorder.h"
#include "core/trace/schema.h"
#include "core/trace/writer_thread.h"

namespace lanescope::trace {

namespace {

/// Printed text kept in a trace; the rest is cut, with a note.
constexpr size_t kMaxOutputBytes = 1 << 20;

/// Options of the writer's connection: survive the death of the process, not of the machine; keep a whole
/// batch in memory, so that the file is locked only while it is committed.
constexpr const char* kConnectionOptions = "PRAGMA page_size = 4096; PRAGMA journal_mode = DELETE; "
                                           "PRAGMA synchronous = OFF; PRAGMA cache_spill = OFF;";

std::span<const uint8_t> asBytes(std::span<const std::byte> bytes)
{
    return {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()};
}

/// Readers of earlier versions know the exit status.
Result<void> putProgramEnd(TableStore& tables, const ProgramEnd& end)
{
    Result<void> done = tables.putSessionValue("program_end", end.text());
    return done.ok() ? tables.putSessionValue("program_exit", end.status ? std::to_string(*end.status) : "") : done;
}

class SqliteTraceWriter final : public TraceWriter {
public:
    SqliteTraceWriter(std::unique_ptr<Database> database, const WriterOptions& options)
        : m_options(options), m_thread(std::move(database), [this] { handOverLate(); })
    {
    }

    SourceId addSource(const std::string& path, const std::string& text) override;
    void addSites(std::span<const Site> sites) override;
    void addVariables(std::span<const Variable> variables) override;
    void putBuffer(const Buffer& buffer) override;
    void divide(BufferId whole, std::span<const Buffer> parts) override;
    void bufferContents(LaunchId launch, BufferId buffer, std::span<const std::byte> bytes,
                        std::span<const uint8_t> initialised) override;
    void beginLaunch(const Launch& launch) override;
    std::unique_ptr<BlockRecorder> beginBlock(LaunchId launch, BlockIndex block) override;
    void endBlock(std::unique_ptr<BlockRecorder> recorder) override;
    void restartLaunch(LaunchId launch) override;
    void addCounts(std::span<const SiteCounts> counts) override { putAll(counts); }
    void addMeasurements(std::span<const Measurement> measurements) override { putAll(measurements); }
    void addOperations(std::span<const LineOperations> operations) override { putAll(operations); }
    void endLaunch(const Launch& launch) override;
    void putFinding(size_t index, const Finding& finding) override;
    void removeFindings(size_t index) override;
    void addOutput(bool isStderr, std::string_view text) override;
    [[nodiscard]] std::optional<Error> failure() const override { return m_thread.failure(); }
    [[nodiscard]] uint64_t bytesWritten() const override { return m_bytes; }
    bool keep(std::chrono::milliseconds timeout) override;
    Result<void> finish(const ProgramEnd& programEnd, const StopReason& stopReason) override;

private:
    struct LaunchState {
        uint32_t threads = 1;
        uint64_t recorded = 0;
        uint64_t dropped = 0;  ///< over the byte budget
        std::set<BufferId> touched;
        std::vector<DividedBuffer> divided;
    };

    void putChunk(PackedChunk chunk);
    /// What blocks that have ended still have to themselves. Under m_mutex.
    void handOver();
    /// The same for what nobody else saw to; on the writer's thread, which waits for nobody.
    void handOverLate();
    void putTallies(LaunchId launch, ByteColumn raw);
    template <typename Row>
    void putAll(std::span<const Row> rows)
    {
        m_thread.push([copy = std::vector<Row>(rows.begin(), rows.end())](TableStore& tables) {
            Result<void> done;
            for (size_t i = 0; i < copy.size() && done.ok(); ++i)
                done = tables.put(copy[i]);
            return done;
        });
    }

    WriterOptions m_options;
    std::mutex m_mutex;  ///< guards what follows up to m_bytes
    std::map<LaunchId, LaunchState> m_launches;
    std::vector<std::unique_ptr<LoggingRecorder>> m_idle;
    std::map<std::pair<std::string, std::string>, SourceId> m_sources;  ///< by path and text
    size_t m_outputBytes = 0;
    bool m_finished = false;
    std::atomic<uint64_t> m_bytes = 0;
    std::mutex m_contentsMutex;  ///< guards the next
    KeptContents m_contents;
    RecordingTables m_tables;
    WriterThread m_thread;
};

SourceId SqliteTraceWriter::addSource(const std::string& path, const std::string& text)
{
    const std::scoped_lock lock(m_mutex);
    const auto [known, isNew] = m_sources.try_emplace({path, text}, SourceId{static_cast<uint32_t>(m_sources.size())});
    if (isNew)
        m_thread.push([source = Source{known->second, path, text}](TableStore& tables) { return tables.put(source); });
    return known->second;
}

void SqliteTraceWriter::addSites(std::span<const Site> sites)
{
    m_tables.addSites(sites);
    putAll(sites);
}

void SqliteTraceWriter::addVariables(std::span<const Variable> variables)
{
    putAll(variables);
}

void SqliteTraceWriter::putBuffer(const Buffer& buffer)
{
    m_tables.putBuffer(buffer);
    m_thread.push([buffer](TableStore& tables) { return tables.put(buffer); });
}

void SqliteTraceWriter::divide(BufferId whole, std::span<const Buffer> parts)
{
    const std::scoped_lock lock(m_mutex);
    LS_ASSERT(!parts.empty() && parts.front().id == whole && parts.front().launch);
    DividedBuffer& divided = m_launches[*parts.front().launch].divided.emplace_back();
    divided.whole = whole;
    for (const Buffer& part : parts)
        divided.parts.push_back({part.id, part.sharedOffset - parts.front().sharedOffset});
}

void SqliteTraceWriter::bufferContents(LaunchId launch, BufferId buffer, std::span<const std::byte> bytes,
                                       std::span<const uint8_t> initialised)
{
    KeptContents::Found found;
    {
        const std::scoped_lock lock(m_contentsMutex);
        found = m_contents.add(buffer, asBytes(bytes), initialised);
    }
    if (found.stored) {
        size_t packed = 0;
        for (const ContentPiece& piece : found.stored->pieces)
            packed += piece.data.size();
        auto shared = std::make_shared<KeptContents::Stored>(*std::move(found.stored));
        m_thread.push([shared](TableStore& tables) { return tables.putContents(shared->row, shared->pieces); }, packed);
    }
    m_thread.push([launch, buffer, id = found.id](TableStore& tables) {
        return tables.put(LaunchContentsRow{launch, buffer, id});
    });
}

void SqliteTraceWriter::beginLaunch(const Launch& launch)
{
    {
        const std::scoped_lock lock(m_mutex);
        m_launches[launch.id].threads = static_cast<uint32_t>(launch.threadsPerBlock());
    }
    m_thread.push([launch](TableStore& tables) { return tables.put(launch); });
}

std::unique_ptr<BlockRecorder> SqliteTraceWriter::beginBlock(LaunchId launch, BlockIndex block)
{
    std::unique_ptr<LoggingRecorder> recorder;
    uint32_t threads = 0;
    std::span<const DividedBuffer> divided;
    {
        const std::scoped_lock lock(m_mutex);
        const auto at = m_launches.find(launch);
        LS_ASSERT(at != m_launches.end());
        if (m_options.maxBytes != 0 && m_bytes >= m_options.maxBytes) {
            const uint64_t dropped = ++at->second.dropped;
            // A running total for readers of a growing or cut-off trace; not one row update per block.
            if (std::has_single_bit(dropped))
                m_thread.push([=](TableStore& tables) { return tables.putDropped(launch, dropped); });
            return nullptr;
        }
        threads = at->second.threads;
        divided = at->second.divided;
        if (!m_idle.empty()) {
            // One whose blocks the next one can be packed with.
            auto idle = std::find_if(m_idle.begin(), m_idle.end(),
                                     [launch](const auto& known) { return known->chunks().launch() == launch; });
            if (idle == m_idle.end())
                --idle;
            recorder = std::move(*idle);
            *idle = std::move(m_idle.back());
            m_idle.pop_back();
        }
    }
    if (!recorder)
        recorder = std::make_unique<LoggingRecorder>(
            m_tables, [this](PackedChunk chunk) { putChunk(std::move(chunk)); },
            [this](LaunchId of, ByteColumn raw) { putTallies(of, std::move(raw)); });
    recorder->start(launch, block, threads, divided);
    return recorder;
}

void SqliteTraceWriter::putChunk(PackedChunk chunk)
{
    const size_t bytes = chunk.data.size() + chunk.writes.size();
    m_bytes += bytes;
    auto shared = std::make_shared<PackedChunk>(std::move(chunk));
    m_thread.push([shared](TableStore& tables) { return tables.putChunk(*shared); }, bytes);
}

void SqliteTraceWriter::handOver()
{
    for (const auto& recorder : m_idle)
        recorder->chunks().handOver();
}

void SqliteTraceWriter::handOverLate()
{
    const std::unique_lock lock(m_mutex, std::try_to_lock);
    if (lock.owns_lock())
        handOver();
    else
        m_thread.callLate();
}

bool SqliteTraceWriter::keep(std::chrono::milliseconds timeout)
{
    {
        // Who asks may have died while he held it.
        const std::unique_lock lock(m_mutex, std::try_to_lock);
        if (lock.owns_lock())
            handOver();
    }
    return m_thread.keep(timeout);
}

void SqliteTraceWriter::endBlock(std::unique_ptr<BlockRecorder> recorder)
{
    if (!recorder)
        return;
    // beginBlock makes no other kind.
    std::unique_ptr<LoggingRecorder> block(static_cast<LoggingRecorder*>(recorder.release()));
    block->finish();
    const LaunchId launch = block->chunks().launch();
    const std::vector<BufferId> touched = block->chunks().takeTouched();
    const std::scoped_lock lock(m_mutex);
    LaunchState& state = m_launches[launch];
    ++state.recorded;
    for (const BufferId buffer : touched)
        if (state.touched.insert(buffer).second)
            m_thread.push([=](TableStore& tables) { return tables.put(TouchedRow{launch, buffer}); });
    if (block->chunks().holdsParts())
        m_thread.callLate();
    m_idle.push_back(std::move(block));
}

void SqliteTraceWriter::putTallies(LaunchId launch, ByteColumn raw)
{
    const size_t bytes = raw.size();
    auto shared = std::make_shared<ByteColumn>(std::move(raw));
    m_thread.push(
        [launch, shared](TableStore& tables) {
            ByteColumn packed;
            Compressor().putSection(packed, shared->bytes());
            return tables.put(TallyRow{
                launch, shared->size(), checksum(packed.bytes()), {packed.data(), packed.data() + packed.size()}});
        },
        bytes);
}

void SqliteTraceWriter::restartLaunch(LaunchId launch)
{
    const std::scoped_lock lock(m_mutex);
    LaunchState& state = m_launches[launch];
    state.recorded = 0;
    state.dropped = 0;
    for (const auto& recorder : m_idle)
        if (recorder->chunks().launch() == launch)
            recorder->chunks().forgetAll();
    m_thread.push([launch](TableStore& tables) { return tables.removeBlocks(launch); });
}

void SqliteTraceWriter::endLaunch(const Launch& launch)
{
    Launch ended = launch;
    {
        const std::scoped_lock lock(m_mutex);
        LaunchState& state = m_launches[launch.id];
        for (const auto& recorder : m_idle)
            if (recorder->chunks().launch() == launch.id)
                recorder->chunks().handOverAll();
        ended.blocksRecorded = state.recorded;
        // Every block of a complete launch ran: those that are not here were dropped, for whatever reason.
        ended.blocksDropped = ended.complete ? ended.grid.count() - std::min(ended.grid.count(), state.recorded)
                                             : ended.blocksDropped + state.dropped;
    }
    m_thread.push([ended](TableStore& tables) { return tables.put(ended); });
}

void SqliteTraceWriter::putFinding(size_t index, const Finding& finding)
{
    m_thread.push([row = FindingRow{finding, index}](TableStore& tables) { return tables.put(row); });
}

void SqliteTraceWriter::removeFindings(size_t index)
{
    m_thread.push([index](TableStore& tables) { return tables.removeFindings(index); });
}

void SqliteTraceWriter::addOutput(bool isStderr, std::string_view text)
{
    const std::scoped_lock lock(m_mutex);
    if (text.empty() || m_outputBytes >= kMaxOutputBytes)
        return;
    std::string kept(text.substr(0, kMaxOutputBytes - m_outputBytes));
    m_outputBytes += kept.size();
    if (m_outputBytes >= kMaxOutputBytes)
        kept += "\n[output beyond 1 MiB is not in the trace]\n";
    m_thread.push([row = OutputRow{0, isStderr, std::move(kept)}](TableStore& tables) { return tables.put(row); });
}

Result<void> SqliteTraceWriter::finish(const ProgramEnd& programEnd, const StopReason& stopReason)
{
    {
        const std::scoped_lock lock(m_mutex);
        if (!m_finished) {
            for (const auto& recorder : m_idle)
                recorder->chunks().handOverAll();
            m_thread.push([=](TableStore& tables) {
                Result<void> done = putProgramEnd(tables, programEnd);
                if (done.ok())
                    done = tables.putSessionValue("stop_reason", stopReason.text());
                return done.ok() ? tables.putSessionValue("finished", "1") : done;
            });
        }
        m_finished = true;
    }
    m_thread.stop();
    if (const std::optional<Error> error = m_thread.failure())
        return *error;
    return {};
}

}  // namespace

Result<std::unique_ptr<TraceWriter>> TraceWriter::create(const std::string& path, const SessionInfo& session,
                                                         const WriterOptions& options)
{
    Result<Database> opened = Database::open(path, Database::Mode::Create);
    if (!opened.ok())
        return opened.error();
    auto database = std::make_unique<Database>(std::move(opened).value());
    if (Result<void> done = database->run(kConnectionOptions); !done.ok())
        return done.error();
    if (Result<void> done = createSchema(*database); !done.ok())
        return done.error();
    SessionInfo started = session;
    started.finished = false;
    started.variablesRecorded = session.variablesRecorded && options.recordVariables;
    Result<void> done = database->run("BEGIN");
    if (done.ok())
        done = TableStore(*database).putSession(started);
    if (done.ok())
        done = database->run("COMMIT");
    if (!done.ok())
        return done.error();
    return std::unique_ptr<TraceWriter>(std::make_unique<SqliteTraceWriter>(std::move(database), options));
}

Result<void> noteProgramEnd(const std::string& path, const ProgramEnd& programEnd)
{
    Result<Database> opened = Database::open(path, Database::Mode::Change);
    if (!opened.ok())
        return opened.error();
    Database& database = opened.value();
    if (const Result<int> schema = checkSchema(database); !schema.ok())
        return schema.error();
    Result<void> done = database.run("BEGIN");
    if (done.ok()) {
        TableStore tables(database);
        done = putProgramEnd(tables, programEnd);
    }
    return done.ok() ? database.run("COMMIT") : done;
}

}  // namespace lanescope::trace
