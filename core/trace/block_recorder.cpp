// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/trace/block_recorder.h"

#include <algorithm>
#include <bit>

#include "core/base/assert.h"

namespace lanescope::trace {

namespace {

constexpr std::chrono::milliseconds kFreshFor{250};
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

ChunkedBlockRecorder::ChunkedBlockRecorder(const RecordingTables& tables, ChunkSink chunks, TallySink tallies)
    : m_tables(tables), m_chunkSink(std::move(chunks)), m_tallySink(std::move(tallies))
{
}

void ChunkedBlockRecorder::keepFresh()
{
    if (std::chrono::steady_clock::now() - m_handedOver >= kFreshFor)
        flush();
}

void ChunkedBlockRecorder::flops(std::span<const uint64_t> ofWarps)
{
    // Mostly all do the same.
    const bool isOne = !ofWarps.empty() && std::ranges::all_of(ofWarps, [&](uint64_t n) { return n == ofWarps[0]; });
    const auto kept = isOne ? ofWarps.first(1) : ofWarps;
    m_flops.assign(kept.begin(), kept.end());
}

void ChunkedBlockRecorder::start(LaunchId launch, BlockIndex block, uint32_t threads)
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

void ChunkedBlockRecorder::finish()
{
    endPart(true);
    m_tally.finish(m_block, m_tallies);
    if (m_tallies.size() >= kTallyBytes)
        handOverTallies();
    if (m_endedEvents >= kChunkEvents || m_ended.size() >= kMostParts ||
        m_packedEvents.wordBytes() >= kChunkWordBytes || std::chrono::steady_clock::now() - m_handedOver >= kFreshFor)
        handOver();
}

void ChunkedBlockRecorder::endPart(bool isBlocksLast)
{
    const uint32_t events = m_events.events();
    if (events == 0 && !isBlocksLast)
        return;
    m_ended.push_back({m_block, m_parts, m_firstStep, events, m_writes.events(), isBlocksLast, {}});
    if (isBlocksLast)
        m_ended.back().flops = m_flops;
    m_packedEvents.add(m_events.columns());
    m_packedWrites.add(m_writes.columns());
    m_endedEvents += events;
    if (events != 0)
        ++m_parts;
    if (isBlocksLast)
        return;  // the next block begins anew
    m_firstStep += events;
    m_events.begin(m_warps);
    m_writes.begin(m_warps);
}

void ChunkedBlockRecorder::flush()
{
    endPart(false);
    handOver();
}

void ChunkedBlockRecorder::handOverAll()
{
    handOver();
    handOverTallies();
}

void ChunkedBlockRecorder::handOverTallies()
{
    if (!m_tallies.empty())
        m_tallySink(m_launch, std::exchange(m_tallies, {}));
    m_tally.restart();
}

void ChunkedBlockRecorder::handOver()
{
    m_handedOver = std::chrono::steady_clock::now();
    if (m_ended.empty())
        return;
    const bool hasWrites =
        std::any_of(m_ended.begin(), m_ended.end(), [](const ChunkPart& part) { return part.writeEvents != 0; });
    PackedChunk chunk{m_launch, std::exchange(m_ended, {}), m_packedEvents.finish(), {}};
    if (hasWrites)
        chunk.writes = m_packedWrites.finish();
    m_packedWrites.clear();
    m_endedEvents = 0;
    m_chunkSink(std::move(chunk));
}

void ChunkedBlockRecorder::forgetAll()
{
    m_ended.clear();
    m_endedEvents = 0;
    m_packedEvents.clear();
    m_packedWrites.clear();
    m_tallies.clear();
    m_tally.restart();
}

void ChunkedBlockRecorder::refreshTables()
{
    m_tablesVersion = m_tables.version();
    m_tables.copyTo(m_sites, m_buffers);
}

bool ChunkedBlockRecorder::isGlobal(BufferId buffer)
{
    if (buffer == kNoBuffer)
        return false;
    if (buffer.value >= m_buffers.size()) [[unlikely]] {
        refreshTables();
        LS_ASSERT(buffer.value < m_buffers.size());
    }
    return m_buffers[buffer.value].space == Space::Global;
}

void ChunkedBlockRecorder::touchFirst(BufferId buffer)
{
    if (buffer == kNoBuffer)
        return;
    static_cast<void>(isGlobal(buffer));  // its place is known from here on
    if (buffer.value >= m_touched.size())
        m_touched.resize(buffer.value + size_t{1});
    m_touched[buffer.value] = 1;
}

std::vector<BufferId> ChunkedBlockRecorder::takeTouched()
{
    std::vector<BufferId> touched;
    for (uint32_t i = 0; i < m_touched.size(); ++i)
        if (m_touched[i] != 0)
            touched.emplace_back(i);
    m_touched.assign(m_touched.size(), 0);
    return touched;
}

void ChunkedBlockRecorder::beginWrite()
{
    m_writes.putStep(m_events.events());
}

void ChunkedBlockRecorder::access(SiteId site, uint16_t warp, LaneMask mask, BufferId buffer, const uint32_t* offsets,
                                  const void* values, uint8_t valueBytes, uint8_t valueStride)
{
    const LaneValues lanes{values, valueBytes, valueStride};
    touch(buffer);
    const SiteFacts facts = factsOf(site);
    m_tally.step(facts.kind, warp, mask);
    m_tally.access(site, warp, mask, buffer, offsets, values != nullptr ? valueBytes : facts.bytes);
    if (values != nullptr && isWrite(facts.kind) && isGlobal(buffer)) {
        beginWrite();
        m_writes.access(site, warp, mask, buffer, offsets, lanes);
    }
    m_events.access(site, warp, mask, buffer, offsets, lanes);
    afterEvent();
}

void ChunkedBlockRecorder::accessEven(SiteId site, uint16_t warp, BufferId buffer, const EvenOffsets& offsets,
                                      const void* values, uint8_t valueBytes, uint8_t valueStride)
{
    touch(buffer);
    const SiteFacts facts = factsOf(site);
    m_tally.step(facts.kind, warp, kAllLanes);
    m_tally.accessEven(site, warp, buffer, offsets, values != nullptr ? valueBytes : facts.bytes);
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

void ChunkedBlockRecorder::accessMixed(SiteId site, uint16_t warp, LaneMask mask, const BufferId* buffers,
                                       const uint64_t* offsets, const void* values, uint8_t valueBytes,
                                       uint8_t valueStride)
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
    if (global != 0 && isWrite(facts.kind) && values != nullptr) {
        beginWrite();
        m_writes.accessMixed(site, warp, global, buffers, offsets, lanes);
    }
    m_events.accessMixed(site, warp, mask, buffers, offsets, lanes);
    afterEvent();
}

void ChunkedBlockRecorder::variableWrite(SiteId site, uint16_t warp, LaneMask mask, const void* values,
                                         uint8_t valueBytes, uint8_t valueStride)
{
    m_tally.step(SiteKind::VariableWrite, warp, mask);
    if (values == nullptr)
        m_events.variableWriteDerived(site, warp, mask);
    else
        m_events.variableWrite(site, warp, mask, {values, valueBytes, valueStride});
    afterEvent();
}

void ChunkedBlockRecorder::variableWriteUniform(SiteId site, uint16_t warp, LaneMask mask, const void* value,
                                                uint8_t valueBytes)
{
    m_tally.step(SiteKind::VariableWrite, warp, mask);
    m_events.variableWriteUniform(site, warp, mask, value, valueBytes);
    afterEvent();
}

void ChunkedBlockRecorder::run(const EventRun& run, uint16_t warp, const EventRun::Places& places)
{
    for (const EventRun::Place& place : places)
        touch(place.buffer);
    m_tally.run(run, warp, places);
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

void ChunkedBlockRecorder::branch(SiteId site, uint16_t warp, LaneMask mask, LaneMask taken)
{
    m_tally.step(SiteKind::Branch, warp, mask);
    m_tally.branch(site, warp, mask, taken);
    m_events.branch(site, warp, mask, taken);
    afterEvent();
}

void ChunkedBlockRecorder::barrier(SiteId site, uint16_t warp, LaneMask mask)
{
    m_tally.step(SiteKind::Barrier, warp, mask);
    m_tally.barrier(site, warp);
    m_events.mark(site, warp, mask);
    afterEvent();
}

void ChunkedBlockRecorder::mark(SiteId site, uint16_t warp, LaneMask mask)
{
    m_tally.step(factsOf(site).kind, warp, mask);
    m_events.mark(site, warp, mask);
    afterEvent();
}

}  // namespace lanescope::trace
