// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is behind a LoggingRecorder: feeds the encoders and hands over full chunks. What it has of a block
// that ends stays with it, for the next block to be packed with, until there is enough of it or it is old.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "core/base/assert.h"
#include "core/trace/chunk_encoder.h"
#include "core/trace/event_sink.h"
#include "core/trace/table_store.h"
#include "core/trace/tally_collector.h"
#include "core/trace/told_part.h"

namespace lanescope::trace {

/// What recorders need to know of the tables. Thread-safe.
class RecordingTables {
public:
    void addSites(std::span<const Site> sites);
    void putBuffer(const Buffer& buffer);
    /// Copies what is known by now.
    void copyTo(std::vector<SiteFacts>& sites, std::vector<BufferPlace>& buffers) const;
    /// Rises with each change.
    [[nodiscard]] uint64_t version() const { return m_version; }

private:
    mutable std::mutex m_mutex;
    std::atomic<uint64_t> m_version = 1;
    std::vector<SiteFacts> m_sites;
    std::vector<BufferPlace> m_buffers;
};

/// Reused from block to block, so that its columns keep their memory.
class ChunkRecorder final : public EventSink {
public:
    using ChunkSink = std::function<void(PackedChunk)>;
    using TallySink = std::function<void(LaunchId, ByteColumn)>;

    /// After so long somebody who watches a recording has something to see.
    static constexpr std::chrono::milliseconds kFreshFor{250};

    ChunkRecorder(const RecordingTables& tables, ChunkSink chunks, TallySink tallies,
                  std::chrono::milliseconds freshFor = kFreshFor);

    /// \p threads: of a block.
    void start(LaunchId launch, BlockIndex block, uint32_t threads);
    /// A part that is \p told, moved, whose own events are \p log.
    void addMoved(const ToldPart& told, size_t place, const EventLog& log, std::span<const SiteMove> moves);
    /// Whether there is room in the chunk for such a part of \p events events.
    [[nodiscard]] bool mayAddMoved(uint32_t events) const;
    /// What came since the part before is a part; nothing where nothing came.
    void endPart();
    /// Where the part that ended last stands in the chunk that is being packed; none: it has been handed over.
    [[nodiscard]] std::optional<size_t> latestPart() const
    {
        return m_ended.empty() ? std::nullopt : std::optional(m_ended.size() - 1);
    }
    [[nodiscard]] const ChunkPart& partAt(size_t place) const { return m_ended[place]; }
    /// Counts chunks.
    [[nodiscard]] uint64_t chunk() const { return m_chunk; }
    /// Parts of the block so far.
    [[nodiscard]] uint32_t parts() const { return m_parts; }
    /// Whether what is recorded goes into the block's tally alone.
    void tallyOnly(bool only) { m_isTallyOnly = only; }
    [[nodiscard]] TallyCollector& tally() { return m_tally; }
    /// Whether somebody who watches has seen nothing for long.
    [[nodiscard]] bool isStale() const;
    [[nodiscard]] bool isWrittenApart(SiteId site, BufferId buffer);
    /// The block is over; its tally is what was collected.
    void finish();
    /// The block is over, and all of it is what TallyCollector's reference has, moved, as of its finishMoved(). False,
    /// and nothing done: it cannot be told so.
    template <typename MoveOf>
    bool finishMoved(const MoveOf& moveOf, std::span<const uint8_t> kinds)
    {
        if (!m_tally.finishMoved(m_block, moveOf, kinds, m_tallies))
            return false;
        endBlock();
        return true;
    }
    /// Whether it has something of blocks that ended.
    [[nodiscard]] bool holdsParts() const { return !m_ended.empty(); }
    /// Hands over what it has of blocks that ended.
    void handOver();
    /// And their tallies. Not while a block is under way.
    void handOverAll();
    /// Forgets that instead.
    void forgetAll();

    void access(SiteId site, uint16_t warp, LaneMask mask, BufferId buffer, const uint32_t* offsets, const void* values,
                uint8_t valueBytes, uint8_t valueStride) override;
    void accessEven(SiteId site, uint16_t warp, BufferId buffer, const EvenOffsets& offsets, const void* values,
                    uint8_t valueBytes, uint8_t valueStride) override;
    void accessMixed(SiteId site, uint16_t warp, LaneMask mask, const BufferId* buffers, const uint64_t* offsets,
                     const void* values, uint8_t valueBytes, uint8_t valueStride) override;
    void variableWrite(SiteId site, uint16_t warp, LaneMask mask, const void* values, uint8_t valueBytes,
                       uint8_t valueStride) override;
    void variableWriteUniform(SiteId site, uint16_t warp, LaneMask mask, const void* value,
                              uint8_t valueBytes) override;
    void run(const EventRun& run, uint16_t warp, const EventRun::Places& places) override;
    void branch(SiteId site, uint16_t warp, LaneMask mask, LaneMask taken) override;
    void barrier(SiteId site, uint16_t warp, LaneMask mask) override;
    void mark(SiteId site, uint16_t warp, LaneMask mask) override;
    /// As BlockRecorder has it.
    void flops(std::span<const uint64_t> ofWarps);
    [[nodiscard]] StepIndex steps() const { return m_firstStep + m_events.events(); }

    [[nodiscard]] LaunchId launch() const { return m_launch; }
    /// Buffers touched since the last call, ascending.
    std::vector<BufferId> takeTouched();

private:
    void afterEvent()
    {
        if (m_events.full()) [[unlikely]]
            endPart();
    }
    void add(uint32_t events, uint32_t writes);
    void endBlock();
    void markLast();
    void handOverTallies();
    void refreshTables();
    [[nodiscard]] const SiteFacts& factsOf(SiteId site)
    {
        if (site.value >= m_sites.size()) [[unlikely]]
            refreshTables();
        LS_ASSERT(site.value < m_sites.size());
        return m_sites[site.value];
    }
    [[nodiscard]] bool isGlobal(BufferId buffer);
    void touch(BufferId buffer)
    {
        if (buffer.value >= m_touched.size() || m_touched[buffer.value] == 0) [[unlikely]]
            touchFirst(buffer);
    }
    void touchFirst(BufferId buffer);
    void beginWrite();

    const RecordingTables& m_tables;
    ChunkSink m_chunkSink;
    TallySink m_tallySink;
    std::chrono::milliseconds m_freshFor;
    ChunkEncoder m_events;
    ChunkEncoder m_writes;  ///< global stores and atomics again, on their own
    TallyCollector m_tally;
    ByteColumn m_tallies;  ///< of blocks of m_launch that have ended
    std::vector<SiteFacts> m_sites;
    std::vector<BufferPlace> m_buffers;
    std::vector<uint8_t> m_touched;
    std::vector<uint64_t> m_flops;
    LaunchId m_launch;
    BlockIndex m_block;
    uint32_t m_warps = 0;
    StepIndex m_firstStep = 0;  ///< of the part under way
    uint32_t m_parts = 0;       ///< of the block, before it
    uint64_t m_tablesVersion = 0;
    ChunkPacker m_packedEvents;  ///< ended parts of m_launch,
    ChunkPacker m_packedWrites;  ///< as many,
    std::vector<ChunkPart> m_ended;
    uint32_t m_endedEvents = 0;
    uint32_t m_storedEvents = 0;  ///< of them, those that are not another part's, moved
    uint64_t m_chunk = 0;
    bool m_isTallyOnly = false;
    ChunkColumns m_moved;  ///< of a part under way
    std::chrono::steady_clock::time_point m_handedOver;
};

}  // namespace lanescope::trace
