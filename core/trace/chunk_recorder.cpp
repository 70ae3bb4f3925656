// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/trace/chunk_recorder.h"

#include <algorithm>
#include <bit>

#include "core/base/assert.h"

namespace lanescope::trace {

namespace {

/// Tallies of blocks are packed together: they are much alike.
constexpr size_t kTallyBytes = 256 << 10;
/// Of a chunk: blocks of next to no events count too.
constexpr size_t kMostParts = 4096;
constexpr uint32_t kMostLaneBytes = 16;

bool isWrite(SiteKind kind)
{
    return kind == SiteKind::Store || kind == SiteKind::Atomic;
}

}  // namespace

void RecordingTables::addSites(std::span<const Site> sites)
{
    const std::scoped_lock lock(m_mutex);
    for (const Site& site : sites) {
        LS_ASSERT(site.id.value == m_sites.size());
        m_sites.push_back(
            {site.kind, site.space, static_cast<uint8_t>(std::clamp(site.type.totalBytes(), 1U, kMostLaneBytes))});
    }
}

void RecordingTables::putBuffer(const Buffer& buffer)
{
    const std::scoped_lock lock(m_mutex);
    if (buffer.id.value >= m_buffers.size())
        m_buffers.resize(buffer.id.value + size_t{1});
    m_buffers[buffer.id.value] = {buffer.space,
                                  buffer.space == Space::Shared ? buffer.sharedOffset : buffer.deviceAddress};
    ++m_version;
}

void RecordingTables::copyTo(std::vector<SiteFacts>& sites, std::vector<BufferPlace>& buffers) const
{
    const std::scoped_lock lock(m_mutex);
    sites = m_sites;
    buffers = m_buffers;
}

ChunkRecorder::ChunkRecorder(const RecordingTables& tables, ChunkSink chunks, TallySink tallies,
                             std::chrono::milliseconds freshFor)
    : m_tables(tables), m_chunkSink(std::move(chunks)), m_tallySink(std::move(tallies)), m_freshFor(freshFor)
{
}

bool ChunkRecorder::isStale() const
{
    return std::chrono::steady_clock::now() - m_handedOver >= m_freshFor;
}

void ChunkRecorder::flops(std::span<const uint64_t> ofWarps)
{
    // Mostly all do the same.
    const bool isOne = !ofWarps.empty() && std::ranges::all_of(ofWarps, [&](uint64_t n) { return n == ofWarps[0]; });
    const auto kept = isOne ? ofWarps.first(1) : ofWarps;
    m_flops.assign(kept.begin(), kept.end());
}

void ChunkRecorder::start(LaunchId launch, BlockIndex block, uint32_t threads)
{
    if (launch != m_launch)
        handOverAll();
    if (m_ended.empty())
        m_handedOver = std::chrono::steady_clock::now();
    m_launch = launch;
    m_block = block;
    m_warps = (threads + kWarpSize - 1) / kWarpSize;
    m_firstStep = 0;
    m_parts = 0;
    m_flops.clear();
    m_touched.assign(m_touched.size(), 0);
    if (m_tablesVersion != m_tables.version())
        refreshTables();
    m_events.begin(m_warps);
    m_writes.begin(m_warps);
    m_tally.begin(threads, m_sites, m_buffers);
}

void ChunkRecorder::finish()
{
    m_tally.finish(m_block, m_tallies);
    endBlock();
}

void ChunkRecorder::endBlock()
{
    endPart();
    markLast();
    if (m_tallies.size() >= kTallyBytes)
        handOverTallies();
    if (isStale())
        handOver();
}

/// Says of the block's last part that it is that.
void ChunkRecorder::markLast()
{
    if (m_ended.empty() || m_ended.back().block != m_block || m_ended.back().isBlocksLast || m_parts == 0) {
        m_events.begin(m_warps);
        m_writes.begin(m_warps);
        m_packedEvents.add(m_events.columns());
        m_packedWrites.add(m_writes.columns());
        add(0, 0);
    }
    m_ended.back().isBlocksLast = true;
    m_ended.back().flops = m_flops;
}

void ChunkRecorder::add(uint32_t events, uint32_t writes)
{
    m_ended.push_back({m_block, m_parts, m_firstStep, events, writes, false, {}});
    m_endedEvents += events;
    m_firstStep += events;
    m_parts += events != 0 ? 1 : 0;
}

void ChunkRecorder::endPart()
{
    const uint32_t events = m_events.events();
    if (events == 0)
        return;
    // Before it: what comes next may be this part, moved.
    if (m_storedEvents + events > kMostStoredEvents || m_endedEvents + events > kMaxChunkEvents ||
        m_packedEvents.wordBytes() >= kChunkWordBytes || m_ended.size() >= kMostParts)
        handOver();
    m_packedEvents.add(m_events.columns());
    m_packedWrites.add(m_writes.columns());
    add(events, m_writes.events());
    m_storedEvents += events;
    m_events.begin(m_warps);
    m_writes.begin(m_warps);
}

bool ChunkRecorder::mayAddMoved(uint32_t events) const
{
    return m_endedEvents + events <= kMaxChunkEvents && m_packedEvents.wordBytes() < kChunkWordBytes &&
           m_ended.size() < kMostParts;
}

void ChunkRecorder::addMoved(const ToldPart& told, size_t place, const EventLog& log, std::span<const SiteMove> moves)
{
    LS_ASSERT(m_events.events() == 0 && place < m_ended.size());
    for (const BufferId buffer : told.buffers())
        touch(buffer);
    const size_t back = m_ended.size() - place;
    told.writeMoved(log, moves, m_moved);
    m_packedEvents.add(m_moved, back);
    told.writeMovedWrites(log, moves, m_moved);
    m_packedWrites.add(m_moved, back);
    add(log.steps(), told.writes());
}

bool ChunkRecorder::isWrittenApart(SiteId site, BufferId buffer)
{
    return isWrite(factsOf(site).kind) && isGlobal(buffer);
}

void ChunkRecorder::handOverAll()
{
    handOver();
    handOverTallies();
}

void ChunkRecorder::handOverTallies()
{
    if (!m_tallies.empty())
        m_tallySink(m_launch, std::exchange(m_tallies, {}));
    m_tally.restart();
}

void ChunkRecorder::handOver()
{
    m_handedOver = std::chrono::steady_clock::now();
    if (m_ended.empty())
        return;
    ++m_chunk;
    const bool hasWrites =
        std::any_of(m_ended.begin(), m_ended.end(), [](const ChunkPart& part) { return part.writeEvents != 0; });
    PackedChunk chunk{m_launch, std::exchange(m_ended, {}), m_packedEvents.finish(), {}};
    if (hasWrites)
        chunk.writes = m_packedWrites.finish();
    m_packedWrites.clear();
    m_endedEvents = m_storedEvents = 0;
    m_chunkSink(std::move(chunk));
}

void ChunkRecorder::forgetAll()
{
    m_ended.clear();
    ++m_chunk;
    m_endedEvents = m_storedEvents = 0;
    m_packedEvents.clear();
    m_packedWrites.clear();
    m_tallies.clear();
    m_tally.restart();
}

void ChunkRecorder::refreshTables()
{
    m_tablesVersion = m_tables.version();
    m_tables.copyTo(m_sites, m_buffers);
}

bool ChunkRecorder::isGlobal(BufferId buffer)
{
    if (buffer == kNoBuffer)
        return false;
    if (buffer.value >= m_buffers.size()) [[unlikely]] {
        refreshTables();
        LS_ASSERT(buffer.value < m_buffers.size());
    }
    return m_buffers[buffer.value].space == Space::Global;
}

void ChunkRecorder::touchFirst(BufferId buffer)
{
    if (buffer == kNoBuffer)
        return;
    static_cast<void>(isGlobal(buffer));  // its place is known from here on
    if (buffer.value >= m_touched.size())
        m_touched.resize(buffer.value + size_t{1});
    m_touched[buffer.value] = 1;
}

std::vector<BufferId> ChunkRecorder::takeTouched()
{
    std::vector<BufferId> touched;
    for (uint32_t i = 0; i < m_touched.size(); ++i)
        if (m_touched[i] != 0)
            touched.emplace_back(i);
    m_touched.assign(m_touched.size(), 0);
    return touched;
}

void ChunkRecorder::beginWrite()
{
    m_writes.putStep(m_events.events());
}

void ChunkRecorder::access(SiteId site, uint16_t warp, LaneMask mask, BufferId buffer, const uint32_t* offsets,
                           const void* values, uint8_t valueBytes, uint8_t valueStride)
{
    const LaneValues lanes{values, valueBytes, valueStride};
    touch(buffer);
    const SiteFacts facts = factsOf(site);
    m_tally.step(facts.kind, warp, mask);
    m_tally.access(site, warp, mask, buffer, offsets, values != nullptr ? valueBytes : facts.bytes);
    if (m_isTallyOnly)
        return;
    if (values != nullptr && isWrite(facts.kind) && isGlobal(buffer)) {
        beginWrite();
        m_writes.access(site, warp, mask, buffer, offsets, lanes);
    }
    m_events.access(site, warp, mask, buffer, offsets, lanes);
    afterEvent();
}

void ChunkRecorder::accessEven(SiteId site, uint16_t warp, BufferId buffer, const EvenOffsets& offsets,
                               const void* values, uint8_t valueBytes, uint8_t valueStride)
{
    touch(buffer);
    const SiteFacts facts = factsOf(site);
    m_tally.step(facts.kind, warp, kAllLanes);
    m_tally.accessEven(site, warp, buffer, offsets, values != nullptr ? valueBytes : facts.bytes);
    if (m_isTallyOnly)
        return;
    if (values == nullptr) {
        m_events.accessEven(site, warp, buffer, offsets);
    } else {
        const LaneValues lanes{values, valueBytes, valueStride};
        if (isWrite(facts.kind) && isGlobal(buffer)) {
            beginWrite();
            m_writes.accessEven(site, warp, buffer, offsets, lanes);
        }
        m_events.accessEven(site, warp, buffer, offsets, lanes);
    }
    afterEvent();
}

void ChunkRecorder::accessMixed(SiteId site, uint16_t warp, LaneMask mask, const BufferId* buffers,
                                const uint64_t* offsets, const void* values, uint8_t valueBytes, uint8_t valueStride)
{
    const LaneValues lanes{values, valueBytes, valueStride};
    bool oneBuffer = mask != 0;
    LaneMask global = 0;
    const auto first = mask != 0 ? std::countr_zero(mask) : 0;
    for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        touch(buffers[lane]);
        oneBuffer = oneBuffer && buffers[lane] == buffers[first] && offsets[lane] <= UINT32_MAX;
        if (isGlobal(buffers[lane]))
            global |= LaneMask{1} << lane;
    }
    if (oneBuffer && buffers[first] != kNoBuffer) {
        uint32_t narrow[kWarpSize] = {};
        for (LaneMask rest = mask; rest != 0; rest &= rest - 1)
            narrow[std::countr_zero(rest)] = static_cast<uint32_t>(offsets[std::countr_zero(rest)]);
        access(site, warp, mask, buffers[first], narrow, values, valueBytes, valueStride);
        return;
    }
    const SiteFacts facts = factsOf(site);
    m_tally.step(facts.kind, warp, mask);
    m_tally.accessMixed(site, warp, mask, buffers, offsets, values != nullptr ? valueBytes : facts.bytes);
    if (m_isTallyOnly)
        return;
    if (global != 0 && isWrite(facts.kind) && values != nullptr) {
        beginWrite();
        m_writes.accessMixed(site, warp, global, buffers, offsets, lanes);
    }
    m_events.accessMixed(site, warp, mask, buffers, offsets, lanes);
    afterEvent();
}

void ChunkRecorder::variableWrite(SiteId site, uint16_t warp, LaneMask mask, const void* values, uint8_t valueBytes,
                                  uint8_t valueStride)
{
    m_tally.step(SiteKind::VariableWrite, warp, mask);
    if (m_isTallyOnly)
        return;
    if (values == nullptr)
        m_events.variableWriteDerived(site, warp, mask);
    else
        m_events.variableWrite(site, warp, mask, {values, valueBytes, valueStride});
    afterEvent();
}

void ChunkRecorder::variableWriteUniform(SiteId site, uint16_t warp, LaneMask mask, const void* value,
                                         uint8_t valueBytes)
{
    m_tally.step(SiteKind::VariableWrite, warp, mask);
    if (m_isTallyOnly)
        return;
    m_events.variableWriteUniform(site, warp, mask, value, valueBytes);
    afterEvent();
}

void ChunkRecorder::run(const EventRun& run, uint16_t warp, const EventRun::Places& places)
{
    for (const EventRun::Place& place : places)
        touch(place.buffer);
    m_tally.run(run, warp, places);
    if (m_isTallyOnly)
        return;
    if (m_events.repeat(run, warp, places)) [[likely]] {
        afterEvent();
        return;
    }
    for (const EventRun::Event& event : run.events) {
        m_events.put(event, warp, places);
        afterEvent();
    }
    m_events.noteRun(run, warp);
}

void ChunkRecorder::branch(SiteId site, uint16_t warp, LaneMask mask, LaneMask taken)
{
    m_tally.step(SiteKind::Branch, warp, mask);
    m_tally.branch(site, warp, mask, taken);
    if (m_isTallyOnly)
        return;
    m_events.branch(site, warp, mask, taken);
    afterEvent();
}

void ChunkRecorder::barrier(SiteId site, uint16_t warp, LaneMask mask)
{
    m_tally.step(SiteKind::Barrier, warp, mask);
    m_tally.barrier(site, warp);
    if (m_isTallyOnly)
        return;
    m_events.mark(site, warp, mask);
    afterEvent();
}

void ChunkRecorder::mark(SiteId site, uint16_t warp, LaneMask mask)
{
    m_tally.step(factsOf(site).kind, warp, mask);
    if (m_isTallyOnly)
        return;
    m_events.mark(site, warp, mask);
    afterEvent();
}

}  // namespace lanescope::trace
